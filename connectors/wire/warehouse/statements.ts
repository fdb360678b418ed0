import { type Dialect, type StagedRows, stageTable, type TypedColumn } from './dialect.ts'

const listOf = (dialect: Dialect, texts: readonly string[]): string => texts.map(dialect.literal).join(', ')

/** Returns the condition that a row of the stage belongs to the table and the batches. */
export const ofTable = (dialect: Dialect, { table, batches }: Pick<StagedRows, 'table' | 'batches'>): string =>
  `table_name = ${dialect.literal(table)} AND batch IN (${listOf(dialect, batches)})`

/** Returns the condition that a row is not older than the compared time. */
export const isSince = (dialect: Dialect, since: string): string =>
  `${dialect.column('received_at')} >= ${dialect.cast(dialect.literal(since.replace('T', ' ').replace('Z', '')), dialect.types.time)}`

const valueOf = (dialect: Dialect, { name, type }: TypedColumn): string => dialect.cast(dialect.member(name), type)

/** Returns a query of the staged rows, one for each key: the first one, or the last one. */
export const stagedRows = (dialect: Dialect, rows: StagedRows, which: 'first' | 'last'): string => {
  const direction = which === 'first' ? 'ASC' : 'DESC'
  return `(SELECT row_key, row_values, set_null, row_number() OVER (PARTITION BY row_key ORDER BY batch ${direction}, place ${direction}) AS copy
  FROM ${dialect.table(stageTable)} WHERE ${ofTable(dialect, rows)}) AS staged
 WHERE copy = 1`
}

const names = (dialect: Dialect, columns: readonly TypedColumn[]): string =>
  columns.map(({ name }) => dialect.column(name)).join(', ')

/** Returns a query of the keys that a table has since the compared time. */
const knownKeys = (dialect: Dialect, { table, key, since }: Pick<StagedRows, 'table' | 'key' | 'since'>): string =>
  `SELECT ${dialect.column(key)} FROM ${dialect.table(table)} WHERE ${isSince(dialect, since)} AND ${dialect.column(key)} IS NOT NULL`

/** Returns the statement that inserts what a table does not have. Only one such statement may run at a time. */
export const insertWhatIsNew = (dialect: Dialect, rows: StagedRows): string =>
  `INSERT INTO ${dialect.table(rows.table)} (${names(dialect, rows.columns)})
SELECT ${rows.columns.map((column) => valueOf(dialect, column)).join(', ')}
  FROM ${stagedRows(dialect, rows, 'first')}
   AND row_key NOT IN (${knownKeys(dialect, rows)})`

/** Returns the statement that merges what a table does not have. Concurrent statements insert each key once. */
export const mergeWhatIsNew = (dialect: Dialect, rows: StagedRows): string =>
  `MERGE INTO ${dialect.table(rows.table)} AS known
USING (SELECT row_key, ${rows.columns.map((column, at) => `${valueOf(dialect, column)} AS value_${at}`).join(', ')}
  FROM ${stagedRows(dialect, rows, 'first')}) AS given
ON known.${dialect.column(rows.key)} = given.row_key AND known.${isSince(dialect, rows.since)}
WHEN NOT MATCHED THEN INSERT (${names(dialect, rows.columns)})
VALUES (${rows.columns.map((_, at) => `given.value_${at}`).join(', ')})`

/** Returns the condition that a staged row has a value or a null for a column. */
export const isGiven = (dialect: Dialect, name: string): string =>
  `(${dialect.member(name)} IS NOT NULL OR ${dialect.contains('set_null', `|${name}|`)})`

/**
 * Returns the statement that inserts or updates the rows of one batch: of each key, its last row. An older row than the
 * one of the table changes nothing. Columns without a value keep theirs.
 */
