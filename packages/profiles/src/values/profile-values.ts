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
import { coversPlace, createValueCache, type Place, type ReadProfile } from './value-cache.ts'

/** A query that runs. */
type Query = Place & { readonly values: Promise<ReadonlyMap<string, ReadProfile>> }

export type ProfileValuesDeps = {
  db: Kysely<Database>
  positions: Pick<ProfilePositions, 'next' | 'knownAt' | 'onChanged'>
  forgotten: Pick<ForgottenUsers, 'version' | 'readAt'>
  clock: Clock
}

const unknown: EventProfile = { ...noProfile, lacks: profileLacks.unknown }

/**
 * Creates the reading of profiles for mappings. Values in memory are used until a change of their profile is published,
 * at most for ten minutes, and only for events that profiles had read before. If changes are not known, they are used
 * for two seconds, and only for events that profiles had read when they were read. That is also so if the deletions
 * were last read more than three seconds ago. A deletion, suppression, split, or rebuild ends this once the thread has
 * its version.
 */
export const createProfileValues = ({ db, positions, forgotten, clock }: ProfileValuesDeps): ProfileValues => {
  const cache = createValueCache(clock, positions, forgotten)
  /** The queries that run, by what they read. */
  const queries = new Map<string, Query>()

  const query = async (
    workspaceId: string,
    asked: ReadonlyMap<string, Identifier>,
    needs: readonly string[],
    place: Place | undefined,
  ): Promise<ReadonlyMap<string, ReadProfile>> => {
    const time = clock()
    const reading = cache.begin()
    const values = readProfileValues(db, workspaceId, [...asked.values()], needs)
    const own: Query | undefined = place && { ...place, values }
    if (own !== undefined) for (const key of asked.keys()) queries.set(key, own)
    try {
      const found = await values
      for (const [key, owner] of asked) {
        const read = found.get(identifierKey(owner))
        if (place !== undefined && read !== undefined) cache.keep(key, read, place, time, reading)
      }
      return found
    } finally {
      cache.end(reading)
      for (const key of asked.keys()) if (queries.get(key) === own) queries.delete(key)
    }
  }

  return {
    hasRead: (partition, offset) => positions.next(partition) > offset,
    look: async (workspaceId, events, needs, place) => {
      const version = forgotten.version(workspaceId)
      const cached = cache.at(place, version)
      const prefix = createHash('sha256')
        .update([workspaceId, ...needs].join('\n'))
        .digest('base64url')
        .slice(0, 22)
      const asked = new Map<string, Identifier>()
      const joined = new Map<string, Query>()
      const owners: (Identifier | undefined)[] = []
      const found = events.map(({ userId, anonymousId }, index): EventProfile | undefined => {
        // The rules of a workspace do not affect which identifier owns an event.
        const owner = identifiersOf({ userId, anonymousId }, defaultRules).identifiers[0]
        if (owner === undefined) return unknown
        const key = prefix + identifierKey(owner)
        const profile = cached(key)
        if (profile !== undefined) return profile
        owners[index] = owner
        const running = queries.get(key)
        if (running !== undefined && coversPlace(running, place, version)) joined.set(identifierKey(owner), running)
        else asked.set(key, owner)
        return undefined
      })
      const own = place && { partition: place.partition, next: positions.next(place.partition), version }
      const read = asked.size === 0 ? undefined : await query(workspaceId, asked, needs, own)
      const others = new Map<string, ReadProfile | undefined>()
      for (const [name, running] of joined) others.set(name, (await running.values).get(name))
      return found.map((profile, index) => {
        const owner = owners[index]
        if (profile !== undefined || owner === undefined) return profile ?? unknown
        const name = identifierKey(owner)
        return (read?.get(name) ?? others.get(name))?.profile ?? unknown
      })
    },
  }
}

/** Creates the reading of profiles for previews, which keeps nothing in memory. */
export const createLatestProfileValues = (db: Kysely<Database>): Pick<ProfileValues, 'look'> =>
  createProfileValues({
    db,
    positions: { next: () => 0, knownAt: () => 0, onChanged: () => {} },
    forgotten: { version: () => '', readAt: () => 0 },
    clock: systemClock,
  })
