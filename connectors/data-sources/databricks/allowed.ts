import { DataQueryError } from '@tributary/connector-kit'

/**
 * Functions that reach other systems, read secrets, run programs, or are billed apart
 * (docs.databricks.com/aws/en/sql/language-manual/sql-ref-functions-builtin-alpha), and the clause that can name any
 * function by a text.
 */
const reachingOut =
  /(?<![\w$])(?:http_request|remote_query|(?:try_|list_)?secrets?|java_method|(?:try_)?reflect|ai_\w+|vector_search|read_(?:kafka|kinesis|pubsub|pulsar)|identifier)(?![\w$])/giu

/** Maximum characters of blanks and comments between a name and its parenthesis. More are refused, too. */
const maxBlanks = 1000

/**
 * Returns whether an opening parenthesis comes next, after a backtick and white space. A comment counts as one, because
 * comments of Spark nest and end in several ways.
 */
const isCalled = (sql: string, start: number): boolean => {
  const next = sql.slice(start, start + maxBlanks)
  let at = next.startsWith('`') ? 1 : 0
  while (at < next.length) {
    if (next.startsWith('--', at) || next.startsWith('/*', at)) return true
    if (next.charAt(at).trim() === '') at += 1
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
  // Spark puts values of the configuration in place of such names, which could make the name of a function.
  if (sql.includes('${')) throw new DataQueryError("Queries can only read tables: they can't have ${")
  if (/\bselect\s{1,100}transform\b/iu.test(sql))
    throw new DataQueryError("Queries can only read tables: they can't have TRANSFORM … USING")
  for (const { 0: name, index } of sql.matchAll(reachingOut))
    if (isCalled(sql, index + name.length))
      throw new DataQueryError(`Queries can only read tables: they can't have the function ${name}`)
}
