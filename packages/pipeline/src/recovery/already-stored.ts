import { type EventStore, type LogRecord, systemOwner } from '@tributary/storage'
import { factsOf } from '../process.ts'

/** Returns the offsets of the records whose events the store already has. */
export type AlreadyStored = (partition: number, records: readonly LogRecord[]) => Promise<ReadonlySet<number>>

const marginMs = 60_000

/**
 * Queries the event store for the records that were stored by a run whose journal is lost. An event is recognized by
 * its place in the log, the incarnation, and its time of receipt. The time is needed for logs from before incarnations,
 * which assigned places twice. A record's events are stored together, so one of them is enough.
 */
export const createAlreadyStored =
  (eventStore: Pick<EventStore, 'query'>): AlreadyStored =>
  async (partition, records) => {
    const receivedAt = new Map(records.map((record) => [record.offset, factsOf(record).receivedAt]))
    const offsets = [...receivedAt.keys()]
    const times = [...receivedAt.values()]
    const incarnations = new Map(records.map((record) => [record.offset, record.incarnation]))
    const found = await eventStore.query<{ offset: number; incarnation: string; time: number }>(
      `select distinct toUInt64(splitByChar('-', event_id)[2]) as offset, splitByChar('-', event_id)[4] as incarnation,
         toUnixTimestamp64Milli(receive_time) as time
       from events
       where receive_time between fromUnixTimestamp64Milli({from:Int64}) and fromUnixTimestamp64Milli({to:Int64})
         and startsWith(event_id, {partition:String})
         and toUInt64OrZero(splitByChar('-', event_id)[2]) between {first:UInt64} and {last:UInt64}`,
      {
        from: Math.min(...times) - marginMs,
        to: Math.max(...times) + marginMs,
        partition: `${partition}-`,
        first: Math.min(...offsets),
        last: Math.max(...offsets),
      },
      { owner: systemOwner, slot: 'heavy' },
    )
    const isOf = ({ offset, incarnation, time }: (typeof found)[number]): boolean =>
      incarnations.get(offset) === incarnation && receivedAt.get(offset) === time
    return new Set(found.filter(isOf).map(({ offset }) => offset))
  }
