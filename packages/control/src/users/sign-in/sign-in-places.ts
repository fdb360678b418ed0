import { createHmac } from 'node:crypto'
import type { Db, Tx } from '@tributary/api-kit'
import { type Client, networkClassOf, networkOf } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'

/**
 * Maximum number of stored places of a user, counting both kinds together; and time for which a place without a sign-in
 * is stored, ms.
 */
const placesPerUser = 40
export const placeLifeMs = 180 * 24 * 60 * 60_000

type Signing = ControlDeps['signing']

/** Prefix that marks the hash of a network and browser. */
const noticeMark = Buffer.from([1])

/** Returns the hash of a place. Only the hash is stored, not the address. */
const hashOf = (signing: Signing, ip: string): Buffer =>
  createHmac('sha256', signing.codes)
    .update(`place\n${networkOf(ip)}`)
    .digest()

/** Stores that a user has signed in from the network of this IP address. */
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

/** Texts in the user agent that identify a browser. Browsers whose user agent also names other browsers come first. */
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

/**
 * Returns the name of a browser without its version. For another program, returns the name at the start of its user
 * agent.
 */
export const familyOf = (userAgent: string): string =>
  browsers.find(([text]) => userAgent.includes(text))?.[1] ??
  (/^[A-Za-z][\w.-]{0,30}/.exec(userAgent)?.[0] || 'An unknown browser')

/**
 * Stores the larger network and the browser with which a user signs in. Returns true if this combination is new for a
 * user who has signed in before. Returns false for the first sign-in.
 */
export const meetPlace = async (
  tx: Tx,
  { userId, client, time, signing }: { userId: string; client: Client; time: Date; signing: Signing },
): Promise<boolean> => {
  const hash = createHmac('sha256', signing.codes)
    .update(`network and browser\n${networkClassOf(client.ip)}\n${familyOf(client.userAgent)}`)
    .digest()
  // The prefix makes it a byte longer than the hashes of `rememberPlace`, so that the two kinds never match.
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

/** Whether the user of an email address (in lower case) has signed in from the network of this IP address before. */
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
