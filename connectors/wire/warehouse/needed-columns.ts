import { ConfigurationError } from '@tributary/connector-kit'
import type { Dialect } from './dialect.ts'
import { extraColumn } from './event-rows.ts'
import type { Fit } from './fit.ts'
import type { Columns } from './tables.ts'

/** The columns that each table for events needs, with the kinds of values that their types must hold. */
const needed: Readonly<Record<string, readonly Fit['kind'][]>> = {
  id: ['text'],
  received_at: ['time'],
  [extraColumn]: ['text', 'json'],
}

/** Bytes that a column of keys needs at least, for the longest IDs of events and users. */
const leastBytes = 1024

/** Whether loads need a column with its type. */
export const isNeeded = (column: string): boolean => Object.hasOwn(needed, column)

/**
 * Throws ConfigurationError if a column that loads need has a type that does not hold its values. Without
 * this check, events would be lost: they would have no key, or no place for what does not fit.
 */
export const requireNeeded = ({ fitOf }: Dialect, table: string, columns: Columns): void => {
  for (const [name, kinds] of Object.entries(needed)) {
    const type = columns.get(name)
    const fit = type === undefined ? undefined : fitOf(type)
    const isShort = fit !== undefined && 'maxBytes' in fit && (fit.maxBytes ?? leastBytes) < leastBytes
    if (type !== undefined && (fit === undefined || isShort || !kinds.includes(fit.kind)))
      throw new ConfigurationError(
        `The column ${name} of the table ${table} has the type ${type}, which events can't have there. Rename the table, or give the column its type back`,
      )
  }
}
