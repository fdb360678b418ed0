import { existsSync } from 'node:fs'
import { type Logger, randomToken } from '@tributary/kernel'
import { LeaseLost } from '../../coordination/postgres/leases.ts'
import { openRelational, type Relational } from '../../relational/open.ts'
import { deduplicationWindowMs, type JournalOptions, openJournal } from '../file-journal/journal.ts'
import { openSeenIdsFile } from '../file-journal/seen-ids-file.ts'
import { createSeenIncarnations } from '../incarnations.ts'
import type { ConsumerJournal, JournalPlace, JournalRange, SeenId } from '../journal-port.ts'
import { openingStep, openText, writeText } from './journal-sql.ts'

export type PostgresJournalOptions = JournalOptions & {
  /** See `openRelational`. */
  url: string
  /** The consumer of the journal. */
  consumer: string
  /** The tenure in which the journal is written. */
  lease: { name: string; epoch: number }
  /** Called once when another tenure, or another opening, has begun, so that no write is possible any more. */
  onLost?: (error: Error) => void
  logger: Logger
  /** Maximum time of a statement, ms. */
  statementMs?: number
}

type Range = JournalRange & Pick<JournalPlace, 'incarnation'>

/** The changes of one write. */
type Change = {
  file?: string
  positions?: readonly (readonly [partition: number, place: JournalPlace])[]
  notes?: ReadonlyMap<number, string>
  /** Ranges of a partition that end at a place, or are dropped after it. */
  ends?: readonly { partition: number; place: number; isDropped: boolean }[]
  ranges?: readonly Range[]
  ids?: { all: readonly SeenId[]; now: number }
}

const parametersOf = ({ file, positions = [], notes, ends = [], ranges = [], ids }: Change): unknown[] => {
  const unstored = (ids?.all ?? []).filter((id) => id.unstored)
  return [
    file ?? null,
    ids !== undefined,
    positions.map(([partition]) => partition),
    positions.map(([, { offset }]) => offset),
    positions.map(([, { incarnation }]) => incarnation ?? null),
    [...(notes?.keys() ?? [])],
    [...(notes?.values() ?? [])],
    ends.map(({ partition }) => partition),
    ends.map(({ place }) => place),
    ends.map(({ isDropped }) => isDropped),
    ranges.map(({ partition }) => partition),
    ranges.map(({ from }) => from),
    ranges.map(({ to }) => to),
    ranges.map(({ token }) => token),
    ranges.map(({ incarnation }) => incarnation ?? null),
    unstored.map(({ hash }) => Buffer.from(hash)),
    unstored.map(({ partition }) => partition),
    unstored.map(({ offset }) => offset),
    unstored.map(({ index }) => index),
    ids?.now ?? 0,
  ]
}

/** Creates the state of the journal in memory, which is valid because it has one owner. */
const createKnown = () => {
  const places = new Map<number, JournalPlace>()
  const notes = new Map<number, string>()
  let ranges: Range[] = []
  const isOver = ({ partition, to }: Range, ends: NonNullable<Change['ends']>): boolean =>
    ends.some((end) => end.partition === partition && (end.isDropped ? to > end.place : to <= end.place))
  return {
    places,
    notes,
    ranges: () => ranges,
    apply(change: Change): void {
      for (const [partition, place] of change.positions ?? []) places.set(partition, place)
      for (const [partition, note] of change.notes ?? []) notes.set(partition, note)
      const { ends = [] } = change
      if (ends.length > 0) ranges = ranges.filter((range) => !isOver(range, ends))
      const isThere = ({ token, partition }: Range): boolean =>
        ranges.some((range) => range.token === token && range.partition === partition)
      ranges = [...ranges, ...(change.ranges ?? []).filter((range) => !isThere(range))]
    },
  }
}

type Known = ReturnType<typeof createKnown>

