import { DataQueryError } from '@tributary/connector-kit'

/**
 * Functions that reach other systems, read secrets, run programs, or are billed apart
 * (docs.databricks.com/aws/en/sql/language-manual/sql-ref-functions-builtin-alpha), and the clause that can name any
 * function by a text.
 */
const reachingOut =
  /(?<![\w$])(?:http_request|remote_query|(?:try_|list_)?secrets?|java_method|(?:try_)?reflect|ai_\w+|vector_search|read_(?:kafka|kinesis|pubsub|pulsar)|identifier)(?![\w$])/gi

/** Maximum characters of blanks and comments between a name and its parenthesis. More are refused, too. */
const maxBlanks = 1000

/** Returns whether an opening parenthesis comes next, after a backtick, white space, and comments. */
const isCalled = (sql: string, start: number): boolean => {
  const next = sql.slice(start, start + maxBlanks)
  let at = next.startsWith('`') ? 1 : 0
  while (at < next.length) {
    const comment = next.startsWith('--', at) ? '\n' : next.startsWith('/*', at) ? '*/' : undefined
    if (comment !== undefined) {
      const end = next.indexOf(comment, at + 2)
      at = end < 0 ? next.length : end + comment.length
    } else if (next.charAt(at).trim() === '') at += 1
    else return next[at] === '('
  }
  return next.length === maxBlanks
}

/**
 * Refuses a query that calls a function which reaches out of the warehouse. The grants of the account are the actual
 * limit; this protects accounts that have too many. A name in a text or comment with a parenthesis after it only causes
 * one more refusal. Throws DataQueryError.
 */
export const refuseReachingOut = (sql: string): void => {
  for (const { 0: name, index } of sql.matchAll(reachingOut))
    if (isCalled(sql, index + name.length))
      throw new DataQueryError(`Queries can only read tables: they can't have the function ${name}`)
}
