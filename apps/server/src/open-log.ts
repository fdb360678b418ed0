import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LogAppender, type LogReader, type LogWriter, openLogReader, openLogWriter } from '@tributary/storage'
import type { KafkaOptions, LogProgress } from '@tributary/storage/kafka'
import type { Config } from './config/config.ts'

/** The logs of the product; in the data folder or on Kafka. */
export type LogName = 'requests' | 'stream' | 'outcomes'

type LogsConfig = Pick<Config, 'dataDir' | 'log' | 'retention'>

/** In the data folder. The stream's is named when it only held what had a destination. */
const folderOf = { requests: 'requests', stream: 'deliveries', outcomes: 'outcomes' } as const

export type Logs = {
  /** Makes what has to be there before a log is opened, and looks whether it is as it has to be. */
  prepare(): Promise<void>
  writer(
    name: LogName,
    given: {
      /** The calling thread is a worker itself. */
      inline?: true
      onCommit?: () => void
      /** The partitions that it appends to; all unless given. Others may be another writer's. */
      owned?: readonly number[] | undefined
      /** Another process has taken the log: nothing can be appended any more. */
      onReplaced: (error: Error) => void
    },
  ): Promise<LogWriter>
  reader(
    name: LogName,
    given?: {
      keepsChunks?: true | undefined
      /** Waits for an engine that is away, however long: for who has nothing else to do. */
      isPatient?: true
    },
  ): Promise<LogReader>
  /** Whether several append to a log, beside the main thread of the main process, which opens it for writing. */
  isShared(name: LogName): boolean
  /** Appends beside who opens the log for writing. Rejects where only one can append. */
  appender(name: LogName): Promise<LogAppender>
  /** How far the log of requests is processed, for other processes; undefined where there are none. */
  progress(): Promise<LogProgress | undefined>
}

/** Which logs on Kafka several append to: requests by who collects, outcomes by who delivers. */
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

const kafkaOptions = ({
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

const embeddedLogs = ({ dataDir, retention }: LogsConfig): Logs => {
  const dirOf = (name: LogName): string => join(dataDir, 'log', folderOf[name])
  return {
    prepare: async () => {},
    // The folder is locked: nobody takes it over.
    writer: (name, { inline, onCommit }) =>
      openLogWriter({
        dir: dirOf(name),
        segmentMs: retention.logSegmentMs,
        ...(inline === undefined ? {} : { inline }),
        ...(onCommit === undefined ? {} : { onCommit }),
      }),
    reader: async (name, { keepsChunks } = {}) =>
      openLogReader({ dir: dirOf(name), ...(keepsChunks === undefined ? {} : { keepsChunks }) }),
    isShared: () => false,
    appender: () => Promise.reject(new Error('A log in the data folder has one process that appends')),
    progress: async () => undefined,
  }
}

const kafkaLogs = (log: Extract<Config['log'], { kind: 'kafka' }>, { retention }: LogsConfig): Logs => {
  const options = kafkaOptions(log)
  const topics = { segmentMs: retention.logSegmentMs }
  // Who has no Kafka does without its client's memory and time.
  const adapter = import('@tributary/storage/kafka')
  return {
    async prepare() {
      const { prepareKafkaLogs } = await adapter
      await prepareKafkaLogs(options, ['requests', 'stream', 'outcomes'], topics)
    },
    isShared,
    async writer(name, { onCommit, onReplaced, owned }) {
      const { openKafkaLogWriter } = await adapter
      return await openKafkaLogWriter({
        ...options,
        ...topics,
        name,
        isShared: isShared(name),
        onReplaced,
        ...(onCommit === undefined ? {} : { onCommit }),
        ...(owned === undefined ? {} : { owned }),
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
    async progress() {
      const { openKafkaProgress } = await adapter
      return openKafkaProgress({ ...options, name: 'requests' })
    },
  }
}

/** The logs as they are configured. Nothing is opened yet. */
export const openLogs = (config: LogsConfig): Logs =>
  config.log.kind === 'kafka' ? kafkaLogs(config.log, config) : embeddedLogs(config)
