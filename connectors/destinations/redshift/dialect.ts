import { quoted } from '../../wire/postgresql/identifiers.ts'
import { asText, literal, textBytes, textMember, textType, tryCast } from '../../wire/redshift/super.ts'
import { type Dialect, type StagedRows, stageTable, type TypedColumn } from '../../wire/warehouse/dialect.ts'
import type { Fit } from '../../wire/warehouse/fit.ts'
import { insertWhatIsNew, isGiven, stagedRows } from '../../wire/warehouse/statements.ts'
import { changeTypeStatements, extraMember } from './change-type.ts'
import { stageColumns } from './insert-rows.ts'

/** Digits that an integer type always has room for. */
const digits: Readonly<Record<string, number>> = { smallint: 4, integer: 9, bigint: 18 }

const fitOf = (type: string): Fit | undefined => {
  const [, length] = /^character(?: varying)?\((\d+)\)$/.exec(type) ?? []
  if (length !== undefined) return { kind: 'text', maxBytes: Number(length) }
  const [, precision, scale] = /^numeric\((\d+),(\d+)\)$/.exec(type) ?? []
  if (precision !== undefined)
    return { kind: 'number', before: Number(precision) - Number(scale), after: Number(scale) }
  const before = digits[type]
  if (before !== undefined) return { kind: 'number', before, after: 0 }
  if (type === 'double precision' || type === 'real') return { kind: 'double' }
  if (type === 'boolean') return { kind: 'boolean' }
  if (type.startsWith('timestamp')) return { kind: 'time' }
  if (type === 'date') return { kind: 'date' }
  return type === 'super' ? { kind: 'json', maxBytes: textBytes } : undefined
}

/** Names of system columns, which no table can have. */
const reserved = new Set(['oid', 'tableoid', 'xmin', 'xmax', 'cmin', 'cmax', 'ctid', 'insertxid', 'deletexid'])

/**
 * A table has at most 1,600 columns, and a change of a type needs one more for a while.
 * Source: https://docs.aws.amazon.com/redshift/latest/dg/r_CREATE_TABLE_usage.html
 */
const maxColumns = 1590

/** Returns the statements of one transaction in which no other transaction writes to a table. */
const alone = (table: string, statements: readonly string[]): string[] => [
  'begin',
  `lock ${table}`,
  ...statements,
  'commit',
]

/**
 * Returns the SQL of Redshift for the tables of a schema. Redshift has no unique keys, so a transaction locks a table,
 * and then inserts what the table does not have. Times are in the session's time zone, which is UTC.
 */
export const createDialect = (schema: string): Dialect => {
  const table = (name: string): string => `${quoted(schema)}.${quoted(name)}`
  const stage = table(stageTable)
  const self: Dialect = {
    column: quoted,
    table,
    literal,
    isReserved: (name) => reserved.has(name),
    types: {
      text: textType,
      number: 'numeric(38,10)',
      boolean: 'boolean',
      time: 'timestamp with time zone',
      json: 'super',
    },
    years: [1000, 9999],
    fitOf,
    maxColumns,
    prepare: () => [`create table if not exists ${stage} (${stageColumns}) sortkey (batch)`],
    listColumns: () => `select c.relname, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)
  from pg_catalog.pg_attribute a, pg_catalog.pg_class c, pg_catalog.pg_namespace n
 where a.attrelid = c.oid and c.relnamespace = n.oid and n.nspname = ${literal(schema)} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
 order by 1, a.attnum`,
    listed: ([found, column, type]) =>
      found === null || found === undefined || found === stageTable
        ? undefined
        : { table: found, column: column ?? '', type: type ?? '' },
    createTable: (name, key, columns) => {
      const definitions = [...columns].map(
        ([column, type]) => `${quoted(column)} ${type}${[key, 'received_at'].includes(column) ? ' not null' : ''}`,
      )
      const sorted = columns.has('received_at') ? ' sortkey ("received_at")' : ''
      return [`create table if not exists ${table(name)} (${definitions.join(', ')})${sorted}`]
    },
    // Redshift adds one column with a statement.
    addColumns: (name, columns) =>
      [...columns].map(([column, type]) => `alter table ${table(name)} add column ${quoted(column)} ${type}`),
    member: (name) => textMember('row_values', name),
    cast: tryCast,
    contains: (text, part) => `position(${literal(part)} in ${text}) > 0`,
    insertNew: (rows) => alone(table(rows.table), [insertWhatIsNew(self, rows)]),
    merge: (rows) => alone(table(rows.table), mergeStatements(self, rows)),
    dropBatches: (batches) => [`delete from ${stage} where batch in (${batches.map(literal).join(', ')})`],
    deleteRows: (name, condition) => [`delete from ${table(name)} where ${condition}`],
    text: asText,
    extraMember,
    changeType: ({ table: name, column, columns, type }) =>
      changeTypeStatements({ schema, table: name }, { column, before: columns.get(column) ?? '', type }),
    renameColumn: ({ table: name, column, name: renamed }) => [
      `alter table ${table(name)} rename column ${quoted(column)} to ${quoted(renamed)}`,
    ],
    dropColumn: ({ table: name, column }) => [`alter table ${table(name)} drop column ${quoted(column)}`],
  }
  return self
}

/** Updates the rows of a batch that are not older than those of the table, and inserts those that it does not have. */
const mergeStatements = (dialect: Dialect, rows: StagedRows): string[] => {
  const { key, columns } = rows
  const target = dialect.table(rows.table)
  const known = (name: string): string => `${quoted(rows.table)}.${quoted(name)}`
  const value = ({ name, type }: TypedColumn, at: number): string =>
    `${tryCast(dialect.member(name), type)} as value_${at}`
  const staged = stagedRows(dialect, rows, 'last')
  const given = columns.map((column, at) => `${value(column, at)}, ${isGiven(dialect, column.name)} as given_${at}`)
  const changes = columns.flatMap(({ name }, at) =>
    name === key
      ? []
      : [`${quoted(name)} = case when given.given_${at} then given.value_${at} else ${known(name)} end`],
  )
  const place = columns.findIndex(({ name }) => name === 'received_at')
  // Rows of a sync come in their order.
  const isNewer =
    place === -1 ? '' : ` and (${known('received_at')} is null or given.value_${place} >= ${known('received_at')})`
  const keyType = columns.find(({ name }) => name === key)?.type ?? dialect.types.text
  const update = `update ${target} set ${changes.join(', ')}
  from (select row_key, ${given.join(', ')} from ${staged}) as given
 where ${known(key)} = ${tryCast('given.row_key', keyType)}${isNewer}`
  return [
    ...(changes.length === 0 ? [] : [update]),
    `insert into ${target} (${columns.map(({ name }) => quoted(name)).join(', ')})
select ${columns.map(({ name, type }) => tryCast(dialect.member(name), type)).join(', ')} from ${staged}
   and ${tryCast('row_key', keyType)} not in (select ${quoted(key)} from ${target} where ${quoted(key)} is not null)`,
  ]
}
