import { createTopicsV7, describeConfigsV4 } from '@platformatic/kafka'
import { type Cluster, openCluster, persistently, reasonOf } from './cluster.ts'
import { codes, KafkaAnswer, KafkaUnusable } from './errors.ts'
import { type KafkaLogOptions, type KafkaOptions, topicsOf } from './options.ts'

/**
 * The largest batch of a log. It is large enough for a request of 4 MiB with its meta, or for the events of one request
 * with the stream's data of each, uncompressed.
 */
export const maxBatchBytes = 16 * 1024 * 1024
/** How long opening a log waits for unresponsive brokers, ms. */
export const openMs = 30_000
const topicResource = 2
const createMs = 20_000

type Condition = { name: string; wanted: string; holds(value: string): boolean; make: string }

const always: Condition[] = [
  {
    name: 'unclean.leader.election.enable',
    wanted: 'false, or a broker that was away can lead, and accepted events are lost',
    holds: (value) => value === 'false',
    make: 'false',
  },
  {
    name: 'max.message.bytes',
    wanted: `at least ${maxBatchBytes}, the largest request with its meta`,
    holds: (value) => Number(value) >= maxBatchBytes,
    make: String(maxBatchBytes),
  },
  {
    name: 'compression.type',
    wanted: 'producer: Tributary compresses by Zstandard',
    holds: (value) => ['producer', 'zstd', 'uncompressed'].includes(value),
    make: 'producer',
  },
]
const ofData: Condition[] = [
  { name: 'cleanup.policy', wanted: 'delete', holds: (value) => value === 'delete', make: 'delete' },
  {
    name: 'retention.ms',
    wanted: '-1: Tributary deletes what is no longer needed',
    holds: (value) => value === '-1',
    make: '-1',
  },
  { name: 'retention.bytes', wanted: '-1, as retention.ms', holds: (value) => value === '-1', make: '-1' },
]
const ofControl: Condition[] = [
  { name: 'cleanup.policy', wanted: 'compact', holds: (value) => value === 'compact', make: 'compact' },
]
const minInSync = 'min.insync.replicas'
/** With three or more replicas, at least two must have every acknowledged record. */
const inSyncOf = (replicas: number): number => (replicas >= 3 ? 2 : 1)

/** The required settings of a topic. */
export type WantedTopic = { name: string; partitions: number; conditions: Condition[]; extra?: Record<string, string> }

/** The wrong settings of a topic, one sentence each. */
export const problemsOf = (
  topic: WantedTopic,
  found: { partitions: number; replicas: number; configs: ReadonlyMap<string, string> },
): string[] => {
  const problems = topic.conditions
    .filter(({ name, holds }) => !holds(found.configs.get(name) ?? ''))
    .map(({ name, wanted }) => `${name} is ${found.configs.get(name) ?? 'unknown'} and must be ${wanted}`)
  if (found.partitions !== topic.partitions)
    problems.push(`it has ${found.partitions} partitions and must have ${topic.partitions}`)
  const inSync = Number(found.configs.get(minInSync) ?? 1)
  if (inSync < inSyncOf(found.replicas))
    problems.push(`${minInSync} is ${inSync} and must be at least 2 with ${found.replicas} replicas`)
  return problems
}

const described = (topic: WantedTopic): string =>
  [
    `${topic.partitions} ${topic.partitions === 1 ? 'partition' : 'partitions'}`,
    ...topic.conditions.map(({ name, make }) => `${name}=${make}`),
  ].join(', ')

const create = async (cluster: Cluster, topics: readonly WantedTopic[]): Promise<void> => {
  const replicas = Math.min(3, (await cluster.brokers()).length)
  const { topics: answers } = await cluster.call(
    undefined,
    createTopicsV7.api,
    topics.map(({ name, partitions, conditions, extra }) => ({
      name,
      numPartitions: partitions,
      replicationFactor: replicas,
      assignments: [],
      configs: [
        ...conditions.map((condition) => ({ name: condition.name, value: condition.make })),
        { name: minInSync, value: String(inSyncOf(replicas)) },
        ...Object.entries(extra ?? {}).map(([config, value]) => ({ name: config, value })),
      ],
    })),
    createMs,
    false,
  )
  for (const { name, errorCode, errorMessage } of answers) {
    if (errorCode === codes.none || errorCode === codes.topicExists) continue
    const topic = topics.find((each) => each.name === name)
    if (errorCode === codes.topicDenied || errorCode === codes.clusterDenied)
      throw new KafkaUnusable(
        `Kafka has no topic ${name} and does not let this user create it. Create it with ${topic === undefined ? '' : described(topic)}`,
      )
    throw new KafkaAnswer(errorCode, `topic ${name}: ${errorMessage ?? ''}`)
  }
}

