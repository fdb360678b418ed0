import { type RawBuilder, sql } from 'kysely'

const begins = /^\/\* prepared ([a-z-]+) \*\/ /

/**
 * Begins a statement that each connection prepares under this name, for frequent statements that take longer to plan
 * than to run. The text of a name must always be the same; only its parameters change, and one plan must fit all of
 * them.
 */
export const prepared = (name: string): RawBuilder<unknown> => sql.raw(`/* prepared ${name} */ `)

/** The name under which a statement is prepared, if any. */
export const preparedName = (text: string): string | undefined => begins.exec(text)?.[1]
