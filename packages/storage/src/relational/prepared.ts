import { type RawBuilder, sql } from 'kysely'

const begins = /^\/\* prepared ([a-z-]+) \*\/ /

/**
 * Begins a statement that each connection prepares under this name: a frequent one that finds rows by indexes runs
 * faster than it is planned. The text of a name is always the same. Only its parameters change, and one plan must be as
 * good as another for them.
 */
export const prepared = (name: string): RawBuilder<unknown> => sql.raw(`/* prepared ${name} */ `)

/** The name that a statement is prepared under, if any. */
export const preparedName = (text: string): string | undefined => begins.exec(text)?.[1]
