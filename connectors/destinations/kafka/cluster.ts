import { metadataV9, ResponseError } from '@platformatic/kafka'
import { ConfigurationError, type DeliverContext, RetryableError } from '@tributary/connector-kit'
import { keepConnections } from '../../wire/access/kept-connection.ts'
import { type Broker, openBroker } from './broker.ts'
import { deliveryError, failureOfCode } from './failures.ts'
import { type BrokerAddress, brokersOf, type KafkaSettings } from './settings.ts'

type Context = DeliverContext<KafkaSettings>

/** The partitions of a topic in their order, each with the address of its leader; undefined without a leader. */
export type Topic = readonly (BrokerAddress | undefined)[]

/** Open connections to brokers, and the partitions of the topic. */
export type Cluster = {
  readonly brokers: Map<string, Broker>
  topic: { partitions: Topic; readAt: number } | undefined
}

/** Time in ms after which the partitions are read again, like in Kafka's own clients (metadata.max.age.ms). */
const topicMs = 300_000

/** Returns the response of a request, also if it has errors of the protocol for parts of it. */
export const answerOf = async <T>(asked: Promise<T>): Promise<T> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ResponseError && error['response'] !== undefined) return error['response'] as T
    throw deliveryError(error)
  }
}

/** Returns an open connection to a broker. Rejects with a DeliveryError. */
export const brokerAt = async (cluster: Cluster, address: BrokerAddress, context: Context): Promise<Broker> => {
  const name = `${address.host}:${address.port}`
  const open = cluster.brokers.get(name)
  if (open?.isOpen() === true) return open
  const broker = await openBroker(address, context, () => {
    if (cluster.brokers.get(name)?.isOpen() === false) cluster.brokers.delete(name)
  })
  cluster.brokers.set(name, broker)
  return broker
}

/** Returns a connection to any broker of the settings: an open one if possible. */
const anyBroker = async (cluster: Cluster, context: Context): Promise<Broker> => {
  const addresses = brokersOf(context.settings.brokers) ?? []
  const failures: unknown[] = []
  for (const address of addresses) {
    try {
      return await brokerAt(cluster, address, context)
    } catch (error) {
      failures.push(error)
    }
  }
  throw failures.find((failure) => failure instanceof ConfigurationError) ?? failures[0]
}

/** Returns the partitions of the topic. Rejects with a DeliveryError, also if the topic does not exist. */
export const topicOf = async (cluster: Cluster, context: Context): Promise<Topic> => {
  const now = context.clock()
  if (cluster.topic !== undefined && now - cluster.topic.readAt < topicMs) return cluster.topic.partitions
  const { connection } = await anyBroker(cluster, context)
  const { topic: name } = context.settings
  const answer = await answerOf(metadataV9.api.async(connection, [name], false, false))
  const topic = answer.topics.find((each) => each.name === name)
  if (topic === undefined) throw new RetryableError('The broker does not respond with the topic')
  if (topic.errorCode !== 0) throw failureOfCode(topic.errorCode)
  const addresses = new Map(answer.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]))
  const partitions = topic.partitions
    .toSorted((one, other) => one.partitionIndex - other.partitionIndex)
    .map(({ leaderId }) => addresses.get(leaderId))
  if (partitions.length === 0) throw new RetryableError('The topic has no partitions')
  cluster.topic = { partitions, readAt: now }
  return partitions
}

/** Runs work with the connections of the destination. One call at a time uses them. */
export const useCluster = keepConnections<KafkaSettings, Cluster>({
  open: async () => ({ brokers: new Map(), topic: undefined }),
  close: async ({ brokers }) => {
    for (const broker of brokers.values()) broker.close()
  },
  failed: deliveryError,
})
