import { type SecretBox, SecretBoxError } from '@tributary/kernel'
import type { Db } from '../deps.ts'
import { keyContext } from './keys.ts'

/** Thrown when the data were sealed with another secret key. */
export class WrongSecretKey extends Error {
  constructor() {
    super(
      'The credentials in the database were sealed with another secret key. Start with the TRIBUTARY_SECRET_KEY, or the ' +
        'file secret.key of the data folder, that was used before.',
    )
    this.name = 'WrongSecretKey'
  }
}

/**
 * Makes sure that what is sealed in the database can be opened, by opening the first write key: a product that starts with
 * another key would hold every delivery and seal new credentials so that no single key opens all.
 *
 * @throws WrongSecretKey
 */
export const verifySecretKey = async ({ db, secretBox }: { db: Db; secretBox: SecretBox }): Promise<void> => {
  const row = await db
    .selectFrom('write_keys')
    .select(['id', 'key_encrypted'])
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return
  try {
    secretBox.open(row.key_encrypted, keyContext(row.id))
  } catch (error) {
    throw error instanceof SecretBoxError ? new WrongSecretKey() : error
  }
}
