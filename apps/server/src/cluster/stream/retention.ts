import type { StreamPressure } from '@tributary/control'
import type { Clock, Logger, Metrics } from '@tributary/kernel'
import type { LogPosition } from '@tributary/storage'
import type { StreamConsumer } from './consumers.ts'

export type StreamRetentionDeps = {
  /** Trims segments that are completely below these offsets; resolves to the bytes that remain on disk. */
  trim(before: readonly LogPosition[]): Promise<number>
  /** Offsets such that every earlier record was written before a time (epoch ms). */
  positionsBefore(time: number): Promise<LogPosition[]>
  /** The first offset of each partition, and the offset after its newest record. */
  starts(): Promise<readonly number[]>
  ends(): Promise<readonly number[]>
  /** Time in ms for which records stay that no consumer needs any more. */
  keepMs: number
  maxBytes: number
  consumers: readonly StreamConsumer[]
  /** Notifies platform admins that the limit is near or reached; may be called every minute. */
  tell(pressure: StreamPressure): Promise<void>
  clock: Clock
  logger: Logger
  metrics: Metrics
}

/** Platform admins are notified from this share of the limit on. */
const nearShare = 0.8

/**
 * The needs of a consumer. If `isKnown` is false, the needs are unknown, and the consumer counts as needing everything.
 */
type Need = { consumer: StreamConsumer; isKnown: boolean; offsets: readonly number[]; behind: number }

const lowest = (needs: readonly Need[], ends: readonly number[]): LogPosition[] =>
  ends.map((end, partition) => ({
    partition,
    offset: needs.reduce((low, need) => Math.min(low, need.offsets[partition] ?? 0), end),
  }))

const furthestBehind = (needs: readonly Need[]): Need | undefined => needs.toSorted((a, b) => b.behind - a.behind)[0]

/**
 * Trims the stream to what its slowest consumer needs, except for records younger than `keepMs`. Above `maxBytes`, age
 * no longer protects records. Then the slowest consumers that can catch up from the event store lose their position,
 * one after the other, until the stream is within its limit. A consumer that `holds` never loses its position. A
 * consumer with unknown needs counts as needing everything.
 */
export const createStreamRetention = (deps: StreamRetentionDeps): { run(): Promise<void> } => {
  const { consumers, maxBytes, clock, logger, metrics } = deps
  /** The consumers that have lost their position, each with the time of the loss (epoch ms). */
  const lostSince = new Map<string, number>()

  const needOf = async (consumer: StreamConsumer, ends: readonly number[]): Promise<Need> => {
    const positions = await consumer.needed().catch((error: unknown) => {
      logger.debug({ err: error, consumer: consumer.name }, 'the needs of a consumer of the stream are unknown')
    })
    const named = new Map(positions?.map(({ partition, offset }) => [partition, offset]))
    const offsets = ends.map((_, partition) => named.get(partition) ?? 0)
    const behind = ends.reduce((sum, end, partition) => sum + Math.max(0, end - (offsets[partition] ?? 0)), 0)
    metrics.gauge('stream_consumer_behind_records', behind, { consumer: consumer.name })
    return { consumer, isKnown: positions !== undefined, offsets, behind }
  }

  /** Trims needed records of the slowest consumers that can catch up; resolves to the remaining bytes. */
  const shrink = async (needs: readonly Need[], ends: readonly number[]): Promise<number> => {
    let bytes = await deps.trim(lowest(needs, ends))
    for (let left = needs; bytes > maxBytes; ) {
      const loser = furthestBehind(left.filter(({ consumer }) => consumer.whenBehind === 'catches-up'))
      if (loser === undefined) break
      left = left.filter((need) => need !== loser)
      bytes = await deps.trim(lowest(left, ends))
    }
    return bytes
  }

  /** Records whether a consumer has lost its position or is back. Returns true if it is lost. */
  const noteLost = ({ consumer: { name, whenBehind }, isKnown, offsets, behind }: Need, starts: readonly number[]) => {
    const lost =
      whenBehind === 'catches-up' && isKnown && starts.some((start, partition) => start > (offsets[partition] ?? 0))
    metrics.gauge('stream_consumer_lost', lost ? 1 : 0, { consumer: name })
    const since = lostSince.get(name) ?? clock()
    const fields = { consumer: name, records: behind, since: new Date(since).toISOString() }
    if (lost) {
      if (!lostSince.has(name)) logger.error(fields, 'a consumer lost its place in the stream: it has to catch up')
      lostSince.set(name, since)
    } else if (lostSince.delete(name)) logger.info(fields, 'a consumer has its place in the stream again')
    return lost
  }

  return {
    async run() {
      const old = await deps.positionsBefore(clock() - deps.keepMs)
      const ends = await deps.ends()
      const needs = await Promise.all(consumers.map((consumer) => needOf(consumer, ends)))
      const needed = lowest(needs, ends)
      let bytes = await deps.trim(
        old.map(({ partition, offset }) => ({
          partition,
          offset: Math.min(offset, needed[partition]?.offset ?? 0),
        })),
      )
      const near = bytes >= maxBytes * nearShare
      if (bytes > maxBytes) bytes = await shrink(needs, ends)
      metrics.gauge('stream_bytes', bytes)
      const starts = await deps.starts()
      const lost = needs.filter((need) => noteLost(need, starts))
      const slowest = furthestBehind(needs.filter((need) => !lost.includes(need)))
      const reported = [...lost, ...(near && slowest !== undefined && slowest.behind > 0 ? [slowest] : [])]
      for (const need of reported) {
        const { consumer, behind: records } = need
        const pressure = { bytes, maxBytes, consumer: consumer.name, records, lost: lost.includes(need) }
        if (!pressure.lost) logger.warn(pressure, 'the stream is near its limit')
        await deps.tell(pressure)
      }
    },
  }
}
