import { DataQueryError } from '@tributary/connector-kit'

/** Table functions that only compute, or read what the account may read anyway; `format` and `values` are functions of values, too. */
const computing = 'numbers numbers_mt zeros zeros_mt generate_series generateseries generaterandom values format null'
const harmless = new Set(`${computing} view merge`.split(' '))

/**
 * Looks through a statement as the server has taken it apart (`EXPLAIN AST`, one node to a line) for what would get around read-only: `SETTINGS`,
 * because those of a subquery set `readonly` back without being checked (seen with 26.7), and table functions that read from elsewhere, of which
 * the server tells the names. An identifier with line feeds in it can only have more refused. Throws DataQueryError.
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
