import type { LogAppender } from '../port.ts'
import { type AppendingOptions, createAppending } from './appending.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { followControl } from './control.ts'
import { KafkaUnusable } from './errors.ts'
import { type KafkaLogOptions, topicsOf } from './options.ts'
import { openPartitions, type Partitions } from './partitions.ts'
import { openSharing, type Sending } from './session.ts'
import { ensureTopics } from './topics.ts'

export type KafkaLogAppenderOptions = KafkaLogOptions &
  AppendingOptions & {
    partitions?: number
    segmentMs?: number
  }

/**
 * Rejects if the log was never opened for writing. Records appended before that would have no incarnation, and its
 * first writer could not distinguish them from those of another log.
 */
const requireOpened = async (cluster: Cluster, data: Partitions & { id: string }, control: string): Promise<void> => {
  const known = followControl(await openPartitions(cluster, control), data)
  await known.refresh()
  if (known.openings().length === 0)
    throw new KafkaUnusable(
      `The topic ${data.topic} was never used: start the process that runs the other roles before those that only collect`,
    )
}

const open = async (cluster: Cluster, options: KafkaLogAppenderOptions) => {
  const names = topicsOf(options)
  await ensureTopics(cluster, { partitions: 64, ...options, mayCreate: false })
  const data = await openPartitions(cluster, names.data)
  await requireOpened(cluster, data, names.control)
  return { data, sharing: await openSharing(cluster, data) }
}

/**
 * Opens a log for appending next to its writer. Several appenders may be open, and none fences another. Acknowledged
 * records are on all in-sync replicas, and Kafka stores each batch once. The log's writer must have opened it before,
 * with `isShared`. Rejects with KafkaUnusable, which explains what an operator has to change.
 */
export const openKafkaLogAppender = async (options: KafkaLogAppenderOptions): Promise<LogAppender> => {
  const cluster = openCluster(options)
  const { data, sharing } = await open(cluster, options).catch((error: unknown) => {
    cluster.close()
    throw error
  })
  /** The producer in use; undefined after Kafka has lost its state. */
  let known: Sending | undefined = sharing
  const appending = createAppending<Sending>({
    ...options,
    cluster,
    data,
    async current() {
      known ??= await openSharing(cluster, data)
      return known
    },
    onLost() {
      known = undefined
    },
  })
  return {
    async append(entry) {
      const position = await appending.append([entry])
      if (position === undefined) throw new Error('An entry without a stamp cannot be there already')
      return position
    },
    appendGroup: (entries) => appending.append(entries),
    isUnsure: appending.isUnsure,
    async check() {
      await data.offsets('next')
    },
    close: () => appending.close(),
  }
}
