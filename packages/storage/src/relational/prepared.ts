import { type RawBuilder, sql } from 'kysely'

const begins = /^\/\* prepared ([a-z-]+) \*\/ /

/**
 * Begins a statement that each connection prepares under this name: what is asked often and found by indexes takes less time than to
 * plan it. The text of a name is always the same; what changes are its parameters, for which one plan must be as good as another.
 */
export const prepared = (name: string): RawBuilder<unknown> => sql.raw(`/* prepared ${name} */ `)

/** The name that a statement is prepared under, if any. */
export const preparedName = (text: string): string | undefined => begins.exec(text)?.[1]
