import { readStreamFacts } from '@tributary/contract'
import { parseEventId } from '@tributary/kernel'
import type { LogReader, LogRecord } from '@tributary/storage'
import { idsOfRecord } from '../branches/deliver.ts'

/** Maximum number of bytes per read. */
const readBytes = 4 * 1024 * 1024

/** Whether a record of the deliveries log came from the pipeline and not from a replay, which repeats events. */
const isFirstAppend = (text: string): boolean => {
  const meta = readStreamFacts(text)
  return meta !== undefined && meta.replayId === undefined
}

/** Goes back in growing steps to a record that is committed. Earlier records are committed, too. */
const lookBack = async (
  log: LogReader,
  { partition, start, end }: { partition: number; start: number; end: number },
  isDone: (record: LogRecord) => boolean,
): Promise<number> => {
  for (let back = 16; ; back *= 4) {
    const offset = end - back
    if (offset <= start) return start
    const [record] = await log.read(partition, offset, 1)
    if (record === undefined || isDone(record)) return offset
  }
}

export type UncommittedDeliveriesDeps = {
  /** The log of accepted requests. */
  requests: LogReader
  /** The next offset of each partition; every earlier request is stored and committed. */
  committed: ReadonlyMap<number, number>
  /** The log of deliveries. Both logs put a key into the same partition. */
  deliveries: LogReader
  /**
   * Whether the appended records of a partition are already known, so that they need no look-up. If absent, no
   * partition is known.
   */
  isKnown?(partition: number): boolean
}

/**
 * Finds the IDs of events that the last run appended to deliveries and did not commit. Their records will be read
 * again, but their deliveries must not be appended again. After a clean shutdown nothing is read.
 *
 * Only the end of the deliveries log is read. A record there is younger than its request, and the records of a
 * partition are in the order of their requests. So everything before a record of a committed request is committed, too.
 */
export const uncommittedDeliveries = async ({
  requests,
  committed,
  deliveries,
  isKnown,
}: UncommittedDeliveriesDeps): Promise<Set<string>> => {
  const found = new Set<string>()
  const held = await requests.starts()
  const ends = await requests.ends()
  const from = ends.map((_, partition) => Math.max(committed.get(partition) ?? 0, held[partition] ?? 0))
  const oldest: (number | undefined)[] = []
  for (const [partition, end] of ends.entries()) {
    const offset = from[partition] ?? 0
    const open = offset < end && isKnown?.(partition) !== true
    oldest.push(open ? (await requests.read(partition, offset, 1))[0]?.time : undefined)
  }
  const times = oldest.filter((time) => time !== undefined)
  if (times.length === 0) return found
  const isOpen = (eventId: string): boolean => {
    const place = parseEventId(eventId)
    return place !== undefined && place.offset >= (from[place.partition] ?? 0)
  }
  const starts = await deliveries.starts()
  for (const [partition, end] of (await deliveries.ends()).entries()) {
    const since = oldest[partition]
    if (since === undefined) continue
    const isDone = ({ time, meta, body }: LogRecord): boolean =>
      time < since || (isFirstAppend(meta) && !idsOfRecord(body).some(isOpen))
    const start = starts[partition] ?? 0
    for (let offset = await lookBack(deliveries, { partition, start, end }, isDone); offset < end; ) {
      const records = await deliveries.read(partition, offset, readBytes)
      if (records.length === 0) break
      for (const { meta, body, time, offset: at } of records) {
        offset = at + 1
        if (time < since || !isFirstAppend(meta)) continue
        for (const id of idsOfRecord(body)) if (isOpen(id)) found.add(id)
      }
    }
  }
  return found
}
