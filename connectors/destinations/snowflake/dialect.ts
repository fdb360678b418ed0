import { quoted } from '../../wire/snowflake/account.ts'
import { type Dialect, stageTable } from '../../wire/warehouse/dialect.ts'
import { extraColumn } from '../../wire/warehouse/event-rows.ts'
import { mergeNewer, mergeWhatIsNew } from '../../wire/warehouse/statements.ts'
import { cast, extraMember, fitOf, literal, member, textOf, typeOf } from './types.ts'

/** The table with the row that a load changes first, so that a second load waits. */
export const lockTable = 'tributary_lock'

/**
 * Returns the stored form of a name: in upper case, so that analysts need no quotes. A name with other letters than those
 * of ASCII needs quotes in any case, and stays as it is (docs.snowflake.com/en/sql-reference/identifiers-syntax).
 */
export const foldName = (name: string): string => (/^[\w$]*$/.test(name) ? name.toUpperCase() : name)

/** Returns a name that users wrote as this product has it: letters of ASCII without regard to case, as in SQL. */
export const plainName = (name: string): string => (/^[\w$]*$/.test(name) ? name.toLowerCase() : name)

/** Returns the name that has this stored form; undefined if there is none. */
const unfolded = (stored: string): string | undefined => {
  const name = plainName(stored)
  return foldName(name) === stored ? name : undefined
}

/**
 * Names that no column can have without quotes, since they are functions
 * (docs.snowflake.com/en/sql-reference/reserved-keywords: "Cannot be used as column name").
 */
const reserved = new Set(
  'current_date current_time current_timestamp current_user localtime localtimestamp constraint'.split(' '),
)

const column = (name: string): string => quoted(foldName(name))

const extra = column(extraColumn)

/**
 * Returns `extra_properties` after the change of a type: with the value of the column that does not convert, or without
 * the one that does.
 */
const movedExtra = (name: string, before: string, type: string): string => {
  const text = textOf(column(name), before)
  return `CASE WHEN ${column(name)} IS NOT NULL AND ${cast(text, type)} IS NULL
    THEN TO_VARIANT(OBJECT_INSERT(COALESCE(AS_OBJECT(${extra}), OBJECT_CONSTRUCT()), ${literal(name)}, TO_VARIANT(${text}), TRUE))
    ELSE ${extra} END`
}

/** Returns the assignment that takes a member out of `extra_properties`, where its column has the same value. */
const withoutMember = (name: string, type: string): string => {
  const rest = `OBJECT_DELETE(AS_OBJECT(${extra}), ${literal(name)})`
  return `${extra} = CASE WHEN ARRAY_SIZE(OBJECT_KEYS(${rest})) = 0 THEN NULL ELSE TO_VARIANT(${rest}) END
 WHERE ${column(name)} IS NOT NULL AND ${cast(extraMember(extra, name), type)} = ${column(name)}`
}

/** Returns the statement that runs a script. A name of a sync's table may have `$$`, which would end its text. */
const script = (text: string): string => `EXECUTE IMMEDIATE ${text.includes('$$') ? literal(text) : `$$${text}$$`}`

/** Returns statements as one, which the service also runs to its end without us. */
const block = (statements: readonly string[]): string => script(`\nBEGIN\n${statements.join(';\n')};\nEND\n`)

/** The statement that stages rows. `?` is a list of rows as JSON. */
export const stageStatement = (dialect: Pick<Dialect, 'table'>): string => {
  const texts = ['batch', 'table_name', 'mode', 'row_key', 'received_at', 'set_null']
  const given = (name: string): string => `GET(VALUE, ${literal(name)})`
  return `INSERT INTO ${dialect.table(stageTable)} (${texts.join(', ')}, place, bytes, row_values)
SELECT ${texts.map((name) => `${given(name)}::VARCHAR`).join(', ')}, ${given('place')}::NUMBER, ${given('bytes')}::NUMBER, ${given('row_values')}
  FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?)))`
}

/**
 * Returns the SQL of Snowflake for the tables of a schema. A load is a transaction that first changes the row of a
 * table for locks. A second load waits there, and then sees what the first one has committed
 * (docs.snowflake.com/en/sql-reference/transactions: READ COMMITTED, "Resource locking").
 */
