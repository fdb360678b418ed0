import type { IncarnationRange } from '../incarnations.ts'
import type { LogPosition, LogReader, LogRecord } from '../port.ts'
import { createBatchCache } from './batch-cache.ts'
import { openCluster } from './cluster.ts'
import { createCollecting, minFetch, ownedBy } from './collecting.ts'
import { type Control, followControl, incarnationOf, type Opening } from './control.ts'
import { createLineage } from './lineage.ts'
import { type KafkaLogOptions, topicsOf } from './options.ts'
import { openPartitions, type Partitions } from './partitions.ts'
import { recordEnds } from './tails.ts'
import { createRemoteWaiting } from './waiting.ts'

export type KafkaLogReaderOptions = KafkaLogOptions & {
  /** How often the reader checks for new records when no writer notifies it, ms. */
  pollMs?: number
  /** Whether requests wait for an unreachable Kafka without limit. Otherwise they reject after 15 seconds. */
  isPatient?: boolean
  /** Whether other processes append next to the log's writer. */
  isShared?: boolean
  /** Memory for batches that may be read again, bytes. */
  cacheBytes?: number
}

/** The ends of the records in each partition, which Kafka's own ends may exceed. */
const createEnds = (data: Partitions, control: Control, cache: ReturnType<typeof createBatchCache>) => {
  /** By partition, Kafka's own end at the last check and the end of the records before it. */
  const looked = new Map<number, { end: number; records: number }>()
  let looking: Promise<number[]> | undefined

  const look = async (): Promise<number[]> => {
    const ends = await data.offsets('next')
    const news = new Map<number, number>()
    for (const [partition, end] of ends.entries()) if (looked.get(partition)?.end !== end) news.set(partition, end)
    const found = await recordEnds(data, control, news, { batchAt: cache.at, noted: cache.add })
    for (const [partition, records] of found) looked.set(partition, { end: news.get(partition) ?? 0, records })
    return ends.map((_, partition) => looked.get(partition)?.records ?? 0)
  }
  /** A check that is in progress may miss newer records, so its further callers get the result of the next check. */
  const now = async (): Promise<number[]> => {
    await looking?.catch(() => {})
    looking ??= look().finally(() => {
      looking = undefined
    })
    return await looking
  }
  return { now, lookedAt: (partition: number) => looked.get(partition) }
}

/** The ranges of incarnations in a partition whose records begin at `start`. */
const rangesOf = (openings: readonly Opening[], partition: number, start: number): IncarnationRange[] => {
  const ranges: IncarnationRange[] = []
  for (const [at, opening] of openings.entries()) {
    const incarnation = incarnationOf(opening)
    const from = (opening.fences[partition] ?? 0) + 1
    const until = openings[at + 1]?.ends[partition] ?? Number.POSITIVE_INFINITY
    // An opening without remaining records is not a range. An opening that continues another belongs to that range.
    if (until > from && until > start && ranges.at(-1)?.incarnation !== incarnation) ranges.push({ incarnation, from })
  }
  return ranges
}

/**
 * Opens a log on Kafka for reading. It sees records that all in-sync replicas have. Rejects with KafkaUnusable if the
 * log has no topics yet: its writer creates them.
 */
export const openKafkaLogReader = async (options: KafkaLogReaderOptions): Promise<LogReader> => {
  const cluster = openCluster(options)
  const names = topicsOf(options)
  const askMs = options.isPatient === true ? Number.POSITIVE_INFINITY : undefined
  const open = async (): Promise<{ data: Partitions & { id: string }; controlTopic: Partitions }> => ({
    data: await openPartitions(cluster, names.data, askMs),
    controlTopic: await openPartitions(cluster, names.control, askMs),
  })
  const { data, controlTopic } = await open().catch((error: unknown) => {
    cluster.close()
    throw error
  })
  const control = followControl(controlTopic, data)
  const cache = createBatchCache(options.cacheBytes ?? 8 * 1024 * 1024)
  const waiting = createRemoteWaiting(options.pollMs ?? 250)
  const { now: ends, lookedAt } = createEnds(data, control, cache)
  const lineage = createLineage(control, options.isShared === true, cluster.isClosed)
  const { batchFrom, collect } = createCollecting(data, cache, lineage)
  const findOne = async ({ partition, offset }: LogPosition): Promise<LogRecord | undefined> => {
    const batch = await batchFrom(partition, offset, minFetch)
    const record = batch?.head?.f === 1 ? undefined : batch?.records.find((each) => each.offset === offset)
    if (batch === undefined || record === undefined) return undefined
    return ownedBy(partition, {
      records: [{ ...record, time: batch.time, incarnation: await lineage.incarnationOf(partition, batch) }],
      passed: false,
    })[0]
  }
  const hasNews = async (from: readonly LogPosition[]): Promise<boolean> => {
    const now = await ends()
    const behind = from.filter(({ partition, offset }) => (now[partition] ?? 0) > offset)
    if (behind.length === 0) return false
    const starts = await data.offsets('first')
    return behind.some(({ partition }) => (now[partition] ?? 0) > (starts[partition] ?? 0))
  }

  return {
    partitions: data.count,
    read: async (partition, offset, maxBytes, which) => {
      const known = lookedAt(partition)
      // There are no records between the newest one and Kafka's own end.
      if (known !== undefined && offset >= known.records && offset < known.end) {
        const now = await ends()
        if (offset >= (now[partition] ?? 0)) return []
      }
      return ownedBy(partition, await collect(partition, offset, maxBytes, which))
    },
    async find(places, maxBytes = Number.POSITIVE_INFINITY) {
      const found: (LogRecord | undefined)[] = []
      let left = maxBytes
      for (const place of places) {
        const record = await findOne(place)
        const size = record?.body.byteLength ?? 0
        if (found.length > 0 && size > left) break
        left -= size
        found.push(record)
      }
      return found
    },
    wait: (from, signal) => waiting.until(() => hasNews(from), signal),
    notice: waiting.notice,
    ends,
    starts: () => data.offsets('first'),
    async incarnations(partition) {
      await control.refresh()
      return rangesOf(control.openingsOf(partition), partition, (await data.offsets('first'))[partition] ?? 0)
    },
    async positionsBefore(time) {
      const after = await data.offsets({ after: time })
      const now = after.includes(-1) ? await ends() : []
      return after.map((offset, partition) => ({ partition, offset: offset === -1 ? (now[partition] ?? 0) : offset }))
    },
    close() {
      waiting.close()
      cluster.close()
    },
  }
}
