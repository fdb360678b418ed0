import type { Tx } from '@tributary/api-kit'
import { type SecretBox, SecretBoxError } from '@tributary/kernel'
import { sql } from 'kysely'
import { readSealed, sealedColumns } from './sealed-columns.ts'

/** The error if a sealed value cannot be opened with the current secret key. */
export class UnreadableSecret extends Error {
  constructor(place: string, cause: unknown) {
    super(
      `The secret of ${place} can't be decrypted with the current key. Enter it again, or delete what it belongs to, and retry. Nothing was changed.`,
      { cause },
    )
    this.name = 'UnreadableSecret'
  }
}

const pageRows = 500

/**
 * Opens every sealed value with the box `from` and seals it with the box `to`, in this transaction. The tables are
 * locked, so no other process can write meanwhile, or later with the old key. Returns the number of values.
 *
 * @throws UnreadableSecret, and then nothing must be committed
 */
export const resealSecrets = async (tx: Tx, boxes: { from: SecretBox; to: SecretBox }): Promise<number> => {
  let count = 0
  for (const column of sealedColumns) {
    await sql`lock table ${sql.table(column.table)} in share row exclusive mode`.execute(tx)
    let after: unknown
    for (;;) {
      const rows = await readSealed(tx, column, { after, limit: pageRows })
      for (const row of rows) {
        const context = column.context(row)
        let plain: string
        try {
          plain = boxes.from.open(row.sealed, context)
        } catch (error) {
          throw error instanceof SecretBoxError ? new UnreadableSecret(context, error) : error
        }
        await sql`
          update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${boxes.to.seal(plain, context)}
          where ${sql.ref(column.key)} = ${row[column.key]}`.execute(tx)
      }
      count += rows.length
      if (rows.length < pageRows) break
      after = rows.at(-1)?.[column.key]
    }
  }
  return count
}
