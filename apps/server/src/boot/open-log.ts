import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LogAppender, type LogReader, type LogWriter, openLogReader, openLogWriter } from '@tributary/storage'
import type { KafkaOptions, LogHolder, LogProgress } from '@tributary/storage/kafka'
import type { Config } from '../config/config.ts'

/** The logs of the product, in the data folder or on Kafka. */
export type LogName = 'requests' | 'stream' | 'outcomes'

type LogsConfig = Pick<Config, 'dataDir' | 'log' | 'retention'>

/**
 * The folder of each log in the data folder. The stream's folder has its name from a time when the stream held only
 * deliveries.
 */
const folderOf = { requests: 'requests', stream: 'deliveries', outcomes: 'outcomes' } as const

export type Logs = {
  /** Creates what a log requires before it is opened, such as its topics, and checks the requirements. */
  prepare(): Promise<void>
  writer(
    name: LogName,
    given: {
      /** Set if the calling thread is itself a worker. */
      inline?: true
      onCommit?: () => void
      /**
       * The partitions to which the writer appends; by default all. The other partitions may belong to other writers.
       */
      owned?: readonly number[] | undefined
      /** Called when another process has taken over the log, so that no append is possible any more. */
      onReplaced: (error: Error) => void
      /** The data folder of this process, which a log outside of it records. */
      folder?: string
    },
  ): Promise<LogWriter>
  reader(
    name: LogName,
    given?: {
      keepsChunks?: true | undefined
      /** Whether to wait for an unreachable engine without limit, for callers that cannot do anything else. */
      isPatient?: true
      /** Whether the caller gives the reader a notice for each append, so that the reader need not look often itself. */
      isNoticed?: true
    },
  ): Promise<LogReader>
  /** Whether other processes append to a log, too. The main process opens such a log for writing in its main thread. */
  isShared(name: LogName): boolean
  /** Opens a log for appending beside its writer. Rejects if only one process can append. */
  appender(name: LogName): Promise<LogAppender>
  /**
   * The process that last opened the log of requests for writing; undefined if there was none, or the log is in the
   * data folder.
   */
  holder(): Promise<LogHolder | undefined>
  /**
   * Opens the processed positions of the log of requests, as other processes publish them; undefined for a log in the
   * data folder.
   */
  progress(): Promise<LogProgress | undefined>
}

/**
 * The logs on Kafka that several processes append to: collecting processes append requests, and delivering processes
 * append outcomes.
 */
const isShared = (name: LogName): boolean => name !== 'stream'

const textOf = (name: string, path: string | undefined): string | undefined => {
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const failure = new Error(`${name}: ${path} cannot be read (${String(error)})`)
    failure.name = 'KafkaUnusable'
    throw failure
  }
}

/** The connection options for Kafka. @throws KafkaUnusable if one of its files cannot be read */
export const kafkaOptions = ({
  brokers,
  topicPrefix,
  tls,
  sasl,
}: Extract<Config['log'], { kind: 'kafka' }>): KafkaOptions => ({
  brokers,
  topicPrefix,
  tls: tls && {
    ca: textOf('KAFKA_TLS_CA_FILE', tls.caFile),
    cert: textOf('KAFKA_TLS_CERT_FILE', tls.certFile),
    key: textOf('KAFKA_TLS_KEY_FILE', tls.keyFile),
  },
  sasl,
})

/** How often a reader that gets notices looks for new records itself, ms. */
const noticedPollMs = 1000

/** The minimum time between two commits of the log of requests under load, ms. */
const gatherMs = 10

const embeddedLogs = ({ dataDir, retention }: LogsConfig): Logs => {
  const dirOf = (name: LogName): string => join(dataDir, 'log', folderOf[name])
  return {
    prepare: async () => {},
    // The folder is locked, so no other process can take the log over.
    writer: (name, { inline, onCommit }) =>
      openLogWriter({
        dir: dirOf(name),
        segmentMs: retention.logSegmentMs,
        ...(name === 'requests' ? { gatherMs } : {}),
        ...(inline === undefined ? {} : { inline }),
        ...(onCommit === undefined ? {} : { onCommit }),
      }),
    reader: async (name, { keepsChunks, isNoticed } = {}) =>
      openLogReader({
        dir: dirOf(name),
        ...(keepsChunks === undefined ? {} : { keepsChunks }),
        ...(isNoticed === undefined ? {} : { maxPollMs: noticedPollMs }),
      }),
    isShared: () => false,
    appender: () => Promise.reject(new Error('A log in the data folder has one process that appends')),
    holder: async () => undefined,
    progress: async () => undefined,
  }
}

const kafkaLogs = (log: Extract<Config['log'], { kind: 'kafka' }>, { retention }: LogsConfig): Logs => {
  const options = kafkaOptions(log)
  const topics = { segmentMs: retention.logSegmentMs }
  // Loaded only if the log is on Kafka: otherwise the client would need memory and time for nothing.
  const adapter = import('@tributary/storage/kafka')
  return {
    async prepare() {
      const { prepareKafkaLogs } = await adapter
      await prepareKafkaLogs(options, ['requests', 'stream', 'outcomes'], topics)
    },
    isShared,
    async writer(name, { onCommit, onReplaced, owned, folder }) {
      const { openKafkaLogWriter } = await adapter
      return await openKafkaLogWriter({
        ...options,
        ...topics,
        name,
        isShared: isShared(name),
        onReplaced,
        ...(onCommit === undefined ? {} : { onCommit }),
        ...(owned === undefined ? {} : { owned }),
        ...(folder === undefined ? {} : { folder }),
      })
    },
    async reader(name, { isPatient } = {}) {
      const { openKafkaLogReader } = await adapter
      const patience = isPatient === undefined ? {} : { isPatient }
      return await openKafkaLogReader({ ...options, ...patience, name, isShared: isShared(name) })
    },
    async appender(name) {
      const { openKafkaLogAppender } = await adapter
      return await openKafkaLogAppender({ ...options, ...topics, name })
    },
    async holder() {
      const { readKafkaLogHolder } = await adapter
      return await readKafkaLogHolder({ ...options, name: 'requests' })
    },
    async progress() {
      const { openKafkaProgress } = await adapter
      return openKafkaProgress({ ...options, name: 'requests' })
    },
  }
}

/** Returns the configured logs. Opens nothing yet. */
export const openLogs = (config: LogsConfig): Logs =>
  config.log.kind === 'kafka' ? kafkaLogs(config.log, config) : embeddedLogs(config)