/** Reads the whole journal. */
const load = async (pool: Relational['pool'], consumer: string, known: Known): Promise<void> => {
  const positions = await pool.query<{ partition: number; next: string; incarnation: string | null }>(
    'select partition, next::text, incarnation from journal_positions where consumer = $1 order by partition',
    [consumer],
  )
  const notes = await pool.query<{ partition: number; note: string }>(
    'select partition, note from journal_notes where consumer = $1 order by partition',
    [consumer],
  )
  const ranges = await pool.query<{
    partition: number
    first: string
    behind: string
    token: string
    incarnation: string | null
  }>(
    `select partition, first::text, behind::text, token, incarnation from journal_ranges where consumer = $1
     order by serial, place`,
    [consumer],
  )
  known.apply({
    positions: positions.rows.map(({ partition, next, incarnation }) => [
      partition,
      { offset: Number(next), incarnation: incarnation ?? undefined },
    ]),
    notes: new Map(notes.rows.map(({ partition, note }) => [partition, note])),
    ranges: ranges.rows.map(({ partition, first, behind, token, incarnation }) => ({
      partition,
      from: Number(first),
      to: Number(behind),
      token,
      incarnation: incarnation ?? undefined,
    })),
  })
}

/** The state of an older journal in a file, from before journals were stored here; undefined if it is empty. */
const readFile = (options: JournalOptions): Change | undefined => {
  if (!existsSync(options.file)) return undefined
  const before = openJournal(options)
  try {
    if (before.fresh) return undefined
    const ends = before.openEnds()
    return {
      positions: [...before.places()],
      notes: before.notes(),
      ranges: before.openRanges().map((range, at) => ({ ...range, incarnation: ends[at]?.incarnation })),
    }
  } finally {
    before.close()
  }
}

/** Executes writes one after the other. */
const createWriting = (
  pool: Relational['pool'],
  { consumer, lease, onLost }: PostgresJournalOptions,
  opened: number,
  known: Known,
) => {
  let serial = opened
  let last: Promise<unknown> = Promise.resolve()
  let lost: Error | undefined

  const lose = (why: Error): never => {
    if (lost === undefined) onLost?.(why)
    lost = why
    throw why
  }

  const run = async (at: number, change: Change): Promise<void> => {
    if (lost !== undefined) throw lost
    const { rows } = await pool.query<{ held: number; taken: number }>({
      name: 'journal-write',
      text: writeText,
      values: [lease.name, lease.epoch, consumer, at, ...parametersOf(change)],
    })
    if (rows[0]?.held !== 1)
      lose(new LeaseLost(`Another process has the lease ${lease.name} of the epoch ${lease.epoch}`))
    if (rows[0]?.taken !== 1) lose(new LeaseLost(`The journal of ${consumer} was opened again`))
    known.apply(change)
  }

  return {
    /** Returns the number of the next write. */
    next: () => ++serial,
    write(change: Change, at = ++serial): Promise<void> {
      const done = last.then(() => run(at, change))
      last = done.catch(() => {})
      return done
    },
  }
}

/**
 * Opens a consumer's journal in PostgreSQL, in the calling thread, within a tenure (`acquireLease`). Once the next
 * tenure has begun, it can write nothing more, however long the process was paused. Reads are from memory. Message IDs
 * are in a file of this thread, which may be lost or old. The file is trusted only if it has all IDs of all ranges that
 * were ever begun. Otherwise it is emptied, and `apart.lacksIds` is true. An older journal in that file, from before
 * journals were stored here, is imported.
 *
 * @throws LeaseLost when the tenure is over
 */
