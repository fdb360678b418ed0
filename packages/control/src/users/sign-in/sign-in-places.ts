import { createHmac } from 'node:crypto'
import type { Db, Tx } from '@tributary/api-kit'
import { networkOf } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'

/** Places that are remembered of a user, the latest; and how long a place is that nobody signs in from, ms. */
const placesPerUser = 20
export const placeLifeMs = 180 * 24 * 60 * 60_000

type Signing = ControlDeps['signing']

/** What a place is remembered as: the address itself is not kept. */
const hashOf = (signing: Signing, ip: string): Buffer =>
  createHmac('sha256', signing.codes)
    .update(`place\n${networkOf(ip)}`)
    .digest()

/** Remembers that a user has signed in from there. */
export const rememberPlace = async (
  tx: Tx,
  { userId, ip, time, signing }: { userId: string; ip: string; time: Date; signing: Signing },
): Promise<void> => {
  await tx
    .insertInto('sign_in_places')
    .values({ user_id: userId, place_hash: hashOf(signing, ip), last_time: time })
    .onConflict((conflict) => conflict.columns(['user_id', 'place_hash']).doUpdateSet({ last_time: time }))
    .execute()
  await tx
    .deleteFrom('sign_in_places')
    .where('user_id', '=', userId)
    .where('place_hash', 'not in', (query) =>
      query
        .selectFrom('sign_in_places')
        .select('place_hash')
        .where('user_id', '=', userId)
        .orderBy('last_time', 'desc')
        .limit(placesPerUser),
    )
    .execute()
}

/** Whether the user of an address (in lower case) has signed in from there before. */
export const isKnownPlace = async (
  db: Db,
  { email, ip, now, signing }: { email: string; ip: string; now: number; signing: Signing },
): Promise<boolean> => {
  const row = await db
    .selectFrom('sign_in_places')
    .innerJoin('users', 'users.id', 'sign_in_places.user_id')
    .select('users.id')
    .where(sql`lower(users.email)`, '=', email)
    .where('place_hash', '=', hashOf(signing, ip))
    .where('last_time', '>', new Date(now - placeLifeMs))
    .executeTakeFirst()
  return row !== undefined
}
