import {
  type CursorKind,
  cursorKindOf,
  type Model,
  type RunCursor,
  type SyncCursor,
  type SyncMode,
  syncCursor,
  usualOverlap,
} from '@tributary/contract'
import { utcTime } from '../../lib/format/time.ts'

/** The entered values of a cursor. */
export type CursorDraft = { column: string; overlap: string }

/** The columns of a model that can be a cursor. */
export const cursorColumns = ({
  columns,
}: Pick<Model, 'columns'>): { name: string; type: string; kind: CursorKind }[] =>
  columns.flatMap(({ name, type }) => {
    const kind = cursorKindOf(type)
    return kind === undefined ? [] : [{ name, type, kind }]
  })

/** Returns a cursor on a column, with the usual overlap for the kind of the column. */
export const cursorBy = ({ name, kind }: { name: string; kind: CursorKind }): CursorDraft => ({
  column: name,
  overlap: String(usualOverlap[kind]),
})

/**
 * Returns the suggested cursor: the column with the time of the last change, otherwise the first column with a time,
 * otherwise the first column with a number.
 */
export const suggestedCursor = (model: Pick<Model, 'columns'>): CursorDraft | undefined => {
  const columns = cursorColumns(model)
  const times = columns.filter(({ kind }) => kind !== 'number')
  const found = times.find(({ name }) => /updat|modif|chang/i.test(name)) ?? times[0] ?? columns[0]
  return found && cursorBy(found)
}

/** Returns a saved cursor in the form in which a user edits it. */
export const cursorDraftOf = (cursor: SyncCursor | null): CursorDraft | undefined =>
  cursor === null ? undefined : { column: cursor.column, overlap: String(cursor.overlap) }

/** Returns the cursor that a user has entered, or undefined if it is invalid. */
export const cursorInput = ({ column, overlap }: CursorDraft): SyncCursor | undefined =>
  /^\d+$/.test(overlap.trim()) ? syncCursor.safeParse({ column, overlap: Number(overlap) }).data : undefined

/** Whether a sync in this mode may read only some of the rows. A mode that removes rows must read all. */
export const modeTakesCursor = (mode: SyncMode | undefined): boolean => mode !== 'FULL_SYNC'

const valueText = (value: string): string => (/^\d{4}-\d\d-\d\dT/.test(value) ? utcTime(value) : value)

/** Describes the range that a run read by its cursor, and where the next run starts. */
export const runCursorText = ({ column, from, to, moved }: RunCursor, ended: boolean): string => {
  const read =
    from === null
      ? `All rows were read. ${to === null ? `None has a value in ${column}.` : `The highest value of ${column} was ${valueText(to)}.`}`
      : `Rows were read from ${column} ${valueText(from)}${to === null ? '. None has a value.' : ` to ${valueText(to)}.`}`
  if (!ended || to === null) return read
  return `${read} ${moved ? 'The next run continues from there.' : `The next run reads ${from === null ? 'all rows' : 'the same rows'} again.`}`
}
