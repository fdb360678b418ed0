import type { Pool } from 'pg'
import { columnTypes } from './column-types.ts'

/** A column as the catalog of PostgreSQL has it; `check` is a condition that names only this column. */
type Column = {
  table: string
  name: string
  type: string
  nullable: boolean
  has_default: boolean
  generated: boolean
  check: string | null
}

const columnsText = `
select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable, a.atthasdef as has_default,
  a.attgenerated <> '' or a.attidentity = 'a' as generated,
  (select pg_get_constraintdef(n.oid) from pg_constraint n where n.conrelid = c.oid and n.contype = 'c' and n.conkey = array[a.attnum]
     and pg_get_constraintdef(n.oid) ~ 'ARRAY\\[' order by n.oid limit 1) as check
from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
order by c.relname, a.attnum`

/**
 * The TypeScript types of a column, by its PostgreSQL type: the type of read values, and the type of further values
 * that can be written.
 */
const valueTypes: Readonly<Record<string, readonly [read: string, written?: string]>> = {
  boolean: ['boolean'],
  bytea: ['Uint8Array'],
  bigint: ['string', 'number'],
  date: ['string'],
  'double precision': ['number'],
  integer: ['number'],
  real: ['number'],
  smallint: ['number'],
  numeric: ['string', 'number'],
  text: ['string'],
  'timestamp with time zone': ['Date', 'string'],
  uuid: ['string'],
  xid8: ['string'],
}

/** Returns the values that a check allows as a union type; undefined if the check does not list values. */
const unionOf = (check: string | null): string | undefined => {
  const list = check?.split('= ANY (ARRAY[')[1]?.split('])')[0]
  return list?.match(/'[^']*'/g)?.join(' | ')
}

/** Returns the Kysely type of a column. Throws for a PostgreSQL type that is not in `valueTypes`. */
const typeOf = (column: Column): string => {
  const given = columnTypes[`${column.table}.${column.name}`]
  const isList = column.type.endsWith('[]')
  const [read, written] = valueTypes[column.type.replace('[]', '')] ?? []
  if (read === undefined && given === undefined)
    throw new Error(`${column.table}.${column.name} is ${column.type}: name its type in column-types.ts`)
  const value = given ?? unionOf(column.check) ?? (isList ? `${read}[]` : (read ?? ''))
  if (/^(?:ColumnType|JSONColumnType)</.test(value)) return value
  const whole = column.nullable ? `${value} | null` : value
  const isOptional = column.has_default || column.nullable
  if (column.generated) return `ColumnType<${whole}, never, never>`
  if (written !== undefined && !isList)
    return `ColumnType<${whole}, ${whole} | ${written}${isOptional ? ' | undefined' : ''}, ${whole} | ${written}>`
  return column.has_default ? `Generated<${whole}>` : whole
}

/** Returns the SQL comments on tables and columns, by `table` and `table.column`. */
const commentsOf = (statements: string): Map<string, string> => {
  const comments = new Map<string, string>()
  let table = ''
  let above: string[] = []
  for (const line of statements.split('\n')) {
    const comment = /^\s*-- (.*)$/.exec(line)?.[1]
    if (comment !== undefined) {
      above.push(comment)
      continue
    }
    const named = /^(?:create (?:unlogged )?table|alter table) (\w+)/.exec(line)?.[1]
    const column = /^ {2}(?:add column )?(\w+) /.exec(line)?.[1]
    if (named !== undefined) table = named
    const name = named ?? (table === '' || column === undefined ? undefined : `${table}.${column}`)
    if (name !== undefined && above.length > 0 && !line.startsWith('alter')) comments.set(name, above.join(' '))
    if (line.startsWith(')')) table = ''
    above = []
  }
  return comments
}

const docOf = (comment: string | undefined, indent: string): string =>
  comment === undefined ? '' : `${indent}/** ${comment} */\n`

/**
 * Returns the types of all tables, for the query builder. The types follow from the catalog, from `columnTypes`, and
 * from the comments in the statements of the migrations.
 */
export const generateSchema = async (pool: Pick<Pool, 'query'>, statements: string): Promise<string> => {
  const { rows } = await pool.query<Column>(columnsText)
  const comments = commentsOf(statements)
  const tables = [...Map.groupBy(rows, ({ table }) => table)]
  const typeName = (table: string): string =>
    `${table.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Table`
  const types = tables.map(([table, columns]) => {
    const members = columns.map(
      (column) => `${docOf(comments.get(`${table}.${column.name}`), '  ')}  ${column.name}: ${typeOf(column)}\n`,
    )
    return `${docOf(comments.get(table), '')}export type ${typeName(table)} = {\n${members.join('')}}\n`
  })
  const all = tables.map(([table]) => `  ${table}: ${typeName(table)}\n`)
  return [
    `// Generated from the migrations by vitest run --project unit generate-schema -u\n`,
    `import type { ColumnType, Generated, JSONColumnType } from 'kysely'\n\n`,
    `${types.join('\n')}\n`,
    `/** The tables of the relational store. */\nexport type Database = {\n${all.join('')}}\n`,
  ].join('')
}
