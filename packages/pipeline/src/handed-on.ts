import { deliveryMeta } from '@tributary/contract'
import type { LogReader } from '@tributary/storage'
import { eventIdsOf } from './delivery-records.ts'
import { placeOfEvent } from './event-ids.ts'

/** Bytes read at a time. */
const readBytes = 4 * 1024 * 1024

/** Where the records of a partition begin that were appended at `time` or later: a record a little before that. */
const firstSince = (log: LogReader, partition: number, start: number, end: number, time: number): number => {
  for (let back = 16; ; back *= 4) {
    const offset = end - back
    if (offset <= start) return start
    const [record] = log.read(partition, offset, 1)
    if (record === undefined || record.time < time) return offset
  }
}

/** Whether a record that the deliveries log holds came from the pipeline and not from a replay, which repeats events. */
const isFirstHandingOn = (meta: string): boolean => {
  try {
    return deliveryMeta.parse(JSON.parse(meta)).p === undefined
  } catch {
    return false
  }
}

export type HandedOnDeps = {
  /** The log of accepted requests, and the next offset of each partition that is stored and committed. */
  requests: LogReader
  committed: ReadonlyMap<number, number>
  /** The log of deliveries, which keeps a key's records in one partition as the other does. */
  deliveries: LogReader
}

/**
 * Ids of the events that the last run handed to deliveries and did not commit. Their records will be read again; what is
 * in the deliveries log is delivered without being handed on once more. After a clean end nothing is read.
 *
 * A record in the deliveries log is younger than the request it came from: only what was appended since the oldest
 * request that is not committed is looked at.
 */
export const eventsHandedOn = ({ requests, committed, deliveries }: HandedOnDeps): Set<string> => {
  const found = new Set<string>()
  const starts = requests.starts()
  const from = requests.ends().map((_, partition) => Math.max(committed.get(partition) ?? 0, starts[partition] ?? 0))
  const oldest = requests.ends().map((end, partition) => {
    const offset = from[partition] ?? 0
    return offset < end ? requests.read(partition, offset, 1)[0]?.time : undefined
  })
  const times = oldest.filter((time) => time !== undefined)
  if (times.length === 0) return found
  const alike = requests.partitions === deliveries.partitions
  const firsts = deliveries.starts()
  deliveries.ends().forEach((end, partition) => {
    const since = alike ? oldest[partition] : Math.min(...times)
    if (since === undefined) return
    for (let offset = firstSince(deliveries, partition, firsts[partition] ?? 0, end, since); offset < end; ) {
      const records = deliveries.read(partition, offset, readBytes)
      if (records.length === 0) return
      for (const { meta, body, offset: at } of records) {
        offset = at + 1
        if (!isFirstHandingOn(meta)) continue
        for (const id of eventIdsOf(body)) {
          const place = placeOfEvent(id)
          if (place !== undefined && place.offset >= (from[place.partition] ?? 0)) found.add(id)
        }
      }
    }
  })
  return found
}
