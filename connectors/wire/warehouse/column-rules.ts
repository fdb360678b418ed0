import { ExactNumber } from '@tributary/connector-kit'
import type { Dialect, ValueKind } from './dialect.ts'
import { extraColumn } from './event-rows.ts'
import { isTime, textFor } from './fit.ts'
import type { ColumnRules } from './tables.ts'

const times = new Set(['received_at', 'sent_at', 'timestamp', 'original_timestamp'])

const kindFor = ({ years }: Pick<Dialect, 'years'>, value: unknown): ValueKind => {
  if (typeof value === 'number' || value instanceof ExactNumber) return 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'object') return 'json'
  return typeof value === 'string' && isTime(value, years) ? 'time' : 'text'
}

/** Returns the column types of a warehouse, and what fits them. Values become texts, which SQL casts to the type. */
export const rulesOf = (dialect: Dialect): ColumnRules => ({
  typeFor: (value) => dialect.types[kindFor(dialect, value)],
  fitTo: (type, value) => {
    const fit = dialect.fitOf(type)
    const text = fit === undefined ? undefined : textFor(fit, value, dialect.years)
    return text === undefined ? undefined : { value: text }
  },
  firstColumns: (names) =>
    new Map([
      ...names.map((name): [string, string] => [name, times.has(name) ? dialect.types.time : dialect.types.text]),
      [extraColumn, dialect.types.json],
    ]),
  extraType: dialect.types.json,
  maxColumns: dialect.maxColumns,
})
