import { findCoordinatorV4, offsetCommitV8, offsetFetchV8 } from '@platformatic/kafka'
import { type Cluster, openCluster, persistently } from './cluster.ts'
import { codes, KafkaAnswer, KafkaUnusable } from './errors.ts'
import { type KafkaLogOptions, topicsOf } from './options.ts'

/** The processed positions of a log, visible to every process of the product and to Kafka's own tools. */
export type LogProgress = {
  /** Commits the offsets, by partition, before which everything is processed; those of other partitions stay. */
  tell(positions: ReadonlyMap<number, number>): Promise<void>
  /** The last committed offsets; -1 for a partition without one. */
  ask(): Promise<number[]>
  close(): void
}

const coordinatesGroups = 0
/** Maximum time of a request, ms. It is short, because callers try again a second later. */
const askMs = 2000
/** Marks a commit by a client that is not a member of the group. */
const noMember = { generation: -1, member: '' }

/** Opens the offsets of the consumer group with the log's name. Connects on first use. */
export const openKafkaProgress = (options: KafkaLogOptions & { partitions?: number }): LogProgress => {
  const { partitions = 64 } = options
  const topic = topicsOf(options).data
  const cluster: Cluster = openCluster(options)
  const denied = new KafkaUnusable(
    `Kafka does not let this user use the consumer group ${topic}. Grant Read and Describe on it`,
  )
  const require = (code: number, about: string): void => {
    if (code === codes.groupDenied) throw denied
    if (code !== codes.none) throw new KafkaAnswer(code, about)
  }
  const atCoordinator = <Value>(question: (coordinator: { host: string; port: number }) => Promise<Value>) =>
    persistently(cluster, askMs, async () => {
      const found = await cluster.call(undefined, findCoordinatorV4.api, coordinatesGroups, [topic])
      const [coordinator] = found.coordinators
      require(coordinator?.errorCode ?? codes.unknownTopic, `coordinator of the group ${topic}`)
      if (coordinator === undefined) throw new KafkaAnswer(codes.unknownTopic, `coordinator of the group ${topic}`)
      return await question(coordinator)
    })

  return {
    tell: (positions) =>
      atCoordinator(async (coordinator) => {
        const committed = [...positions].map(([partitionIndex, offset]) => ({
          partitionIndex,
          committedOffset: BigInt(offset),
          committedLeaderEpoch: -1,
          committedMetadata: null,
        }))
        const { generation, member } = noMember
        const offsets = [{ name: topic, partitions: committed }]
        const answer = await cluster.call(coordinator, offsetCommitV8.api, topic, generation, member, null, offsets)
        for (const each of answer.topics)
          for (const { errorCode } of each.partitions) require(errorCode, `offsets of the group ${topic}`)
      }),
    ask: () =>
      atCoordinator(async (coordinator) => {
        const partitionIndexes = Array.from({ length: partitions }, (_, partition) => partition)
        const group = { groupId: topic, memberEpoch: -1, topics: [{ name: topic, partitionIndexes }] }
        const answer = await cluster.call(coordinator, offsetFetchV8.api, [group], false)
        const positions = partitionIndexes.map(() => -1)
        for (const { errorCode, topics } of answer.groups) {
          require(errorCode, `offsets of the group ${topic}`)
          for (const each of topics)
            for (const { partitionIndex, committedOffset, errorCode: code } of each.partitions) {
              require(code, `offsets of the group ${topic}`)
              positions[partitionIndex] = Number(committedOffset)
            }
        }
        return positions
      }),
    close: cluster.close,
  }
}
