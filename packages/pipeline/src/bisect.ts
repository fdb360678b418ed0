import { InsertRejected } from '@tributary/storage'

/** One insert of lines of NDJSON under a token. Throws InsertRejected when the engine refuses a row. */
export type Insert = (rows: readonly string[], token: string) => Promise<void>

export type BisectOptions = {
  /** The row that takes a refused row's place; `bare` if the engine refuses the `full` one, too. */
  replace(row: string, message: string, form: 'full' | 'bare'): string
  /** Who a row belongs to (workspace and source). */
  ownerOf(row: string): string
  /** Refusals after which all rows of the owners found so far are replaced, so that one sender cannot cost all time. */
  patience: number
}

export type BisectResult = { readonly replaced: number; readonly messages: readonly string[] }

/** Thrown when the engine refuses even a bare row: then not the data is at fault but the table. */
export class TableRefuses extends Error {
  constructor(cause: unknown) {
    super('The event store refuses every row', { cause })
    this.name = 'TableRefuses'
  }
}

/**
 * Stores all rows, whatever one of them does: a refused insert is halved until the culprit stands alone, which is then
 * replaced. Order is kept, and the parts' tokens follow from the token and the refusals, so that a repetition after a
 * crash inserts the same parts under the same tokens. Throws TableRefuses, and what `insert` throws beside InsertRejected.
 */
export const insertBisecting = async (
  insert: Insert,
  rows: readonly string[],
  token: string,
  options: BisectOptions,
): Promise<BisectResult> => {
  const owners = new Set<string>()
  const substitutes = new Set<string>()
  const messages: string[] = []
  let refusals = 0
  let replaced = 0

  const replaceOne = async (row: string, partToken: string, message: string): Promise<void> => {
    owners.add(options.ownerOf(row))
    if (messages.length < 5) messages.push(message)
    replaced++
    try {
      await insert([options.replace(row, message, 'full')], `${partToken}f`)
    } catch (error) {
      if (!(error instanceof InsertRejected)) throw error
      try {
        await insert([options.replace(row, message, 'bare')], `${partToken}b`)
      } catch (bareError) {
        throw bareError instanceof InsertRejected ? new TableRefuses(bareError) : bareError
      }
    }
  }

  const withoutOwners = (part: readonly string[], message: string): readonly string[] =>
    part.map((row) => {
      if (substitutes.has(row) || !owners.has(options.ownerOf(row))) return row
      replaced++
      const substitute = options.replace(row, message, 'full')
      substitutes.add(substitute)
      return substitute
    })

  /** `cleanedOf`: how many owners' rows were replaced in this part already. */
  const store = async (part: readonly string[], partToken: string, cleanedOf: number): Promise<void> => {
    try {
      await insert(part, partToken)
    } catch (error) {
      if (!(error instanceof InsertRejected)) throw error
      refusals++
      const [only] = part
      if (part.length === 1 && only !== undefined) return replaceOne(only, partToken, error.message)
      if (refusals > options.patience && owners.size > cleanedOf) {
        return store(withoutOwners(part, error.message), `${partToken}o`, owners.size)
      }
      const middle = part.length >> 1
      await store(part.slice(0, middle), `${partToken}0`, cleanedOf)
      await store(part.slice(middle), `${partToken}1`, cleanedOf)
    }
  }

  await store(rows, token, 0)
  return { replaced, messages }
}
