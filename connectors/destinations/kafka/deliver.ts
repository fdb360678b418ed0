import { murmur2, produceV9 } from '@platformatic/kafka'
import {
  type ConnectionTest,
  type DeliverContext,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  failedOutcome,
  type OutgoingEvent,
  testOf,
  waitingAlone,
} from '@tributary/connector-kit'
import { personOf, textOfEvent } from '../../wire/access/event-text.ts'
import { type Asked, exchange } from '../../wire/access/exchange.ts'
import type { Broker } from './broker.ts'
import { answerOf, brokerAt, type Cluster, type Topic, topicOf, useCluster } from './cluster.ts'
import { type Item, type Note, produce, type SendRecords } from './produce.ts'
import type { KafkaSettings } from './settings.ts'

type Context = DeliverContext<KafkaSettings>

/** All replicas that are in sync confirm a record. */
const allReplicas = -1
const replicasMs = 30_000
/** A producer without sequences (https://kafka.apache.org/documentation/#recordbatch). */
const noProducer = { producerId: -1n, producerEpoch: -1 }

/** Returns the partition of a key like Kafka's own clients (BuiltInPartitioner.partitionForKey). */
const partitionOfKey = (key: Buffer, count: number): number => (murmur2(key) & 0x7fffffff) % count

const itemsOf = (batch: readonly OutgoingEvent[], topic: Topic, { settings, clock }: Context): Item[] => {
  const now = clock()
  const withLeader = [...topic.keys()].filter((partition) => topic[partition] !== undefined)
  return batch.map((event, index) => {
    const key = settings.key === 'person' ? Buffer.from(personOf(event)) : undefined
    const spread = withLeader[(now + index) % withLeader.length] ?? 0
    const partition = key === undefined ? spread : partitionOfKey(key, topic.length)
    const value = Buffer.from(textOfEvent(event))
    const base = { value, topic: settings.topic, partition, timestamp: BigInt(now) }
    return { index, partition, record: key === undefined ? base : { ...base, key } }
  })
}

/** Returns a function that writes records to a broker, and returns the result of each partition. */
const sendTo =
  (broker: Broker): SendRecords =>
  async (records) => {
    const call = produceV9.api.async(broker.connection, allReplicas, replicasMs, [...records], noProducer)
    const answer = await answerOf(call)
    return typeof answer === 'boolean' ? [] : answer.responses.flatMap((topic) => topic.partitionResponses)
  }

/** Writes records to their leaders. After an error, the leaders are read again for the next batch. */
const write = async (cluster: Cluster, items: readonly Item[], topic: Topic, context: Context) => {
  const outcomes = new Map<number, EventOutcome>()
  const note: Note = (noted, outcome) => {
    if (outcome.kind === 'retry') cluster.topic = undefined
    for (const { index } of noted) outcomes.set(index, outcome)
  }
  const addressOf = ({ partition }: Item): string => {
    const leader = topic[partition]
    return leader === undefined ? '' : `${leader.host}:${leader.port}`
  }
  for (const own of Map.groupBy(items, addressOf).values()) {
    const leader = topic[own[0]?.partition ?? 0]
    if (leader === undefined) {
      note(own, { kind: 'retry', reason: 'The partition has no leader' })
      continue
    }
    try {
      await produce(sendTo(await brokerAt(cluster, leader, context)), own, note)
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      note(
        own.filter(({ index }) => !outcomes.has(index)),
        failedOutcome(error),
      )
      // If no record was confirmed by any leader, all events wait for the same reason.
      if (items.length === own.length && [...outcomes.values()].every(({ kind }) => kind !== 'delivered')) throw error
    }
  }
  return outcomes
}

const askedOf = (batch: readonly OutgoingEvent[]): Asked => ({
  what: batch.length === 1 ? '1 record' : `${batch.length} records`,
  textOf: (index) => {
    const event = batch[index]
    return event === undefined ? '' : textOfEvent(event)
  },
})

/**
 * Sends events as records, which all in-sync replicas confirm. Records that a partition accepted are never sent again
 * when another partition refuses its own.
 */
export const deliver = (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const { brokers, topic: name } = context.settings
  return exchange(askedOf(batch), context, `the topic ${name} at ${brokers}`, () =>
    useCluster(context, async (cluster) => {
      const topic = await topicOf(cluster, context)
      const outcomes = await write(cluster, itemsOf(batch, topic, context), topic, context)
      const missing: EventOutcome = { kind: 'retry', reason: 'Not sent' }
      return waitingAlone(batch.map((_, index) => outcomes.get(index) ?? missing))
    }),
  )
}

/** Signs in, and reads the partitions of the topic. Writes nothing. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(() =>
    useCluster(context, async (cluster) => {
      const partitions = await topicOf(cluster, context)
      const [leader] = partitions.filter((address) => address !== undefined)
      if (leader !== undefined) await brokerAt(cluster, leader, context)
      const count = partitions.length === 1 ? '1 partition' : `${partitions.length} partitions`
      return { ok: true, message: `Connected. The topic ${context.settings.topic} has ${count}.` }
    }),
  )