export const mergeNewer = (dialect: Dialect, rows: StagedRows): string => {
  const { key, columns } = rows
  const [known, given] = [(name: string) => `known.${dialect.column(name)}`, (at: number) => `given.value_${at}`]
  const place = columns.findIndex(({ name }) => name === 'received_at')
  const keyType = columns.find(({ name }) => name === key)?.type
  // Rows of a sync come in their order.
  const isNewer =
    place === -1 ? '' : ` AND (${known('received_at')} IS NULL OR ${given(place)} >= ${known('received_at')})`
  const changes = columns.flatMap(({ name }, at) =>
    name === key
      ? []
      : [`${dialect.column(name)} = CASE WHEN given.given_${at} THEN ${given(at)} ELSE ${known(name)} END`],
  )
  // A row of a key alone changes nothing.
  const update = changes.length === 0 ? '' : `WHEN MATCHED${isNewer} THEN UPDATE SET ${changes.join(', ')}\n`
  const values = columns.map(
    (column, at) => `${valueOf(dialect, column)} AS value_${at}, ${isGiven(dialect, column.name)} AS given_${at}`,
  )
  return `MERGE INTO ${dialect.table(rows.table)} AS known
USING (SELECT row_key, ${values.join(', ')}
  FROM ${stagedRows(dialect, rows, 'last')}) AS given
ON ${known(key)} = ${keyType === undefined ? 'given.row_key' : dialect.cast('given.row_key', keyType)}
${update}WHEN NOT MATCHED THEN INSERT (${names(dialect, columns)})
VALUES (${columns.map((_, at) => given(at)).join(', ')})`
}

/** Returns the query that counts staged keys that a table does not have. */
export const countMissing = (dialect: Dialect, rows: Omit<StagedRows, 'columns'>, every = false): string =>
  `SELECT count(*) FROM ${dialect.table(stageTable)} WHERE ${ofTable(dialect, rows)} AND row_key NOT IN (${
    every ? `SELECT ${dialect.column(rows.key)} FROM ${dialect.table(rows.table)}` : knownKeys(dialect, rows)
  })`

/** Names of batches with rows of syncs begin so, behind those of events. */
export const rowsPrefix = 'rows-'

/**
 * Returns the query that lists staged batches with their rows, bytes, and the first and last time of receipt, in their
 * order.
 */
export const listBatches = (dialect: Dialect, limit: number): string =>
  `SELECT batch, count(*), sum(bytes), min(received_at), max(received_at) FROM ${dialect.table(stageTable)}
 WHERE batch < ${dialect.literal(rowsPrefix)} GROUP BY batch ORDER BY batch LIMIT ${limit}`

/** Returns the query that lists batches of rows that were staged before a time, by the name that one of then would have. */
export const listLeftOver = (dialect: Dialect, before: string, limit: number): string =>
  `SELECT DISTINCT batch FROM ${dialect.table(stageTable)} WHERE batch >= ${dialect.literal(rowsPrefix)} AND batch < ${dialect.literal(before)} LIMIT ${limit}`

/** Returns the query that lists the tables of batches, with their mode and number of rows. */
export const listStagedTables = (dialect: Dialect, batches: readonly string[]): string =>
  `SELECT table_name, mode, count(*) FROM ${dialect.table(stageTable)}
 WHERE batch IN (${listOf(dialect, batches)}) AND mode <> 'columns' GROUP BY table_name, mode ORDER BY table_name`

/** Returns the query of the columns that batches were staged for. */
export const listStagedColumns = (dialect: Dialect, batches: readonly string[]): string =>
  `SELECT row_values FROM ${dialect.table(stageTable)} WHERE batch IN (${listOf(dialect, batches)}) AND mode = 'columns' ORDER BY batch`

/** Returns the query of the staged rows whose values no longer fit a column. */
export const listUnfit = (
  dialect: Dialect,
  rows: Pick<StagedRows, 'table' | 'batches'>,
  { columns, limit }: { columns: readonly TypedColumn[]; limit: number },
): string => {
  const unfit = columns.map((column) => {
    const given = `${dialect.member(column.name)} IS NOT NULL`
    // To such a type nothing is cast.
    return dialect.fitOf(column.type) === undefined
      ? `(${given})`
      : `(${given} AND ${valueOf(dialect, column)} IS NULL)`
  })
  return `SELECT batch, place, mode, row_key, received_at, row_values, set_null, bytes FROM ${dialect.table(stageTable)}
 WHERE ${ofTable(dialect, rows)} AND (${unfit.join(' OR ')}) ORDER BY batch, place LIMIT ${limit}`
}

/** Returns the statements that remove single rows of a batch from the stage. */
export const dropPlaces = (dialect: Dialect, batch: string, places: readonly number[]): string[] =>
  dialect.deleteRows(stageTable, `batch = ${dialect.literal(batch)} AND place IN (${places.join(', ')})`)
