import { newId } from '@tributary/kernel'
import { BeginAnew, type Database, type KeptPlaces, type ReachedPlace } from '@tributary/storage'
import type { Kysely } from 'kysely'
import type { LedgerTx } from './ledger.ts'

/** A partition of the stream, and the position up to which all events were handled. */
export type Reached = { readonly partition: number; readonly place: ReachedPlace }

export type Places = KeptPlaces & {
  /**
   * Writes a position in this transaction; `wrote` must be called after the commit. Rejects with `BeginAnew` if the
   * stored position is not the last position that was written or read, because the database was restored.
   */
  write(tx: LedgerTx, reached: Reached): Promise<{ wrote(): void }>
}

/** Stores the positions in the same database as the profiles, so that a restore resets both together. */
export const createPlaces = (db: Kysely<Database>): Places => {
  const marks = new Map<number, string>()
  return {
    async read(partition) {
      const row = await db
        .selectFrom('identity_places')
        .selectAll()
        .where('partition', '=', partition)
        .executeTakeFirst()
      if (row === undefined) {
        marks.delete(partition)
        return undefined
      }
      const { mark, next, incarnation, note } = row
      marks.set(partition, mark)
      return { mark, offset: Number(next), incarnation: incarnation ?? undefined, note }
    },
    mark: (partition) => marks.get(partition),
    async write(tx, { partition, place }) {
      const mark = newId()
      const known = marks.get(partition)
      const row = { mark, next: place.offset, incarnation: place.incarnation ?? null, note: place.note }
      const written =
        known === undefined
          ? await tx
              .insertInto('identity_places')
              .values({ partition, ...row })
              .onConflict((on) => on.doNothing())
              .returning('mark')
              .executeTakeFirst()
          : await tx
              .updateTable('identity_places')
              .set(row)
              .where('partition', '=', partition)
              .where('mark', '=', known)
              .returning('mark')
              .executeTakeFirst()
      if (written === undefined) throw new BeginAnew('The database has another place than was written there')
      return { wrote: () => void marks.set(partition, mark) }
    },
  }
}
