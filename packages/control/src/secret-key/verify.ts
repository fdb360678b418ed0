import type { Db } from '@tributary/api-kit'
import { type SecretBox, SecretBoxError } from '@tributary/kernel'
import { readSealed, sealedColumns } from './sealed-columns.ts'

/** The error if the data was sealed with another secret key. */
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
 * Checks that the secret key fits the database, by opening the first sealed value. With another key, the product would
 * hold every delivery. It would also seal new credentials, so that no single key could open all of them.
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
