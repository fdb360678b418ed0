import type { Db } from '@tributary/api-kit'
import { type SecretBox, SecretBoxError } from '@tributary/kernel'
import { readSealed, sealedColumns } from './sealed-columns.ts'

/** Thrown when the data were sealed with another secret key. */
export class WrongSecretKey extends Error {
  constructor() {
    super(
      'The credentials in the database were encrypted with another secret key. Start with the TRIBUTARY_SECRET_KEY, or the ' +
        'file secret.key of the data folder, that was used before.',
    )
    this.name = 'WrongSecretKey'
  }
}

/**
 * Makes sure that the sealed values of the database can be opened, by opening the first one. A product that starts with another key would
 * hold every delivery. It would also seal new credentials, so that no single key opens all.
 *
 * @throws WrongSecretKey
 */
export const verifySecretKey = async ({ db, secretBox }: { db: Db; secretBox: SecretBox }): Promise<void> => {
  for (const column of sealedColumns) {
    const [row] = await readSealed(db, column, { limit: 1 })
    if (row === undefined) continue
    try {
      secretBox.open(row.sealed, column.context(row))
      return
    } catch (error) {
      throw error instanceof SecretBoxError ? new WrongSecretKey() : error
    }
  }
}
