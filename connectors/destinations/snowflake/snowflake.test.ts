import { openEngine } from '../../wire/snowflake/testing-engine.ts'
import { startSnowflake, testAccess } from '../../wire/snowflake/testing-snowflake.ts'
import { type ConformancePeer, warehouseConformance } from '../../wire/warehouse/testing-conformance.ts'
import { defineSnowflake } from './definition.ts'
import { foldName } from './dialect.ts'

let origin: string | undefined

/** A peer that speaks the SQL API, and that loses requests or responses of statements. */
const openPeer = async (): Promise<ConformancePeer> => {
  const engine = await openEngine()
  let left = Number.POSITIVE_INFINITY
  let when: 'before' | 'after' = 'before'
  let statements = 0
  const known = new Set<string>()
  const lost = new Set<string>()
  /** Whether a request carries the statement that fails. The client sends it again, with the same ID. */
  const isLost = ({ method, path }: { method: string; path: string }): boolean => {
    const id = new URL(path, 'http://peer').searchParams.get('requestId')
    if (method !== 'POST' || id === null) return false
    if (!known.has(id)) {
      known.add(id)
      statements++
      if (--left === 0) lost.add(id)
    }
    return lost.has(id)
  }
  const peer = await startSnowflake({
    engine,
    cut: (request) => isLost(request) && when === 'before',
    after: (request) => isLost(request) && when === 'after',
  })
  origin = peer.origin
  let schemas = 0
  return {
    settings: async () => {
      const schema = `D${++schemas}`
      await engine.database.run(`CREATE SCHEMA "COMPANY"."${schema}"`)
      return { ...testAccess, schema }
    },
    query: async (settings, sql) => {
      const table = (name: string): string => `"COMPANY"."${String(settings.schema)}"."${foldName(name)}"`
      // DuckDB reads these two words as keywords in some places.
      const named = sql.replace(/\{(\w+)\}/g, (_, name) => table(name)).replace(/\b(at|before)\b/g, '"$1"')
      const { columns, rows } = await engine.database.run(named)
      return rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])))
    },
    failAt: (statement, moment) => {
      left = statement
      when = moment
    },
    statements: () => {
      const found = statements
      statements = 0
      return found
    },
    [Symbol.asyncDispose]: async () => {
      await peer[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

const column = (name: string): string => `"${foldName(name)}"`

warehouseConformance(
  'Snowflake',
  defineSnowflake(() => origin),
  {
    column,
    number: (name) => `regexp_replace(CAST(${column(name)} AS VARCHAR), '(\\.\\d*?)0+$', '\\1').rtrim('.')`,
    time: (name) => `strftime(${column(name)}, '%Y-%m-%d %H:%M:%S.%g')`,
    seconds: (name) => `CAST(floor(epoch(${column(name)})) AS BIGINT)`,
    flag: (name) => `CAST(${column(name)} AS VARCHAR)`,
    member: (name, member) => `json_extract_string(${column(name)}, '$."${member}"')`,
  },
  openPeer,
)
