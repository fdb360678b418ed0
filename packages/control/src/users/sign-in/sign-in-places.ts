import { createHmac } from 'node:crypto'
import type { Db, Tx } from '@tributary/api-kit'
import { type Client, networkClassOf, networkOf } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'

/**
 * Maximum places of a user that are stored in both forms, the latest first; and how long a place without a sign-in is
 * stored, ms.
 */
const placesPerUser = 40
export const placeLifeMs = 180 * 24 * 60 * 60_000

type Signing = ControlDeps['signing']

/** Stands before the hash of a network and browser. */
const noticeMark = Buffer.from([1])

/** The stored form of a place, a hash: the address itself is not stored. */
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

/** Browsers by what only they say of themselves, those first that name others, too. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

/** The family of a browser, without its version; of another program the name that it begins with. */
export const familyOf = (userAgent: string): string =>
  browsers.find(([text]) => userAgent.includes(text))?.[1] ??
  (/^[A-Za-z][\w.-]{0,30}/.exec(userAgent)?.[0] || 'An unknown browser')

/**
 * Remembers from which larger network, and with which browser, a user signs in. True when that is new: the user was seen before, and
 * never from there with it. The first sign-in is not.
 */
export const meetPlace = async (
  tx: Tx,
  { userId, client, time, signing }: { userId: string; client: Client; time: Date; signing: Signing },
): Promise<boolean> => {
  const hash = createHmac('sha256', signing.codes)
    .update(`network and browser\n${networkClassOf(client.ip)}\n${familyOf(client.userAgent)}`)
    .digest()
  // A byte longer than the hashes of `rememberPlace`, so that the two never match.
  const marked = Buffer.concat([noticeMark, hash])
  const known = await tx
    .selectFrom('sign_in_places')
    .select('place_hash')
    .where('user_id', '=', userId)
    .where('last_time', '>', new Date(time.getTime() - placeLifeMs))
    .execute()
  await tx
    .insertInto('sign_in_places')
    .values({ user_id: userId, place_hash: marked, last_time: time })
    .onConflict((conflict) => conflict.columns(['user_id', 'place_hash']).doUpdateSet({ last_time: time }))
    .execute()
  const met = known.map(({ place_hash }) => Buffer.from(place_hash)).filter((each) => each.length === marked.length)
  return met.length > 0 && !met.some((each) => each.equals(marked))
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
