import {
  createAPI,
  deleteRecordsV2,
  fetchV13,
  listOffsetsV7,
  produceV9,
  type Reader,
  Writer,
} from '@platformatic/kafka'
import { type Batch, decodeBatches } from './batches.ts'
import { acknowledgeMs, type Cluster, persistently, type TopicState } from './cluster.ts'
import { codes, KafkaAnswer, KafkaUnusable } from './errors.ts'

/** A record is acknowledged when all in-sync replicas have it. */
const acksAll = -1
/** How long requests that only read are retried, ms. */
const usualMs = 15_000

type Outcome = { code: number; base: number; error?: unknown }
type Fetched = { code: number; batches: Batch[]; high: number; start: number }

/** Sends encoded batches: the library would encode messages again for each attempt. */
const produce = createAPI<
  [topic: string, batches: readonly [number, Buffer][]],
  ReturnType<typeof produceV9.parseResponse>
>(
  0,
  9,
  (topic: string, batches: readonly [number, Buffer][]) =>
    Writer.create()
      .appendString(null)
      .appendInt16(acksAll)
      .appendInt32(acknowledgeMs)
      .appendArray([topic], (writer) =>
        writer.appendString(topic).appendArray([...batches], (each, [partition, bytes]) => {
          each.appendInt32(partition).appendBytes(bytes)
        }),
      )
      .appendTaggedFields(),
  produceV9.parseResponse,
)

const readFetched = (reader: Reader): { partition: number; fetched: Fetched } => {
  const partition = reader.readInt32()
  const code = reader.readInt16()
  const high = Number(reader.readInt64())
  reader.readInt64()
  const start = Number(reader.readInt64())
  reader.readArray((each) => each.skip(16))
  reader.readInt32()
  const records = reader.readNullableBytes()
  return { partition, fetched: { code, high, start, batches: records === null ? [] : decodeBatches(records) } }
}

type FetchArguments = Parameters<typeof fetchV13.createRequest>

/** Fetches records as batches of this adapter. */
const fetchBatches = createAPI<FetchArguments, Map<number, Fetched>>(
  1,
  13,
  fetchV13.createRequest,
  (_correlation, _key, _version, reader) => {
    reader.readInt32()
    const code = reader.readInt16()
    reader.readInt32()
    const found = new Map<number, Fetched>()
    reader.readArray((topic) => {
      topic.readUUID()
      topic.readArray((each) => {
        const { partition, fetched } = readFetched(each)
        found.set(partition, fetched)
      })
    })
    if (code !== codes.none) throw new KafkaAnswer(code, 'a fetch')
    return found
  },
)

/** A topic of the log, with requests about its partitions. Each is sent to the partition leaders in parallel. */
export type Partitions = {
  readonly topic: string
  readonly count: number
  /**
   * Sends one batch for each partition, once. The outcomes show which were acknowledged; a batch with an error may or
   * may not be stored.
   */
  produce(batches: ReadonlyMap<number, Buffer>): Promise<Map<number, Outcome>>
  /**
   * Fetches batches from these offsets on: of each partition as many as fit into `maxBytes`, at least one if there is
   * any.
   */
  fetch(places: ReadonlyMap<number, number>, maxBytes: number): Promise<Map<number, Fetched>>
  /** Returns offsets by partition: the first one, the next one, or the first one after a time (-1 if there is none). */
  offsets(of: 'first' | 'next' | { after: number }): Promise<number[]>
  /** Deletes the records before these offsets; resolves to the first remaining offsets. */
  deleteBelow(offsets: ReadonlyMap<number, number>): Promise<Map<number, number>>
}

/**
 * Sends a request about partitions to their leaders, in parallel, until each has responded. A number is the error code
 * of a partition.
 */
const createAsking = (
  cluster: Cluster,
  topic: string,
  askMs: number,
  byLeader: (partitions: Iterable<number>) => Promise<Map<number, number[]>>,
) => {
  return async <Value extends object>(
    partitions: Iterable<number>,
    question: (leader: number, asked: readonly number[]) => Promise<Map<number, Value | number>>,
  ): Promise<Map<number, Value>> => {
    const answers = new Map<number, Value>()
    const wanted = [...partitions]
    await persistently(cluster, askMs, async () => {
      const left = wanted.filter((partition) => !answers.has(partition))
      const outcomes = await Promise.allSettled(
        [...(await byLeader(left))].map(async ([leader, asked]) => {
          const given = await question(leader, asked)
          for (const partition of asked) {
            const value = given.get(partition) ?? codes.unknownTopic
            if (typeof value === 'number') throw new KafkaAnswer(value, `partition ${partition} of ${topic}`)
            answers.set(partition, value)
          }
        }),
      )
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    })
    return answers
  }
}

/**
 * Sends batches to the leaders of their partitions. If a leader does not respond, the failure is the outcome of its
 * partitions.
 */
