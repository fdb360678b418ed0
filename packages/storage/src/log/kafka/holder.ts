import { openCluster } from './cluster.ts'
import { followControl } from './control.ts'
import { type KafkaLogOptions, topicsOf } from './options.ts'
import { openPartitions } from './partitions.ts'

/** The newest opening of a log for writing. */
export type LogHolder = {
  incarnation: string
  /** The data folder of the process that opened the log; undefined for a version that recorded none. */
  folder: string | undefined
}

/**
 * Returns the process that last opened a log for writing, whether or not it still runs; undefined for a log that was
 * never opened. Its topics must exist.
 */
export const readKafkaLogHolder = async (options: KafkaLogOptions): Promise<LogHolder | undefined> => {
  const cluster = openCluster(options)
  try {
    const names = topicsOf(options)
    const control = followControl(
      await openPartitions(cluster, names.control),
      await openPartitions(cluster, names.data),
    )
    await control.refresh()
    const opening = control.openings().at(-1)
    return opening && { incarnation: opening.incarnation, folder: opening.folder }
  } finally {
    cluster.close()
  }
}