export const createDialect = ({ database, schema }: { database: string; schema: string }): Dialect => {
  const table = (name: string): string => `${quoted(database)}.${quoted(schema)}.${column(name)}`
  const define = (columns: ReadonlyMap<string, string>, required: readonly string[] = []): string =>
    [...columns]
      .map(([name, type]) => `${column(name)} ${type}${required.includes(name) ? ' NOT NULL' : ''}`)
      .join(', ')
  const alter = (name: string): string => `ALTER TABLE ${table(name)}`
  const alone = (statement: string): string =>
    script(`
BEGIN
BEGIN TRANSACTION;
UPDATE ${table(lockTable)} SET HELD_AT = CURRENT_TIMESTAMP();
${statement};
COMMIT;
EXCEPTION WHEN OTHER THEN
ROLLBACK;
RAISE;
END
`)
  const self: Dialect = {
    column,
    table,
    literal,
    isReserved: (name) => reserved.has(name),
    types: { text: 'VARCHAR', number: 'NUMBER(38,10)', boolean: 'BOOLEAN', time: 'TIMESTAMP_TZ', json: 'VARIANT' },
    years: [1, 9999],
    fitOf,
    maxColumns: 1000,
    prepare: () => [
      // Copies of deleted rows are not kept.
      `CREATE TRANSIENT TABLE IF NOT EXISTS ${table(stageTable)} (batch VARCHAR, place NUMBER(38,0), table_name VARCHAR,
  mode VARCHAR, row_key VARCHAR, received_at VARCHAR, row_values VARIANT, set_null VARCHAR, bytes NUMBER(38,0))
  DATA_RETENTION_TIME_IN_DAYS = 0`,
      `CREATE TABLE IF NOT EXISTS ${table(lockTable)} AS SELECT CURRENT_TIMESTAMP() AS HELD_AT`,
    ],
    listColumns: () =>
      `SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, NUMERIC_PRECISION, NUMERIC_SCALE, CHARACTER_MAXIMUM_LENGTH
  FROM ${quoted(database)}.INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = ${literal(schema)} ORDER BY TABLE_NAME, ORDINAL_POSITION`,
    listed: ([found, name, type, precision, scale, length]) => {
      const [known, columnName] = [unfolded(found ?? ''), unfolded(name ?? '')]
      if (known === undefined || columnName === undefined || known === stageTable || known === lockTable)
        return undefined
      return { table: known, column: columnName, type: typeOf(type ?? '', [precision, scale, length]) }
    },
    createTable: (name, key, columns) => [
      `CREATE TABLE IF NOT EXISTS ${table(name)} (${define(columns, [key, 'received_at'])})`,
    ],
    addColumns: (name, columns) => [`${alter(name)} ADD COLUMN ${define(columns)}`],
    member,
    cast,
    contains: (text, part) => `CONTAINS(${text}, ${literal(part)})`,
    insertNew: (rows) => [alone(mergeWhatIsNew(self, rows))],
    merge: (rows) => [alone(mergeNewer(self, rows))],
    dropBatches: (batches) => [`DELETE FROM ${table(stageTable)} WHERE batch IN (${batches.map(literal).join(', ')})`],
    deleteRows: (name, condition) => [`DELETE FROM ${table(name)} WHERE ${condition}`],
    text: textOf,
    extraMember: (name) => extraMember(extra, name),
    changeType: ({ table: name, column: changed, columns, type }) => {
      const [made, old] = [`${changed}__new`, `${changed}__old`]
      const before = columns.get(changed) ?? ''
      const found = extraMember(extra, changed)
      return [
        `${alter(name)} DROP COLUMN IF EXISTS ${column(made)}`,
        `${alter(name)} DROP COLUMN IF EXISTS ${column(old)}`,
        `${alter(name)} ADD COLUMN ${define(new Map([[made, type]]))}`,
        `UPDATE ${table(name)} SET ${column(made)} = ${cast(`COALESCE(${textOf(column(changed), before)}, ${found})`, type)},
  ${extra} = ${movedExtra(changed, before, type)}
 WHERE ${column(changed)} IS NOT NULL OR ${cast(found, type)} IS NOT NULL`,
        block([
          `${alter(name)} RENAME COLUMN ${column(changed)} TO ${column(old)}`,
          `${alter(name)} RENAME COLUMN ${column(made)} TO ${column(changed)}`,
        ]),
        `${alter(name)} DROP COLUMN IF EXISTS ${column(old)}`,
        // Only now: until the new column has its name, a repetition makes it again of these members.
        `UPDATE ${table(name)} SET ${withoutMember(changed, type)}`,
      ]
    },
    renameColumn: ({ table: name, column: renamed, name: to }) => [
      `${alter(name)} RENAME COLUMN ${column(renamed)} TO ${column(to)}`,
    ],
    dropColumn: ({ table: name, column: dropped }) => [`${alter(name)} DROP COLUMN IF EXISTS ${column(dropped)}`],
  }
  return self
}