const configsOf = async (cluster: Cluster, names: readonly string[]): Promise<Map<string, Map<string, string>>> => {
  const keys = [...new Set([...always, ...ofData, ...ofControl].map(({ name }) => name)), 'segment.ms', minInSync]
  const { results } = await cluster.call(
    undefined,
    describeConfigsV4.api,
    names.map((resourceName) => ({ resourceType: topicResource, resourceName, configurationKeys: keys })),
    false,
    false,
  )
  return new Map(
    results.map(({ resourceName, errorCode, configs }) => {
      if (errorCode === codes.topicDenied || errorCode === codes.clusterDenied)
        throw new KafkaUnusable(
          `Kafka does not let this user read the settings of the topic ${resourceName}. Grant DescribeConfigs on it`,
        )
      if (errorCode !== codes.none) throw new KafkaAnswer(errorCode, `settings of ${resourceName}`)
      return [resourceName, new Map(configs.map(({ name, value }) => [name, value ?? '']))]
    }),
  )
}

/**
 * Creates missing topics of a log (unless that is not permitted), and checks their settings. Rejects with
 * KafkaUnusable, which explains in a sentence what an operator has to change.
 */
export const ensureTopics = async (
  cluster: Cluster,
  options: KafkaLogOptions & { partitions: number; segmentBytes?: number; segmentMs?: number; mayCreate?: false },
): Promise<void> => {
  const { data, control } = topicsOf(options)
  const segments: Record<string, string> = {}
  if (options.segmentBytes !== undefined) segments['segment.bytes'] = String(options.segmentBytes)
  const { segmentMs } = options
  const ofAge: Condition[] =
    segmentMs === undefined
      ? []
      : [
          {
            name: 'segment.ms',
            wanted: `at most ${segmentMs}, so that brokers free the disk of what was deleted`,
            holds: (value) => Number(value) <= segmentMs,
            make: String(segmentMs),
          },
        ]
  const wanted: WantedTopic[] = [
    { name: data, partitions: options.partitions, conditions: [...always, ...ofData, ...ofAge], extra: segments },
    { name: control, partitions: 1, conditions: [...always, ...ofControl] },
  ]
  const names = wanted.map(({ name }) => name)
  const look = async (): Promise<void> => {
    cluster.forget()
    const known = await cluster.topics(names)
    const missing = wanted.filter(({ name }) => !known.has(name))
    if (missing.length > 0 && options.mayCreate === false)
      throw new KafkaUnusable(
        `Kafka has no topic ${missing[0]?.name}: start the process that runs the other roles before those that only collect`,
      )
    if (missing.length > 0) {
      await create(cluster, missing)
      throw new KafkaAnswer(codes.unknownTopic, `topic ${missing[0]?.name}`)
    }
    const configs = await configsOf(cluster, names)
    for (const topic of wanted) {
      const state = known.get(topic.name)
      if (state === undefined) continue
      const found = {
        partitions: state.leaders.length,
        replicas: state.replicas,
        configs: configs.get(topic.name) ?? new Map<string, string>(),
      }
      const problems = problemsOf(topic, found)
      if (problems.length > 0) throw new KafkaUnusable(`The topic ${topic.name} cannot be used: ${problems.join('; ')}`)
    }
  }
  try {
    await persistently(cluster, openMs, look)
  } catch (error) {
    if (error instanceof KafkaUnusable) throw error
    const addresses = options.brokers.map(({ host, port }) => `${host}:${port}`).join(', ')
    throw new KafkaUnusable(`The log's Kafka at ${addresses} does not answer as it should: ${reasonOf(error)}`, error)
  }
}

/**
 * Creates and checks the topics of several logs before any of them is opened. Rejects with KafkaUnusable, like
 * `ensureTopics`.
 */
export const prepareKafkaLogs = async (
  options: KafkaOptions,
  names: readonly string[],
  topics: { partitions?: number; segmentMs?: number } = {},
): Promise<void> => {
  const cluster = openCluster(options)
  try {
    for (const name of names) await ensureTopics(cluster, { partitions: 64, ...options, ...topics, name })
  } finally {
    cluster.close()
  }
}
