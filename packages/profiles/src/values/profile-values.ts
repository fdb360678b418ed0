import { createHash } from 'node:crypto'
import { type EventProfile, noProfile, type ProfileValues, profileLacks } from '@tributary/connector-kit'
import { type Clock, systemClock } from '@tributary/kernel'
import type { Database } from '@tributary/storage'
import type { Kysely } from 'kysely'
import type { ForgottenUsers } from '../forgotten-users.ts'
import { type Identifier, identifierKey, identifiersOf } from '../identifiers.ts'
import { defaultRules } from '../rules.ts'
import type { ProfilePositions } from './positions.ts'
import { readProfileValues } from './read-values.ts'

/** Maximum bytes of cached profiles, and their maximum age in ms: audiences and computed traits change on their own. */
const maxCachedBytes = 16 * 1024 * 1024
/** Bytes that an entry takes beyond its text. */
const entryBytes = 200
const maxAgeMs = 2000

/** What values were read for: they serve only events that profiles had read before. */
type Place = {
  readonly partition: number
  /** Profiles said, before the values were read, that they had read all records before this offset. */
  readonly next: number
  /** The version of the deleted users at that time. */
  readonly version: string
}

type Cached = Place & { readonly profile: EventProfile; readonly time: number }

/** A query that runs. */
type Query = Place & { readonly values: Promise<ReadonlyMap<string, EventProfile>> }

export type ProfileValuesDeps = {
  db: Kysely<Database>
  positions: Pick<ProfilePositions, 'next'>
  forgotten: Pick<ForgottenUsers, 'version'>
  clock: Clock
}

const unknown: EventProfile = { ...noProfile, lacks: profileLacks.unknown }

/**
 * Creates a cache of two halves: a new half begins when the newer one is full or old, and replaces the older one.
 * Removing entries one by one took longer than using them.
 */
const createCache = (clock: Clock) => {
  let newer = new Map<string, Cached>()
  let older = new Map<string, Cached>()
  let bytes = 0
  let since = clock()
  return {
    get: (key: string): Cached | undefined => newer.get(key) ?? older.get(key),
    keep: (key: string, cached: Cached): void => {
      const { json, consent } = cached.profile
      const size = key.length + json.length + JSON.stringify(consent ?? '').length + entryBytes
      if (bytes + size > maxCachedBytes / 2 || clock() - since >= maxAgeMs) {
        older = newer
        newer = new Map()
        bytes = 0
        since = clock()
      }
      newer.set(key, cached)
      bytes += size
    },
  }
}

/**
 * Creates the reading of profiles for mappings. Values in memory are used again for two seconds, and only for events
 * that profiles had read before. A deletion or suppression ends this once the thread has its version.
 */
export const createProfileValues = ({ db, positions, forgotten, clock }: ProfileValuesDeps): ProfileValues => {
  const cache = createCache(clock)
  /** The queries that run, by what they read. */
  const queries = new Map<string, Query>()

  const query = async (
    workspaceId: string,
    asked: ReadonlyMap<string, Identifier>,
    needs: readonly string[],
    place: Place | undefined,
  ): Promise<ReadonlyMap<string, EventProfile>> => {
    const time = clock()
    const values = readProfileValues(db, workspaceId, [...asked.values()], needs)
    if (place === undefined) return await values
    const own: Query = { ...place, values }
    for (const key of asked.keys()) queries.set(key, own)
    try {
      const found = await values
      for (const [key, owner] of asked) {
        const profile = found.get(identifierKey(owner))
        if (profile !== undefined) cache.keep(key, { ...place, profile, time })
      }
      return found
    } finally {
      for (const key of asked.keys()) if (queries.get(key) === own) queries.delete(key)
    }
  }

  return {
    hasRead: (partition, offset) => positions.next(partition) > offset,
    look: async (workspaceId, events, needs, place) => {
      // The rules of a workspace do not affect which identifier owns an event.
      const owners = events.map(
        ({ userId, anonymousId }) => identifiersOf({ userId, anonymousId }, defaultRules).identifiers[0],
      )
      const prefix = `${workspaceId}\n${createHash('sha256').update(needs.join('\n')).digest('base64url')}\n`
      const found = new Map<string, EventProfile>()
      const asked = new Map<string, Identifier>()
      const joined = new Map<string, Query>()
      const [now, version] = [clock(), forgotten.version(workspaceId)]
      const isUsable = (given: Place | undefined): boolean =>
        given !== undefined &&
        given.partition === place?.partition &&
        given.next > place.offset &&
        given.version === version
      for (const owner of owners) {
        if (owner === undefined) continue
        const name = identifierKey(owner)
        const cached = cache.get(prefix + name)
        const running = queries.get(prefix + name)
        if (cached !== undefined && isUsable(cached) && now - cached.time < maxAgeMs) found.set(name, cached.profile)
        else if (running !== undefined && isUsable(running)) joined.set(name, running)
        else asked.set(prefix + name, owner)
      }
      const own = place && { partition: place.partition, next: positions.next(place.partition), version }
      if (asked.size > 0)
        for (const [name, profile] of await query(workspaceId, asked, needs, own)) found.set(name, profile)
      for (const [name, running] of joined) found.set(name, (await running.values).get(name) ?? unknown)
      return owners.map((owner) => (owner === undefined ? undefined : found.get(identifierKey(owner))) ?? unknown)
    },
  }
}

/** Creates the reading of profiles for previews, which keeps nothing in memory. */
export const createLatestProfileValues = (db: Kysely<Database>): Pick<ProfileValues, 'look'> =>
  createProfileValues({ db, positions: { next: () => 0 }, forgotten: { version: () => '' }, clock: systemClock })
