import { readStreamFacts } from '@tributary/contract'
import { sentAgainNote } from '@tributary/delivery'
import { type LogReader, type PlaceToReset, requireStopped, resetJournalFile, resetJournals } from '@tributary/storage'
import { type ConsumerName, NothingRead, type OpenConsumers } from './consumers.ts'

/** Why a consumer's position cannot be reset to an earlier one. */
const refusals: Readonly<Record<Exclude<ConsumerName, 'delivery'>, string>> = {
  pipeline:
    'The pipeline cannot be set back: it would store and count events a second time once their message IDs are older than 24 hours, and nothing would come of it before. To send stored events again, replay them, or set back delivery.',
  profiles:
    'Profiles cannot be set back: they know which events they have, and would take none of them again. npm run rebuild-profiles makes them anew.',
  signals: 'Signals cannot be set back: advertising platforms would be told of conversions a second time.',
}

/** Thrown for a reset that would break a guarantee, or change nothing. Its message gives the reason. */
export class CannotReset extends Error {
  override readonly name = 'CannotReset'
}

/** The effect of resetting delivery. */
export type Reset = {
  places: readonly PlaceToReset[]
  /**
   * Number of events that are sent again, and of their deliveries, each to the destinations that were connected at that
   * time.
   */
  events: number
  sends: number
  /** When the first of these events was processed, epoch ms. */
  since: number
}

const readBytes = 4 * 1024 * 1024

type Counted = { from: number; events: number; sends: number; time: number }

/**
 * Counts the events of a partition before a position that were appended since a time, and their deliveries; undefined
 * if there are none.
 */
const count = async (
  reader: LogReader,
  partition: number,
  between: { begin: number; position: number },
  since: number,
): Promise<Counted | undefined> => {
  let found: Counted | undefined
  for (let offset = between.begin; offset < between.position; ) {
    const records = await reader.read(partition, offset, readBytes, 'addressed')
    if (records.length === 0) break
    for (const record of records) {
      offset = record.offset + 1
      if (record.offset >= between.position) break
      if (record.meta === '' || record.time < since) continue
      const meta = readStreamFacts(record.meta)
      if (meta === undefined || meta.producer !== undefined || meta.destinationIds.length === 0) continue
      found ??= { from: record.offset, events: 0, sends: 0, time: record.time }
      found.events += meta.count
      found.sends += meta.count * meta.destinationIds.length
    }
  }
  return found
}

/**
 * Computes the effect of resetting a consumer to a time (epoch ms; 0 for all that the log has). Changes nothing.
 *
 * @throws CannotReset, NothingRead, and ConsumerRuns while a process delivers, if processes share delivery
 */
export const planReset = async (
  { readers, journals, placesOf }: OpenConsumers,
  consumer: ConsumerName,
  since: number,
): Promise<Reset> => {
  if (consumer !== 'delivery') throw new CannotReset(refusals[consumer])
  if (journals.kind === 'database') await requireStopped(journals.relational, consumer)
  const positions = await placesOf(consumer)
  if (positions === undefined) throw new NothingRead('Nothing was delivered yet.')
  const { stream } = readers
  const begins = await stream.starts()
  const old = new Map((await stream.positionsBefore(since)).map(({ partition, offset }) => [partition, offset]))
  const places: PlaceToReset[] = []
  const sum = { events: 0, sends: 0, since: Number.POSITIVE_INFINITY }
  for (const { partition, offset: position } of positions) {
    const begin = Math.max(begins[partition] ?? 0, old.get(partition) ?? 0)
    const found = await count(stream, partition, { begin, position }, since)
    if (found === undefined) continue
    const incarnations = await stream.incarnations(partition)
    const before = incarnations.findLast(({ from }) => from < found.from) ?? incarnations[0]
    places.push({
      partition,
      offset: found.from,
      incarnation: before?.incarnation ?? '',
      note: sentAgainNote(position),
    })
    sum.events += found.events
    sum.sends += found.sends
    sum.since = Math.min(sum.since, found.time)
  }
  if (places.length === 0)
    throw new CannotReset(
      'Nothing was delivered since then that the log still keeps. A consumer cannot be set forward: events would be lost.',
    )
  return { places, ...sum }
}

/** Resets delivery, completely or not at all. @throws ConsumerRuns */
export const reset = async ({ journals }: OpenConsumers, { places }: Reset): Promise<void> => {
  if (journals.kind === 'files') resetJournalFile(journals.fileOf('delivery'), places)
  else await resetJournals(journals.relational, 'delivery', places)
}
