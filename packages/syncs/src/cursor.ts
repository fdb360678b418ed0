import { hash } from 'node:crypto'
import type { RowsFrom } from '@tributary/connector-kit'
import {
  type CursorKind,
  cursorKindOf,
  type DataColumn,
  type DataQuery,
  type RunCursor,
  runCursor,
  type SyncCursor,
  type SyncField,
  type SyncMode,
  syncCursor,
} from '@tributary/contract'
import { badRequest, readTimeText } from '@tributary/kernel'
import { z } from 'zod'

/**
 * The highest value of a cursor, with a hash of the data source, query, key, mapping and mode. The value applies only
 * while the hash is the same.
 */
const reached = z.object({ of: z.string(), to: z.string() })
type Reached = z.infer<typeof reached>

/** The range of rows that a run read by a cursor, with the same hash as in `reached`. */
const readCursor = runCursor.extend({ of: z.string() })
export type ReadCursor = z.infer<typeof readCursor>

type Row = { cursor: string | null }

/** Returns the cursor of a sync. */
export const cursorOf = ({ cursor }: Row): SyncCursor | null =>
  cursor === null ? null : syncCursor.parse(JSON.parse(cursor))

/** Returns the highest value that a sync has reached with its cursor. */
export const reachedOf = ({ cursor_reached }: { cursor_reached: string | null }): Reached | undefined =>
  cursor_reached === null ? undefined : reached.parse(JSON.parse(cursor_reached))

/**
 * Returns the range that a run read with its cursor. Undefined if the sync has no cursor, or the run has not read yet.
 */
export const readCursorOf = ({ cursor }: Row): ReadCursor | undefined =>
  cursor === null ? undefined : readCursor.parse(JSON.parse(cursor))

/** Returns the cursor of a run in the form of the API. */
export const presentRunCursor = (row: Row): RunCursor | null => {
  const found = readCursorOf(row)
  if (found === undefined) return null
  const { of: _, ...shown } = found
  return shown
}

/** Whether a run read all rows of its model, not only rows from a value on. */
export const readAll = (row: Row): boolean => (readCursorOf(row)?.from ?? null) === null

/**
 * Returns the highest value after a run that ended well. Undefined if there is no new value, so that the next run
 * starts from the same value as this one.
 */
export const reachedBy = (run: Row & { rerun_of: string | null }, repeated: boolean): Reached | undefined => {
  const { of, to = null } = readCursorOf(run) ?? {}
  return of === undefined || to === null || run.rerun_of !== null || repeated ? undefined : { of, to }
}

const number = /^(-?\d+)(\.\d*[1-9]\d*)?/

/** Returns a number rounded down to a whole number; undefined for any other text. */
const floorOf = (text: string): bigint | undefined => {
  if (/e/i.test(text)) {
    const value = Math.floor(Number(text))
    return Number.isFinite(value) ? BigInt(value) : undefined
  }
  const [, whole, fraction] = number.exec(text) ?? []
  if (whole === undefined) return undefined
  return fraction !== undefined && whole.startsWith('-') ? BigInt(whole) - 1n : BigInt(whole)
}

/**
 * Finds the highest of the added values, which are texts from a database. A time after `now` counts as `now`, because
 * it would otherwise hide all rows until that time. Texts that are not numbers or times, such as infinity, do not
 * count. The comparison of the database decides which run reads rows with such texts.
 */
export const createHighest = (kind: CursorKind, now: number) => {
  if (kind === 'number') {
    let highest: bigint | undefined
    return {
      add: (text: string): void => {
        const value = floorOf(text)
        if (value !== undefined && (highest === undefined || value > highest)) highest = value
      },
      value: (): string | null => highest?.toString() ?? null,
    }
  }
  let highest = ''
  return {
    add: (text: string): void => {
      const value = readTimeText(text) ?? ''
      if (value > highest) highest = value
    },
    value: (): string | null => {
      const most = new Date(now).toISOString()
      return highest === '' ? null : highest > most ? most : highest
    },
  }
}

/** Returns the value from which rows are read: the highest value minus the overlap. */
export const lowestOf = (kind: CursorKind, to: string, overlap: number): string => {
  if (kind === 'number') return (BigInt(to) - BigInt(overlap)).toString()
  const time = new Date(Math.max(Date.parse(to) - overlap * 60_000, 0)).toISOString()
  return kind === 'date' ? time.slice(0, 10) : time
}

/**
 * The settings of a cursor, and everything on which its value depends. With another mapping, all rows are read once.
 */
export type CursorGiven = {
  cursor: SyncCursor | null
  reached: Reached | undefined
  of: {
    dataSource: { id: string; settings: unknown }
    query: DataQuery
    primaryKey: readonly string[]
    fields: readonly SyncField[]
    mode: SyncMode
  }
  now: number
}

/**
 * Decides which rows of a model with these columns are read: all rows, or only rows from a value on. Pass each row to
 * `see`; afterwards, `noted` returns the range that was read, with its highest value. Throws 400 for a column that no
 * longer exists, or whose type has no highest value.
 */
export const startCursor = (columns: readonly DataColumn[], { cursor, reached: known, of, now }: CursorGiven) => {
  if (cursor === null) return undefined
  const { column, overlap } = cursor
  const place = columns.findIndex(({ name }) => name === column)
  const kind = cursorKindOf(columns[place]?.type ?? '')
  if (place === -1) throw badRequest('NO_CURSOR', `The model has no column ${column} any more, which is the cursor`)
  if (kind === undefined)
    throw badRequest(
      'NO_CURSOR',
      `The column ${column} is no longer a number, a date, or a time, so it can't be the cursor`,
    )
  const id = hash('sha256', JSON.stringify({ ...of, column, kind }))
  const value = known?.of === id ? lowestOf(kind, known.to, overlap) : undefined
  const highest = createHighest(kind, now)
  const from: RowsFrom | undefined =
    value === undefined
      ? undefined
      : { column, kind, value: kind === 'time' ? value.replace('T', ' ').replace('Z', '') : value }
  return {
    from,
    see: (row: readonly (string | null)[]): void => {
      const text = row[place] ?? null
      if (text !== null) highest.add(text)
    },
    noted: (): ReadCursor => ({ of: id, column, from: value ?? null, to: highest.value(), moved: false }),
  }
}
