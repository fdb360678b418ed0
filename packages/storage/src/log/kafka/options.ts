/** A broker's host and port. */
export type BrokerAddress = { host: string; port: number }

/** How a client authenticates. Only strings: the options are passed to other threads. */
export type KafkaSasl =
  | { mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'; username: string; password: string }
  | {
      mechanism: 'OAUTHBEARER'
      /** The token URL for the client credentials grant. */
      tokenUrl: string
      clientId: string
      clientSecret: string
      scope: string | undefined
    }

/** PEM texts; without a given authority, those of Node.js are trusted. */
export type KafkaTls = { ca: string | undefined; cert: string | undefined; key: string | undefined }

/** Connection options for Kafka. */
export type KafkaOptions = {
  brokers: readonly BrokerAddress[]
  /** Prefix of the names of topics, and of the producers in Kafka. */
  topicPrefix: string
  tls: KafkaTls | undefined
  sasl: KafkaSasl | undefined
}

/**
 * One log in the cluster: `<prefix>.<name>` has its records, `<prefix>.<name>.control` the state that a start needs.
 */
export type KafkaLogOptions = KafkaOptions & { name: string }

/** The topics of a log. */
export const topicsOf = ({ topicPrefix, name }: Pick<KafkaLogOptions, 'topicPrefix' | 'name'>) => ({
  data: `${topicPrefix}.${name}`,
  control: `${topicPrefix}.${name}.control`,
})
