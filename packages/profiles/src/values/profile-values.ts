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

type Cached = {
  readonly profile: EventProfile
  readonly partition: number
  /** Profiles said, before the values were read, that they had read all records before this offset. */
  readonly next: number
  readonly time: number
  /** The version of the deleted users at that time. */
  readonly version: string
}

export type ProfileValuesDeps = {
  db: Kysely<Database>
  positions: Pick<ProfilePositions, 'next'>
  forgotten: Pick<ForgottenUsers, 'version'>
  clock: Clock
}

const unknown: EventProfile = { ...noProfile, lacks: profileLacks.unknown }

/**
 * Creates the reading of profiles for mappings. Values in memory are used again for two seconds, and only for events
 * that profiles had read before. A deletion or suppression ends this once the thread has its version.
 */
export const createProfileValues = ({ db, positions, forgotten, clock }: ProfileValuesDeps): ProfileValues => {
  // The least recently used come first.
  const cache = new Map<string, Cached>()

  let bytes = 0
  const sizeOf = (key: string, { profile: { json, consent } }: Cached): number =>
    key.length + json.length + (consent === undefined ? 0 : JSON.stringify(consent).length) + entryBytes

  const drop = (key: string): void => {
    const cached = cache.get(key)
    if (cached !== undefined && cache.delete(key)) bytes -= sizeOf(key, cached)
  }
  const keep = (key: string, cached: Cached): void => {
    drop(key)
    cache.set(key, cached)
    bytes += sizeOf(key, cached)
    for (const oldest of cache.keys()) {
      if (bytes <= maxCachedBytes) return
      drop(oldest)
    }
  }

  return {
    hasRead: (partition, offset) => positions.next(partition) > offset,
    look: async (workspaceId, events, needs, place) => {
      // The rules of a workspace do not affect which identifier owns an event.
      const owners = events.map(
        ({ userId, anonymousId }) => identifiersOf({ userId, anonymousId }, defaultRules).identifiers[0],
      )
      const needsKey = createHash('sha256').update(needs.join('\n')).digest('base64url')
      const key = (owner: Identifier): string => `${workspaceId}\n${needsKey}\n${identifierKey(owner)}`
      const found = new Map<string, EventProfile>()
      const asked = new Map<string, Identifier>()
      const [now, version] = [clock(), forgotten.version(workspaceId)]
      const next = place === undefined ? 0 : positions.next(place.partition)
      for (const owner of owners) {
        if (owner === undefined) continue
        const cached = cache.get(key(owner))
        const isCurrent =
          cached !== undefined &&
          cached.partition === place?.partition &&
          cached.next > place.offset &&
          cached.version === version &&
          now - cached.time < maxAgeMs
        if (isCurrent) {
          found.set(identifierKey(owner), cached.profile)
          keep(key(owner), cached)
        } else asked.set(identifierKey(owner), owner)
      }
      if (asked.size > 0)
        for (const [each, profile] of await readProfileValues(db, workspaceId, [...asked.values()], needs)) {
          found.set(each, profile)
          const owner = asked.get(each)
          if (place !== undefined && owner !== undefined)
            keep(key(owner), { profile, partition: place.partition, next, time: now, version })
        }
      return owners.map((owner) => (owner === undefined ? undefined : found.get(identifierKey(owner))) ?? unknown)
    },
  }
}

/** Creates the reading of profiles for previews, which keeps nothing in memory. */
export const createLatestProfileValues = (db: Kysely<Database>): Pick<ProfileValues, 'look'> =>
  createProfileValues({ db, positions: { next: () => 0 }, forgotten: { version: () => '' }, clock: systemClock })