export const openPostgresJournal = async (options: PostgresJournalOptions): Promise<ConsumerJournal> => {
  const { url, consumer, lease, logger, statementMs = 5000 } = options
  const relational = openRelational({
    url,
    logger,
    maxConnections: 1,
    statementMs,
    applicationName: 'tributary journal',
  })
  try {
    return await openWith(options, relational)
  } catch (error) {
    await relational.close()
    throw error
  }

  async function openWith(given: PostgresJournalOptions, { pool, close }: Relational): Promise<ConsumerJournal> {
    const { rows } = await pool.query<{ serial: string; ids_file: string | null; ids_serial: string }>(openText, [
      lease.name,
      lease.epoch,
      consumer,
      openingStep,
    ])
    const [row] = rows
    if (row === undefined)
      throw new LeaseLost(`Another process has the lease ${lease.name} of the epoch ${lease.epoch}`)
    const known = createKnown()
    await load(pool, consumer, known)
    const writing = createWriting(pool, given, Number(row.serial), known)
    const isNew = known.places.size === 0 && known.ranges().length === 0 && known.notes.size === 0
    const before = isNew ? readFile(given) : undefined
    const file = openSeenIdsFile(given)
    const name = randomToken(12)
    if (before !== undefined) {
      file.call(name)
      await writing.write({ ...before, file: name })
    } else if (file.name !== undefined && file.name === row.ids_file && file.serial >= Number(row.ids_serial)) {
      // A clone of the file no longer has the current name.
      file.call(name)
      await writing.write({ file: name })
    } else file.empty()
    file.dropJournal()
    return journalOf({ ...given, pool, close, known, writing, file })
  }
}

type JournalParts = Omit<PostgresJournalOptions, 'file'> &
  Pick<Relational, 'pool' | 'close'> & {
    known: Known
    writing: ReturnType<typeof createWriting>
    file: ReturnType<typeof openSeenIdsFile>
  }

const journalOf = (parts: JournalParts): ConsumerJournal => {
  const { consumer, windowMs = deduplicationWindowMs, logger, pool, close, known, writing, file } = parts
  let seen = createSeenIncarnations(known.places)
  let lacksIds = file.name === undefined
  return {
    fresh: known.places.size === 0 && known.ranges().length === 0,
    places: () => new Map(known.places),
    positions: () => new Map([...known.places].map(([partition, { offset }]) => [partition, offset])),
    openEnds: () => known.ranges().map(({ partition, to, incarnation }) => ({ partition, offset: to, incarnation })),
    openRanges: () => known.ranges().map(({ partition, from, to, token }) => ({ partition, from, to, token })),
    notes: () => new Map(known.notes),
    saw: (records) => seen.saw(records),
    async rewind(partition, place) {
      await writing.write({
        positions: [[partition, place]],
        ends: [{ partition, place: place.offset, isDropped: true }],
      })
      seen = createSeenIncarnations(known.places)
    },
    firstSeen: (hash) => file.find(hash),
    async begin(ranges, ids, now) {
      const serial = writing.next()
      // IDs are added before the ranges: every stored range has its IDs in the file, or the file is not trusted.
      file.add(ids, now, serial)
      const carrying = ranges.map((range) => ({ ...range, incarnation: seen.before(range.partition, range.to) }))
      await writing.write({ ranges: carrying, ids: { all: ids, now } }, serial)
    },
    async commit(positions, notes) {
      await writing.write({
        positions: [...positions].map(([partition, offset]) => [
          partition,
          { offset, incarnation: seen.before(partition, offset) },
        ]),
        ...(notes === undefined ? {} : { notes }),
        ends: [...positions].map(([partition, place]) => ({ partition, place, isDropped: false })),
      })
    },
    apart: {
      lacksIds: () => lacksIds,
      async unstoredIds() {
        const { rows } = await pool.query<{ hash: Buffer; partition: number; record: string; index: number }>(
          'select hash, partition, record::text, index from journal_ids where consumer = $1',
          [consumer],
        )
        return rows.map(({ record, ...id }) => ({ ...id, offset: Number(record), unstored: true }))
      },
      async idsComplete() {
        const serial = writing.next()
        const name = randomToken(12)
        file.add([], 0, serial)
        file.call(name)
        await writing.write({ file: name, ids: { all: [], now: 0 } }, serial)
        lacksIds = false
      },
    },
    remember(ids, now) {
      if (ids.length > 0) file.add(ids, now)
    },
    async expire(now) {
      file.expire(now)
      await pool.query(
        'delete from journal_ids where consumer = $1 and seen_time < to_timestamp($2::bigint / 1000.0)',
        [consumer, now - windowMs],
      )
    },
    close() {
      file.close()
      close().catch((error: unknown) => logger.warn({ err: error, consumer }, 'The journal could not be closed'))
    },
  }
}
