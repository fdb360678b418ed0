import { InsertRejected } from '@tributary/storage'

/** One insert of rows under a token. Throws InsertRejected when the engine refuses a row. */
export type Insert<Row> = (rows: readonly Row[], token: string) => Promise<void>

export type BisectOptions<Row> = {
  /**
   * Returns the row that replaces a refused row. The `bare` form replaces a row whose `full` replacement was refused,
   * too.
   */
  replace(row: Row, message: string, form: 'full' | 'bare'): Row
  /** The owner of a row (workspace and source). */
  ownerOf(row: Row): string
  /**
   * Maximum number of refusals. After that, all rows of owners with a refused row are replaced, so that one sender
   * cannot use up all the time.
   */
  patience: number
}

/**
 * Number of replaced rows, and the engine's error codes. The engine's messages may quote events, so they must not be
 * logged.
 */
export type BisectResult = { readonly replaced: number; readonly engineCodes: readonly number[] }

/** Thrown when the engine refuses even a bare row. Then the table is at fault, not the data. */
export class TableRefuses extends Error {
  constructor({ engineCode }: InsertRejected) {
    super(`The event store refuses every row (its code is ${engineCode})`)
    this.name = 'TableRefuses'
  }
}

/**
 * Stores rows that were refused as a whole. Splits them, at the row that the engine names or else in half, until the
 * faulty row stands alone and is replaced. Keeps the order. The parts' tokens follow from the token and the refusals,
 * so that a repetition after a crash inserts the same parts under the same tokens. Throws TableRefuses, and errors of
 * `insert` other than InsertRejected.
 */
export const storeRefused = async <Row>(
  insert: Insert<Row>,
  rows: readonly Row[],
  token: string,
  refusal: InsertRejected,
  options: BisectOptions<Row>,
): Promise<BisectResult> => {
  /** Owners found at fault, each with an engine message about one of the owner's rows. */
  const owners = new Map<string, string>()
  const substitutes = new Set<Row>()
  const engineCodes = new Set<number>()
  let refusals = 0
  let replaced = 0

  const bare = async (row: Row, partToken: string, message: string): Promise<void> => {
    try {
      await insert([options.replace(row, message, 'bare')], `${partToken}b`)
    } catch (error) {
      throw error instanceof InsertRejected ? new TableRefuses(error) : error
    }
  }

  const replaceOne = async (row: Row, partToken: string, message: string): Promise<void> => {
    owners.set(options.ownerOf(row), message)
    replaced++
    try {
      await insert([options.replace(row, message, 'full')], `${partToken}f`)
    } catch (error) {
      if (!(error instanceof InsertRejected)) throw error
      await bare(row, partToken, message)
    }
  }

  const withoutOwners = (part: readonly Row[]): readonly Row[] =>
    part.map((row) => {
      const message = owners.get(options.ownerOf(row))
      if (message === undefined || substitutes.has(row)) return row
      replaced++
      const substitute = options.replace(row, message, 'full')
      substitutes.add(substitute)
      return substitute
    })

  /**
   * Stores a part under its token. `cleanedOf` is the number of owners whose rows were already replaced in the part.
   */
  const store = async (part: readonly Row[], partToken: string, cleanedOf: number): Promise<void> => {
    if (part.length === 0) return
    try {
      await insert(part, partToken)
    } catch (error) {
      if (!(error instanceof InsertRejected)) throw error
      await takeApart(part, partToken, error, cleanedOf)
    }
  }

  const takeApart = async (
    part: readonly Row[],
    partToken: string,
    { engineCode, message, row }: InsertRejected,
    cleanedOf: number,
  ): Promise<void> => {
    refusals++
    engineCodes.add(engineCode)
    const [only] = part
    if (part.length === 1 && only !== undefined) return replaceOne(only, partToken, message)
    if (refusals > options.patience && owners.size > cleanedOf) {
      return store(withoutOwners(part), `${partToken}o`, owners.size)
    }
    const named = row !== undefined && row >= 1 && row <= part.length ? row - 1 : undefined
    const cuts = named === undefined ? [part.length >> 1] : [named, named + 1]
    await store(part.slice(0, cuts[0]), `${partToken}0`, cleanedOf)
    if (cuts.length === 2) await store(part.slice(cuts[0], cuts[1]), `${partToken}1`, cleanedOf)
    await store(part.slice(cuts.at(-1)), `${partToken}2`, cleanedOf)
  }

  await takeApart(rows, token, refusal, 0)
  return { replaced, engineCodes: [...engineCodes] }
}
