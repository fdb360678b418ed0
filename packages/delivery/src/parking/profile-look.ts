import { consentNeed, type EventProfile, noProfile, outOfDateConsent, profileLacks } from '@tributary/connector-kit'
import { holdsRows } from '@tributary/contract'
import type { Clock } from '@tributary/kernel'
import type { DeliveryRecord, KeptProfile, Recorded } from '../log/record.ts'
import type { ForgottenUsers, Profiles } from '../ports.ts'
import type { DeliverySettings } from '../settings.ts'
import type { ParkedRow } from './parked-row.ts'

/** Maximum number of events per look-up, unless one record has more. */
const eventsPerLook = 200

/** Returns the number of records or rows, from the first one on, whose profiles are looked up together. */
export const lookedTogether = (eventsOf: readonly number[]): number => {
  let events = 0
  const until = eventsOf.findIndex((each, place) => (events += each) > eventsPerLook && place > 0)
  return until < 0 ? eventsOf.length : until
}

/** Failures of look-ups that are this far apart are different ones, ms. Failed look-ups are repeated each second. */
const apartMs = 60_000

/** Events whose profiles are looked up; a parked row names the events of its record. */
type Wanted = { readonly record: DeliveryRecord; readonly row?: ParkedRow | undefined }

/** The profiles of the events of one destination. Destinations whose mappings use no profile cost nothing. */
export type ProfileLook = {
  /** Whether the mappings use the profile. */
  isNeeded(): boolean
  /** Whether events of a record need values of the profile that were not looked up yet. */
  lacks(record: DeliveryRecord): boolean
  /** Whether a record must wait, because profiles have not read it and its time is not over. */
  waits(record: DeliveryRecord): boolean
  /**
   * Looks up the profiles of the events of the records, and notes them there. Records that profiles have not read get
   * the values before them. An event that was mapped before keeps its values, unless its user was deleted or suppressed
   * since. The consent of the profile is always the latest, and
   * absent if profiles were behind. Rejects while profiles cannot be read. After the longest
   * wait, it notes that profiles were behind.
   */
  look(wanted: readonly Wanted[]): Promise<void>
}

const behind: EventProfile = { ...noProfile, lacks: profileLacks.behind }

/** A profile that lacks what later events of its user say. */
const outOfDate = ({ json, consent }: EventProfile): EventProfile => ({
  json,
  lacks: profileLacks.behind,
  consent: outOfDateConsent(consent),
})

const absent: ReadonlySet<string> = new Set([profileLacks.unknown, profileLacks.behind])
/** Whether a look-up found the profile. */
const isKnown = ({ lacks }: EventProfile): boolean => !absent.has(lacks)

/** What the mappings of a destination use of the profile now. */
export type ProfileUse = {
  readonly needs: readonly string[]
  /** Whether an event may be mapped with the profile. */
  usesProfile(event: Recorded): boolean
}

export const noProfileUse: ProfileUse = { needs: [], usesProfile: () => false }

/** Whether a look-up has everything that the mappings need now. */
const covers = (looked: readonly string[], needs: readonly string[]): boolean =>
  looked === needs || needs.every((need) => looked.includes(need))

/** Returns the values with which an event was mapped first, if they have everything that the mappings need now. */
const keptOf = (row: ParkedRow | undefined, eventId: string, needs: readonly string[]): KeptProfile | undefined => {
  const kept = row?.profiles?.[eventId]
  const values = needs.filter((need) => need !== consentNeed)
  return kept !== undefined && covers(kept.needs, values) ? kept : undefined
}

