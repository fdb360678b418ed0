import type { EventProfile } from '@tributary/connector-kit'
import type { Clock } from '@tributary/kernel'
import type { ForgottenUsers } from '../forgotten-users.ts'
import type { ChangedProfiles } from './changes.ts'
import type { ProfilePositions } from './positions.ts'

/** Maximum bytes of cached profiles. */
const maxCachedBytes = 16 * 1024 * 1024
/** Bytes that an entry takes beyond its text, with its part of the index of profiles. */
const entryBytes = 300
/** Maximum age of values if changes of their profile are not known, ms: that of audiences and consent, for example. */
const maxAgeMs = 2000
/**
 * Maximum age of the known deletions while other values are used, ms: three times the interval in which they are read.
 */
const maxForgottenAgeMs = 3000
/** Maximum age of all other values, ms. It also drops values that are not used. */
const maxKeptMs = 10 * 60_000

/** What values were read for. */
export type Place = {
  readonly partition: number
  /** Profiles said, before the values were read, that they had read all records before this offset. */
  readonly next: number
  /** The version of the deleted users at that time. */
  readonly version: string
}

/** The event for which values are needed. */
export type Wanted = { readonly partition: number; readonly offset: number }

/** Whether values that were read at a place have everything that was known before an event. */
export const coversPlace = (given: Place, wanted: Wanted | undefined, version: string): boolean =>
  wanted !== undefined &&
  given.partition === wanted.partition &&
  given.next > wanted.offset &&
  given.version === version

/** Values of a profile, as read. */
export type ReadProfile = {
  readonly profile: EventProfile
  /**
   * The short ID of the profile, if its noted changes are all that can change these values. Undefined for an unknown
   * profile, and for values that depend on audiences, consent, or which identifier has the latest value.
   */
  readonly changesWith: string | undefined
}

/** Shows whether a profile is unchanged since its values were read: while it has the epoch of the cache. */
type Mark = { epoch: number }
const changedEpoch = -1

type Cached = Place & {
  readonly profile: EventProfile
  readonly time: number
  /** Undefined if changes of the values are not known. */
  readonly mark: Mark | undefined
  isUsed: boolean
}

/** A part of the cache, with the marks of its profiles by short ID. */
type Half = { readonly entries: Map<string, Cached>; readonly marks: Map<string, Mark>; bytes: number; since: number }

/** The changes that are published while values are read. */
export type Reading = { readonly changed: Set<string>; isAll: boolean }

const sizeOf = (key: string, { json, consent }: EventProfile): number =>
  key.length + json.length + (consent === undefined ? 0 : JSON.stringify(consent).length) + entryBytes

/**
 * Creates two halves: a new half begins when the newer one is full or old, and replaces the older one. Values that were
 * used go on into the new half, until it is half full. Removing entries one by one took longer than using them.
 */
const createHalves = (clock: Clock) => {
  const newHalf = (): Half => ({ entries: new Map(), marks: new Map(), bytes: 0, since: clock() })
  let newer = newHalf()
  let older = newHalf()
  let epoch = 0

  const markOf = (profileId: string): Mark => {
    const known = newer.marks.get(profileId)
    if (known?.epoch === epoch) return known
    const mark = { epoch }
    newer.marks.set(profileId, mark)
    return mark
  }

  const add = (key: string, changesWith: string | undefined, entry: Omit<Cached, 'mark' | 'isUsed'>): void => {
    const mark = changesWith === undefined ? undefined : markOf(changesWith)
    newer.entries.set(key, { ...entry, mark, isUsed: false })
    newer.bytes += sizeOf(key, entry.profile)
  }

  const rotate = (): void => {
    const dropped = older
    older = newer
    newer = newHalf()
    const ids = new Map([...dropped.marks].map(([id, mark]) => [mark, id]))
    for (const [key, cached] of dropped.entries) {
      if (newer.bytes >= maxCachedBytes / 4) return
      const id = cached.mark?.epoch === epoch ? ids.get(cached.mark) : undefined
      if (cached.isUsed && id !== undefined && !older.entries.has(key)) add(key, id, cached)
    }
  }

  return {
    find: (key: string): Cached | undefined => newer.entries.get(key) ?? older.entries.get(key),
    add: (key: string, changesWith: string | undefined, entry: Omit<Cached, 'mark' | 'isUsed'>): void => {
      if (newer.bytes + sizeOf(key, entry.profile) > maxCachedBytes / 2) rotate()
      add(key, changesWith, entry)
    },
    /** Whether no change of the profile was noted since the entry was added. */
    isCurrent: ({ mark }: Pick<Cached, 'mark'>): boolean => mark?.epoch === epoch,
    noteAll: (): void => void epoch++,
    note: (profileId: string): void => {
      for (const { marks } of [newer, older]) {
        const mark = marks.get(profileId)
        if (mark === undefined) continue
        mark.epoch = changedEpoch
        marks.delete(profileId)
      }
    },
    /** Drops values that were not used lately. */
    age: (): void => {
      if (clock() - newer.since >= maxKeptMs / 2) rotate()
    },
  }
}

/**
 * Creates a cache of profiles, which takes 16 MB at most. Values whose changes are noted are used until a change is
 * published, while no message is missing and deletions are read. All others are used for two seconds, and only for events that profiles had read
 * when they were read.
 */
export const createValueCache = (
  clock: Clock,
  positions: Pick<ProfilePositions, 'next' | 'knownAt' | 'onChanged'>,
  forgotten: Pick<ForgottenUsers, 'readAt'>,
) => {
  const halves = createHalves(clock)
  const readings = new Set<Reading>()

  positions.onChanged((changed: ChangedProfiles) => {
    if (changed === 'all') {
      halves.noteAll()
      for (const reading of readings) reading.isAll = true
    } else
      for (const id of changed) {
        halves.note(id)
        for (const reading of readings) reading.changed.add(id)
      }
    halves.age()
  })

  return {
    /** Returns the cache as an event may use it. Without an event, nothing is cached. */
    at: (wanted: Wanted | undefined, version: string): ((key: string) => EventProfile | undefined) => {
      if (wanted === undefined) return () => undefined
      const now = clock()
      const knownAt = positions.knownAt()
      const isRead = knownAt > 0 && positions.next(wanted.partition) > wanted.offset
      const knowsDeletions = now - forgotten.readAt() < maxForgottenAgeMs
      const isUnchanged = (cached: Cached): boolean =>
        isRead &&
        knowsDeletions &&
        halves.isCurrent(cached) &&
        cached.version === version &&
        now - Math.max(cached.time, knownAt) < maxAgeMs &&
        now - cached.time < maxKeptMs
      return (key) => {
        const cached = halves.find(key)
        if (cached === undefined) return undefined
        const covers = now - cached.time < maxAgeMs && coversPlace(cached, wanted, version)
        if (!covers && !isUnchanged(cached)) return undefined
        cached.isUsed = true
        return cached.profile
      }
    },
    /** Called before values are read, so that changes until `end` are noted. */
    begin: (): Reading => {
      const reading: Reading = { changed: new Set(), isAll: false }
      readings.add(reading)
      return reading
    },
    end: (reading: Reading): void => void readings.delete(reading),
    /** Keeps values that were read for a place, at a time. */
    keep: (key: string, { profile, changesWith }: ReadProfile, place: Place, time: number, reading: Reading): void => {
      const isChanged = reading.isAll || (changesWith !== undefined && reading.changed.has(changesWith))
      halves.add(key, isChanged ? undefined : changesWith, { ...place, profile, time })
    },
  }
}