const produceTo = async (
  cluster: Cluster,
  topic: string,
  batches: ReadonlyMap<number, Buffer>,
  leading: ReadonlyMap<number, number[]>,
): Promise<Map<number, Outcome>> => {
  const outcomes = new Map<number, Outcome>()
  const send = async (leader: number, partitions: readonly number[]): Promise<void> => {
    try {
      const sent = partitions.map((partition): [number, Buffer] => [partition, batches.get(partition) ?? Buffer.of()])
      const { responses } = await cluster.call(leader, produce, topic, sent)
      for (const { partitionResponses } of responses)
        for (const { index, errorCode, baseOffset } of partitionResponses)
          outcomes.set(index, { code: errorCode, base: Number(baseOffset) })
    } catch (error) {
      for (const partition of partitions) outcomes.set(partition, { code: -1, base: -1, error })
    }
  }
  await Promise.all([...leading].map(([leader, partitions]) => send(leader, partitions)))
  return outcomes
}

/** The request for batches of partitions of one leader. */
const fetchOf = (
  topicId: string,
  places: ReadonlyMap<number, number>,
  asked: readonly number[],
  maxBytes: number,
): FetchArguments => {
  const partitions = asked.map((partition) => ({
    partition,
    currentLeaderEpoch: -1,
    fetchOffset: BigInt(places.get(partition) ?? 0),
    lastFetchedEpoch: -1,
    partitionMaxBytes: maxBytes,
  }))
  const whole = Math.min(maxBytes * asked.length, 0x7fffffff)
  return [0, 0, whole, 0, 0, -1, [{ topicId, partitions }], [], '']
}

/** Opens an existing topic; read requests are retried for `askMs`. Rejects with KafkaUnusable if it does not exist. */
export const openPartitions = async (
  cluster: Cluster,
  topic: string,
  askMs = usualMs,
): Promise<Partitions & { id: string }> => {
  const stateOf = async (): Promise<TopicState> => {
    const state = (await cluster.topics([topic])).get(topic)
    if (state === undefined) throw new KafkaUnusable(`Kafka has no topic ${topic}`)
    return state
  }
  const { id, leaders } = await persistently(cluster, askMs, stateOf)
  const count = leaders.length

  const byLeader = async (partitions: Iterable<number>): Promise<Map<number, number[]>> => {
    const state = await stateOf()
    if (state.id !== id) throw new KafkaUnusable(`The topic ${topic} was replaced by another one while it is in use`)
    return Map.groupBy(partitions, (partition) => state.leaders[partition] ?? -1)
  }
  const all = (): number[] => Array.from({ length: count }, (_, partition) => partition)
  const ask = createAsking(cluster, topic, askMs, byLeader)
  const offsetsAt = async (timestamp: bigint): Promise<number[]> => {
    const found = await ask(all(), async (leader, asked) => {
      const partitions = asked.map((partitionIndex) => ({ partitionIndex, currentLeaderEpoch: -1, timestamp }))
      const answer = await cluster.call(leader, listOffsetsV7.api, -1, 0, [{ name: topic, partitions }])
      return new Map(
        answer.topics.flatMap(({ partitions: given }) =>
          given.map(({ partitionIndex, errorCode, offset }) => [
            partitionIndex,
            errorCode === codes.none ? { offset: Number(offset) } : errorCode,
          ]),
        ),
      )
    })
    return all().map((partition) => found.get(partition)?.offset ?? -1)
  }

  return {
    topic,
    id,
    count,
    produce: async (batches) => await produceTo(cluster, topic, batches, await byLeader(batches.keys())),
    fetch: (places, maxBytes) =>
      ask(places.keys(), async (leader, asked) => {
        const found: Map<number, Fetched | number> = await cluster.call(
          leader,
          fetchBatches,
          ...fetchOf(id, places, asked, maxBytes),
        )
        for (const [partition, value] of found)
          if (typeof value === 'object' && value.code !== codes.none && value.code !== codes.offsetOutOfRange)
            found.set(partition, value.code)
        return found
      }),
    offsets: (of) => offsetsAt(of === 'first' ? -2n : of === 'next' ? -1n : BigInt(Math.floor(of.after) + 1)),
    async deleteBelow(offsets) {
      const found = await ask(offsets.keys(), async (leader, asked) => {
        const partitions = asked.map((partitionIndex) => ({
          partitionIndex,
          offset: BigInt(offsets.get(partitionIndex) ?? 0),
        }))
        const answer = await cluster.call(leader, deleteRecordsV2.api, [{ name: topic, partitions }], acknowledgeMs)
        return new Map(
          answer.topics.flatMap(({ partitions: given }) =>
            given.map(({ partitionIndex, errorCode, lowWatermark }) => [
              partitionIndex,
              errorCode === codes.none ? { first: Number(lowWatermark) } : errorCode,
            ]),
          ),
        )
      })
      return new Map([...found].map(([partition, { first }]) => [partition, first]))
    },
  }
}