/** Creates the look-ups of one worker. `use` returns what its mappings use of the profile now. */
export const createProfileLook = (
  deps: {
    profiles: Profiles | undefined
    forgotten: Pick<ForgottenUsers, 'version'>
    clock: Clock
    settings: Pick<DeliverySettings, 'profileWaitMs'>
  },
  use: () => ProfileUse,
): ProfileLook => {
  const { profiles, forgotten, clock, settings } = deps
  /** Since when look-ups fail, epoch ms; undefined if the last one did not. */
  let failingSince: number | undefined
  let failedAt: number | undefined
  const needs = (): readonly string[] => (profiles === undefined ? [] : use().needs)
  /** The events of a record that may be mapped with the profile. A conversion has the values of its signal. */
  const usersOf = (record: DeliveryRecord): number[] => {
    const { meta } = record.reference
    if (holdsRows(meta) || meta.producer?.kind === 'signal' || meta.isWithoutProfile) return []
    const { usesProfile } = use()
    return (record.events() ?? []).flatMap((event, index) => (usesProfile(event) ? [index] : []))
  }

  const isRead = ({ row, record: { reference } }: Wanted): boolean =>
    row !== undefined || profiles?.hasRead(reference.partition, reference.offset) === true

  const find = async (
    records: readonly Wanted[],
    needed: readonly string[],
    events: readonly { userId?: string; anonymousId?: string }[],
  ): Promise<readonly EventProfile[]> => {
    const [first] = records
    if (profiles === undefined || first === undefined || events.length === 0) return []
    const { partition, meta } = first.record.reference
    const isLive = records.every(({ row, record }) => row === undefined && record.reference.partition === partition)
    const offset = Math.max(...records.map(({ record }) => record.reference.offset))
    const began = clock()
    if (failedAt !== undefined && began - failedAt >= apartMs) failingSince = undefined
    try {
      const found = await profiles.look(meta.workspaceId, events, needed, isLive ? { partition, offset } : undefined)
      failingSince = undefined
      return found
    } catch (error) {
      failingSince ??= began
      failedAt = clock()
      if (records.some(isRead) && failedAt - failingSince < settings.profileWaitMs) throw error
      return events.map(() => behind)
    }
  }

  return {
    isNeeded: () => needs().length > 0,
    lacks: (record) => {
      const needed = needs()
      if (needed.length === 0) return false
      // After a deletion or suppression, values that were looked up before it are not used.
      const version = forgotten.version(record.reference.meta.workspaceId)
      return usersOf(record).some((index) => {
        const noted = record.profiles?.get(index)
        return noted === undefined || noted.version !== version || !covers(noted.needs, needed)
      })
    },
    waits: (record) => {
      if (needs().length === 0) return false
      const { partition, offset, time } = record.reference
      if (profiles?.hasRead(partition, offset) !== false || clock() - time >= settings.profileWaitMs) return false
      return usersOf(record).length > 0
    },
    look: async (wanted) => {
      const needed = needs()
      if (needed.length === 0) return
      const notes = new Map(wanted.map(({ record }) => [record, new Map(record.profiles)]))
      const asked: { note: (profile: EventProfile) => void; owner: { userId?: string; anonymousId?: string } }[] = []
      for (const each of wanted) {
        const { record, row } = each
        for (const index of usersOf(record)) {
          if (row?.indexes.includes(index) === false) continue
          const version = forgotten.version(record.reference.meta.workspaceId)
          const event = record.values(index)
          if (event === undefined) {
            notes.get(record)?.set(index, { ...noProfile, needs: needed, version })
            continue
          }
          const kept = keptOf(row, event.eventId, needed)
          // A user who was deleted or suppressed since the first attempt has no profile now.
          const note = (profile: EventProfile): void => {
            const values = isKnown(profile) && kept !== undefined ? { ...kept, consent: profile.consent } : profile
            notes.get(record)?.set(index, { ...values, needs: needed, version })
          }
          const isFinal = kept !== undefined && (kept.version ?? '') === version && !needed.includes(consentNeed)
          if (isFinal) note(kept)
          else if (isRead(each)) asked.push({ note, owner: event })
          // Its wait is over: it gets the values that are known already. Their consent may be out of date.
          else asked.push({ note: (profile) => note(outOfDate(profile)), owner: event })
        }
      }
      const found = await find(
        wanted,
        needed,
        asked.map(({ owner }) => owner),
      )
      for (const [place, { note }] of asked.entries()) note(found[place] ?? behind)
      for (const [record, profilesOfRecord] of notes) record.profiles = profilesOfRecord
    },
  }
}
