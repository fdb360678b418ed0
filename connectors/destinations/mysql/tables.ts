import { ask, textsOf } from '../../wire/mysql/ask.ts'
import type { GuardedConnection } from '../../wire/mysql/connect.ts'
import { errorNumber } from '../../wire/mysql/failures.ts'
import { quoted, textLiteral } from '../../wire/mysql/identifiers.ts'
import type { Column } from './values.ts'

/** Maximum columns that a table can have after columns were added. */
const maxColumns = 400
/** Maximum time for a change of a table, or for a statement, in ms. */
export const statementMs = 40_000

/** A table: its columns by name, and the columns that identify its rows. */
export type Table = {
  columns: ReadonlyMap<string, Column>
  primary: string | undefined
  unique: ReadonlySet<string>
  hasRoom: boolean
}

/** The tables of a database, cached per connection. */
export type Tables = {
  /** Returns a table; undefined if the table does not exist. */
  find(table: string): Promise<Table | undefined>
  /** Creates a table with its first columns and the primary key `key`, or adds columns; existing columns stay. */
  extend(table: string, key: string, columns: ReadonlyMap<string, string>): Promise<Table | undefined>
  /** Empties the cache, so that tables are read again. */
  forget(): void
}

/** Whether another connection created the same table or column at the same time. */
const isRace = (error: unknown): boolean => [1050, 1060].includes(errorNumber(error))

const numberOf = (text: string | null | undefined): number | undefined =>
  text === null || text === undefined ? undefined : Number(text)

const columnOf = ([, type, whole, characters, digits, places, ...more]: (string | null)[]): Column => {
  const [collation, characterSet, fraction] = more
  const bounds = {
    characters: numberOf(characters),
    digits: numberOf(digits),
    places: numberOf(places),
    collation: collation ?? undefined,
    characterSet: characterSet ?? undefined,
    fraction: numberOf(fraction),
  }
  const known = Object.entries(bounds).filter(([, bound]) => bound !== undefined)
  return {
    type: (type ?? '').toLowerCase(),
    unsigned: whole?.includes('unsigned') === true,
    ...Object.fromEntries(known),
  }
}

/**
 * Creates the cache of the tables of the connection's database, which can also change them. The server commits each
 * change of a table separately.
 */
export const createTables = (guarded: GuardedConnection): Tables => {
  const known = new Map<string, Table>()

  const look = async (name: string): Promise<Table | undefined> => {
    const where = `table_schema = database() and table_name = ${textLiteral(name)}`
    const found = await ask(
      guarded,
      `select column_name, data_type, column_type, character_maximum_length, numeric_precision, numeric_scale,
              collation_name, character_set_name, datetime_precision
         from information_schema.columns where ${where}`,
      statementMs,
    )
    const indexes = await ask(
      guarded,
      `select index_name, min(column_name) from information_schema.statistics
        where ${where} and non_unique = 0 group by index_name having count(*) = 1`,
      statementMs,
    )
    if (found.rows.length === 0) return undefined
    const columns = new Map(
      found.rows.map((row): [string, Column] => {
        const texts = textsOf(row)
        return [texts[0] ?? '', columnOf(texts)]
      }),
    )
    const unique = indexes.rows.map(textsOf)
    const table = {
      columns,
      primary: unique.find(([index]) => index === 'PRIMARY')?.[1] ?? undefined,
      unique: new Set(unique.map(([, column]) => column ?? '')),
      hasRoom: columns.size < maxColumns,
    }
    known.set(name, table)
    return table
  }

  return {
    find: async (name) => known.get(name) ?? (await look(name)),
    extend: async (name, key, columns) => {
      const there = await look(name)
      const missing = [...columns].filter(([column]) => there?.columns.has(column) !== true)
      const definitions = missing.map(([column, definition]) => `${quoted(column)} ${definition}`)
      const statement =
        there === undefined
          ? `create table ${quoted(name)} (${[...definitions, `primary key (${quoted(key)})`].join(', ')})
               default character set utf8mb4`
          : `alter table ${quoted(name)} ${definitions.map((definition) => `add column ${definition}`).join(', ')}`
      if (missing.length > 0)
        await ask(guarded, statement, statementMs).catch((error: unknown) => {
          if (!isRace(error)) throw error
        })
      return await look(name)
    },
    forget: () => known.clear(),
  }
}
