import { ConfigurationError } from '@tributary/connector-kit'
import type { Client } from 'pg'
import { stateOf } from '../../wire/postgresql/failures.ts'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import { extraColumn } from '../../wire/warehouse/event-rows.ts'
import { type ColumnRules, type Columns, type ColumnType, maxTables, type Tables } from '../../wire/warehouse/tables.ts'
import { fitTo, typeFor } from './values.ts'

/** Maximum columns of one table for events; further properties are stored in `extra_properties`. */
export const maxColumns = 400
/**
 * Whether another connection created the same table (42P07), column (42701), schema (42P06), or name of one (23505,
 * 42710) at the same time.
 */
const isRace = (error: unknown): boolean => ['42P07', '42701', '42710', '23505', '42P06'].includes(stateOf(error))

/**
 * Creates the cache of the tables of a schema, which can also change them. Definitions are committed one by one,
 * outside of transactions.
 */
export const createTables = (client: Client, schema: string): Tables => {
  const known = new Map<string, Columns>()
  let count: number | undefined
  let hasSchema = false

  const change = async (statement: string): Promise<void> => {
    try {
      await client.query(statement)
    } catch (error) {
      if (!isRace(error)) throw error
      // Another connection has created the same object in the meantime. With `if not exists`, the repeated statement
      // does nothing.
      await client.query(statement)
    }
  }

  const look = async (table: string): Promise<Columns | undefined> => {
    const { rows } = await client.query<{ name: string; type: string }>(
      `select a.attname as name, format_type(a.atttypid, null) as type
         from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = $1 and c.relname = $2 and a.attnum > 0 and not a.attisdropped`,
      [schema, table],
    )
    if (rows.length === 0) return undefined
    const columns = new Map(rows.map(({ name, type }) => [name, type]))
    known.set(table, columns)
    return columns
  }

  /**
   * Creates the schema if it is missing. It is looked up first, because `create schema if not exists` needs a privilege
   * even if the schema exists.
   */
  const ensureSchema = async (): Promise<void> => {
    if (hasSchema) return
    const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema])
    if (rowCount === 0)
      await change(`create schema if not exists ${quoted(schema)}`).catch((error: unknown) => {
        if (stateOf(error) !== '42501') throw error
        throw new ConfigurationError(
          `The schema ${schema} does not exist and the user can't create it; see the setup guide`,
        )
      })
    hasSchema = true
  }

  const definition = ([name, type]: [string, ColumnType]): string => `${quoted(name)} ${type}`

  const reload = async (table: string): Promise<Columns> => (await look(table)) ?? new Map()

  return {
    columns: async (table) => known.get(table) ?? (await look(table)),
    hasRoom: async () => {
      if (count === undefined) {
        const { rows } = await client.query<{ count: string }>(
          `select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = $1 and c.relkind in ('r', 'p')`,
          [schema],
        )
        count = Number(rows[0]?.count ?? 0)
      }
      return count < maxTables
    },
    create: async (table, key, columns) => {
      await ensureSchema()
      const definitions = [...columns].map(definition)
      await change(
        `create table if not exists ${quoted(schema)}.${quoted(table)} (${definitions.join(', ')}, primary key (${quoted(key)}))`,
      )
      if (count !== undefined) count++
      return await reload(table)
    },
    add: async (table, columns) => {
      const additions = [...columns].map((column) => `add column if not exists ${definition(column)}`)
      await change(`alter table ${quoted(schema)}.${quoted(table)} ${additions.join(', ')}`)
      return await reload(table)
    },
    forget: () => {
      known.clear()
      count = undefined
      hasSchema = false
    },
  }
}

/** Returns the first columns of every table for events. */
const firstColumns = (names: readonly string[]): Columns => {
  const times = new Set(['received_at', 'sent_at', 'timestamp', 'original_timestamp'])
  const standard = names.map((name): [string, ColumnType] => [
    name,
    times.has(name) ? 'timestamp with time zone' : 'text',
  ])
  return new Map([...standard, [extraColumn, 'jsonb']])
}

/** The column types of PostgreSQL, and the values that fit them. */
export const rules: ColumnRules = { typeFor, fitTo, firstColumns, extraType: 'jsonb', maxColumns }
