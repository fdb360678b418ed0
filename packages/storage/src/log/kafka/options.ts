/** One broker, as a host and a port. */
export type BrokerAddress = { host: string; port: number }

/** How a client says who it is. Texts only: the options are handed to other threads. */
export type KafkaSasl =
  | { mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'; username: string; password: string }
  | {
      mechanism: 'OAUTHBEARER'
      /** The URL for tokens by the grant of client credentials. */
      tokenUrl: string
      clientId: string
      clientSecret: string
      scope: string | undefined
    }

/** PEM texts; an authority that is not given is one that Node trusts. */
export type KafkaTls = { ca: string | undefined; cert: string | undefined; key: string | undefined }

/** How a Kafka is reached. */
export type KafkaOptions = {
  brokers: readonly BrokerAddress[]
  /** Prefix of the names of topics, and of the producers in Kafka. */
  topicPrefix: string
  tls: KafkaTls | undefined
  sasl: KafkaSasl | undefined
}

/**
 * One log in the cluster: `<prefix>.<name>` holds its records, `<prefix>.<name>.control` the state that a start needs.
 */
export type KafkaLogOptions = KafkaOptions & { name: string }

/** The topics of a log. */
export const topicsOf = ({ topicPrefix, name }: Pick<KafkaLogOptions, 'topicPrefix' | 'name'>) => ({
  data: `${topicPrefix}.${name}`,
  control: `${topicPrefix}.${name}.control`,
})
