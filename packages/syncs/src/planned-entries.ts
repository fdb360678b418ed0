import { type DeliveryMeta, outboundText } from '@tributary/contract'
import type { LogEntry } from '@tributary/storage'
import type { PlannedRecord, PlannedRow } from './planned-rows.ts'
import type { SyncStore } from './store.ts'

/** Number of rows per record of the stream. */
const rowsPerRecord = 50
/** Maximum number of rows of one append. */
const maxAtOnce = 4000
/** Maximum number of characters of one append. */
const charactersAtOnce = 1024 * 1024
/** Maximum number of rows per read. */
export const maxRowsRead = 10_000
/** Target size of a read in characters. */
const charactersRead = 4 * 1024 * 1024

export type Sending = {
  workspaceId: string
  sync: string
  run: string
  destinationId: string
  /** The object of the rows, and the field that identifies records. */
  object: string
  identifier: string
  planSize: number
  /** The offset from which outcomes may belong to this run. */
  outcomeOffset: number
}

/** Users who were deleted since a run started. */
export type DeletedUsers = {
  /** Returns whether a deleted user may have rows in the sync. */
  any(): Promise<boolean>
  /** Returns the given keys that belong to deleted users. */
  of(keys: readonly string[]): Promise<ReadonlySet<string>>
}

/** The content of one append: its entries, the number of its last planned row, and the numbers of omitted rows. */
export type PlannedEntries = { entries: LogEntry[]; end: number; leftOut: number[] }

export const producerOf = (sync: string): string => `sync ${sync}`

const metaOf = ({ workspaceId, sync, destinationId }: Sending, rows: number): string => {
  const meta: DeliveryMeta = {
    w: workspaceId,
    s: sync,
    d: [destinationId],
    n: rows,
    b: { k: 'sync', n: producerOf(sync) },
  }
  return JSON.stringify(meta)
}

const entryOf = (sending: Sending, rows: readonly PlannedRow[]): LogEntry => {
  const { workspaceId, run, object, identifier } = sending
  const texts = rows.map(({ number, key, operation, payload, key_json }) =>
    outboundText({
      recordId: `${run}.${number}`,
      operation,
      object,
      key,
      // A removal contains only its key.
      json: payload ?? `{${JSON.stringify(identifier)}:${key_json}}`,
    }),
  )
  return { key: workspaceId, meta: metaOf(sending, rows.length), body: Buffer.from(`[${texts.join(',\n')}]\n`) }
}

/** A part of the plan: a row, or a record of several rows. */
type Piece = { readonly last: number; readonly rows: number; readonly length: number }

/**
 * Creates a function that takes the parts of the plan after the row `behind` in their order, as many as fit in one
 * append. The next parts are read in advance.
 */
const takePieces = <Item extends Piece>(
  read: (after: number, limit: number) => Promise<readonly Item[]>,
  { run, planSize }: Sending,
  behind: number,
) => {
  let [end, atOnce] = [behind, 2 * rowsPerRecord]
  let here: readonly Item[] = []
  let ahead: Promise<readonly Item[]> | undefined
  const readNext = async (): Promise<readonly Item[]> => {
    const items = await read(end, Math.min(atOnce, planSize - end))
    const last = items.at(-1)
    if (last === undefined) throw new Error(`The plan of the run ${run} ends at ${end} of ${planSize}`)
    end = last.last
    const rows = items.reduce((sum, item) => sum + item.rows, 0)
    const length = items.reduce((sum, item) => sum + item.length, 1)
    atOnce = Math.max(20, Math.min(maxRowsRead, Math.floor((rows * charactersRead) / length)))
    return items
  }
  return async (): Promise<readonly Item[]> => {
    if (here.length === 0) {
      here = await (ahead ?? readNext())
      ahead = end < planSize ? readNext() : undefined
      // The promise is awaited later; until then, a rejection must not count as unhandled.
      ahead?.catch(() => {})
    }
    let [count, rows, length] = [0, 0, 0]
    for (const item of here) {
      rows += item.rows
      length += item.length
      if (count > 0 && (rows > maxAtOnce || length > charactersAtOnce)) break
      count++
    }
    const taken = here.slice(0, count)
    here = here.slice(count)
    return taken
  }
}

type Store = Pick<SyncStore, 'planned' | 'plannedRecords'>

/** Creates a function that takes the plan as complete records, which the event store builds. */
const takeRecords = (store: Store, sending: Sending, behind: number): (() => Promise<PlannedEntries>) => {
  const { run, object, identifier, workspaceId } = sending
  const metas = new Map<number, string>()
  const meta = (rows: number): string => {
    const known = metas.get(rows) ?? metaOf(sending, rows)
    metas.set(rows, known)
    return known
  }
  type Record = PlannedRecord & Piece
  const read = async (after: number, limit: number): Promise<Record[]> => {
    const records = await store.plannedRecords(run, { after, limit, together: rowsPerRecord, object, identifier })
    return records.map((record) => ({ ...record, length: record.body.length }))
  }
  const take = takePieces<Record>(read, sending, behind)
  return async () => {
    const records = await take()
    return {
      entries: records.map(({ rows, body }) => ({ key: workspaceId, meta: meta(rows), body })),
      end: records.at(-1)?.last ?? behind,
      leftOut: [],
    }
  }
}

/** Creates a function that takes the plan row by row, without the rows of deleted users. */
const takeRows = (
  store: Store,
  sending: Sending,
  behind: number,
  deleted: DeletedUsers,
): (() => Promise<PlannedEntries>) => {
  type Row = PlannedRow & Piece
  const read = async (after: number, limit: number): Promise<Row[]> => {
    const rows = await store.planned(sending.run, after, limit)
    return rows.map((row) => ({
      ...row,
      last: row.number,
      rows: 1,
      length: (row.payload?.length ?? 0) + row.key.length,
    }))
  }
  const take = takePieces<Row>(read, sending, behind)
  return async () => {
    const rows = await take()
    const gone = await deleted.of(rows.map(({ key }) => key))
    const isLeftOut = ({ key, operation }: Row): boolean => operation !== 'delete' && gone.has(key)
    const kept = rows.filter((row) => !isLeftOut(row))
    const entries: LogEntry[] = []
    for (let at = 0; at < kept.length; at += rowsPerRecord)
      entries.push(entryOf(sending, kept.slice(at, at + rowsPerRecord)))
    return {
      entries,
      end: rows.at(-1)?.number ?? behind,
      leftOut: rows.filter(isLeftOut).map(({ number }) => number),
    }
  }
}

/**
 * Creates a function that takes the planned rows after the row `behind` as entries of the stream. Each call takes the
 * next rows, as many as fit in one append. While no user was deleted since the run started, the event store builds
 * whole records, and no single row is handled here. Handling each row took more processor time than the rest of a run.
 */
export const takePlanned = (store: Store, sending: Sending, behind: number, deleted: DeletedUsers) => {
  let sent = behind
  let rowByRow = false
  let take = takeRecords(store, sending, behind)
  return async (): Promise<PlannedEntries> => {
    if (!rowByRow && (await deleted.any())) {
      rowByRow = true
      take = takeRows(store, sending, sent, deleted)
    }
    const taken = await take()
    sent = taken.end
    return taken
  }
}
