import { DataQueryError } from '@tributary/connector-kit'

/**
 * Table functions that only compute values, or that read data which the account can read anyway. `format` and `values`
 * also only compute values.
 */
const computing = 'numbers numbers_mt zeros zeros_mt generate_series generateseries generaterandom values format null'
const harmless = new Set(`${computing} view merge`.split(' '))

/**
 * Searches the server's parse of a statement (`EXPLAIN AST`, one node a line) for ways around read-only. One way is
 * `SETTINGS` in a subquery, which can reset `readonly` (seen with version 26.7). The other is a table function that
 * reads from elsewhere; the server lists the names of table functions. An identifier with line feeds can only cause
 * more refusals. Throws DataQueryError.
 */
export const refuseUnsafe = (nodes: readonly string[], tableFunctions: ReadonlySet<string>): void => {
  for (const line of nodes) {
    const node = line.trimStart()
    if (/^Set\b/.test(node)) throw new DataQueryError("Queries can only read: they can't have SETTINGS")
    const [, name = ''] = /^Function (\S+)/.exec(node) ?? []
    if (tableFunctions.has(name.toLowerCase()) && !harmless.has(name.toLowerCase()))
      throw new DataQueryError(`Queries can only read tables: they can't have the function ${name}`)
  }
}
