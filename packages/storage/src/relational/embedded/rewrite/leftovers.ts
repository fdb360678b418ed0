import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { removeRewriteSchema, rewriteSchema } from '../../rewrite-schema.ts'
import { isTimeout } from './connection.ts'
import { noteNothing } from './prepare.ts'

const pauseMs = 300
const tries = 20

/**
 * Removes the remains of a rewrite in one transaction, so that the trigger always has its log. Other clients wait for
 * the table for at most `maxClosedMs` each time. A transaction that holds the table all the time, such as a long
 * reader, prevents the removal; then at least changes are no longer logged.
 *
 * @throws if other clients hold the table all the time
 */
export const removeLeftovers = async (client: Client, { maxClosedMs }: { maxClosedMs: number }): Promise<void> => {
  const { rows } = await client.query(`select from pg_namespace where nspname = '${rewriteSchema}'`)
  if (rows.length === 0) return
  await client.query(`set lock_timeout = ${maxClosedMs}`)
  try {
    for (let count = 1; ; count++) {
      try {
        await client.query(removeRewriteSchema)
        return
      } catch (error) {
        if (!isTimeout(error)) throw error
        if (count === tries) {
          await client.query(noteNothing)
          throw new Error('Others hold a table for long. A copy of it stays: the next one removes it', { cause: error })
        }
      }
      await pause(pauseMs)
    }
  } finally {
    await client.query('set lock_timeout = 0')
  }
}
