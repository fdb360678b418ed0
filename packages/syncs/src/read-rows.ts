import type { DataRow, RowColumn } from '@tributary/connector-kit'
import type { DataColumn, SyncField, SyncMode } from '@tributary/contract'
import { type CursorGiven, cursorOf, type ReadCursor, startCursor } from './cursor.ts'
import { readDataSource } from './data-sources/read.ts'
import { type SessionDeps, useDataSource } from './data-sources/use-session.ts'
import { stagedEvents } from './event-values.ts'
import { extractRows } from './extract.ts'
import { presentModel, readModel } from './models/read.ts'
import { type StagedRow, stagedRows } from './row-values.ts'
import type { SyncServices } from './services.ts'
import type { SyncStore } from './store.ts'
import { eventObjectOf } from './target.ts'
import { isList, type ValueKind, valueKindOf } from './value-kinds.ts'

export type ReadDeps = Pick<SyncServices, 'db' | 'clock'> & SessionDeps

type Given = {
  workspace_id: string
  model_id: string
  fields: readonly SyncField[]
  identifier: string
  mode: SyncMode
  /** The cursor as JSON text. */
  cursor: string | null
  /** The highest value of the cursor so far; undefined to read all rows. */
  reached: CursorGiven['reached']
  /** The source whose events the rows become; null if they do not become events. */
  source_id: string | null
  object: string
  object_name: string
  /** The ID of the sync to which the rows belong. */
  sync: string
  signal: AbortSignal
  withinMs: number
  /** Called at intervals with the number of rows read so far. */
  onRead?(rows: number): Promise<void>
}

/**
 * Creates the function that stages rows with some columns by a mapping, as rows of an object or as events of a source.
 * Throws MissingColumn if a column does not exist.
 */
export const stagingOf = (
  given: Pick<Given, 'source_id' | 'object' | 'object_name' | 'sync' | 'fields' | 'identifier'> & {
    primaryKey: readonly string[]
  },
): ((columns: readonly DataColumn[]) => (row: DataRow) => StagedRow) => {
  const { source_id, sync, object_name, primaryKey, fields, identifier } = given
  const object = source_id === null ? undefined : eventObjectOf(given.object)
  return (columns) =>
    object === undefined
      ? stagedRows(columns, { primaryKey, fields, identifier })
      : stagedEvents(columns, { sync, object, name: object_name, primaryKey, fields })
}

/**
 * Returns the kind of a column for the destination. Times of databases other than PostgreSQL may include a zero date,
 * which a column for times cannot store.
 */
const columnKindOf = (type: string): RowColumn['kind'] => {
  const kind = valueKindOf(type)
  return isList(type) || (kind === 'time' && !/^timestamp.* with(?:out)? /.test(type)) ? 'any' : kind
}

/** Returns the kinds of the fields in a mapping, and of the identifier. */
const kindsOf = (
  columns: readonly DataColumn[],
  { fields, identifier }: Pick<Given, 'fields' | 'identifier'>,
): { columns: RowColumn[]; keyKind: ValueKind } => {
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  const typed = fields.map(({ column, target }) => ({ name: target, type: types.get(column) ?? '' }))
  const keyType = typed.find(({ name }) => name === identifier)?.type ?? ''
  return {
    columns: typed.map(({ name, type }) => ({ name, kind: columnKindOf(type) })),
    keyKind: isList(keyType) ? 'text' : valueKindOf(keyType),
  }
}

type RowsRead = {
  read: number
  keyIsPrimary: boolean
  cursor: ReadCursor | undefined
  columns: readonly RowColumn[]
  keyKind: ValueKind
}

/**
 * Reads the current rows of a model and stages them under an ID. Returns the number of rows, whether the key at the
 * destination is the primary key, the range of the cursor, and the kinds of the fields. Rejects with the errors of
 * `useDataSource`, and with MissingColumn.
 */
export const readRows = async (
  deps: ReadDeps,
  store: Pick<SyncStore, 'stage'>,
  run: string,
  { workspace_id, model_id, fields, identifier, signal, withinMs, onRead, ...given }: Given,
): Promise<RowsRead> => {
  const row = await readModel(deps.db, workspace_id, model_id)
  const opened = await readDataSource(deps.db, workspace_id, row.data_source_id)
  const model = presentModel(row)
  const primaryKey = model.primary_key
  const object = given.source_id === null ? undefined : eventObjectOf(given.object)
  const of = {
    dataSource: { id: opened.id, settings: opened.settings },
    query: model.query,
    primaryKey,
    fields,
    mode: given.mode,
  }
  const reads = { cursor: cursorOf(given), reached: given.reached, of, now: deps.clock() }
  let reading: ReturnType<typeof startCursor>
  let kinds: ReturnType<typeof kindsOf> = { columns: [], keyKind: 'text' }
  const staging = stagingOf({ ...given, primaryKey, fields, identifier })
  const work = {
    model,
    onRead,
    reading: (columns: readonly DataColumn[]) => {
      reading = startCursor(columns, reads)
      return reading
    },
    staging: (columns: readonly DataColumn[]) => {
      kinds = kindsOf(columns, { fields, identifier })
      return staging(columns)
    },
  }
  const read = await useDataSource(deps, opened, signal, (session) => extractRows(session, store, run, work), withinMs)
  const cursor = reading?.noted()
  if (object !== undefined) return { read, keyIsPrimary: true, cursor, ...kinds }
  const [first, ...others] = primaryKey
  const identified = fields.find(({ target }) => target === identifier)?.column
  return { read, keyIsPrimary: others.length === 0 && first === identified, cursor, ...kinds }
}
