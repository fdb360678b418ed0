import type { Entry } from '../ledger.ts'

/** Characters of a profile's ID that stand for it here: 48 random bits. Profiles that share them count as one. */
const shortLength = 13

/** Returns a short form of a profile's ID. */
export const shortId = (profileId: string): string => profileId.slice(0, shortLength)

/** Maximum number of profiles in a message. If there are more, all profiles count as changed. */
const maxProfiles = 4096

/** Changed profiles, in their short form; `all` if any profile may have changed. */
export type ChangedProfiles = readonly string[] | 'all'

/** Collects profiles until they are published. */
export type ProfileChanges = {
  /**
   * Notes profiles whose traits, identifiers, or members changed. Called after the commit, and before the position
   * passes the events of the change.
   */
  note(profileIds: Iterable<string>): void
  /** Notes that any profile may have changed. Called if a transaction failed, because it may have been committed. */
  noteAll(): void
  /** Returns what was noted since the last call. */
  take(): ChangedProfiles
}

/** Creates an empty collection, which takes at most 4,096 short IDs. */
export const createProfileChanges = (): ProfileChanges => {
  let noted = new Set<string>()
  let isAll = false
  return {
    note: (profileIds) => {
      for (const id of profileIds) {
        if (isAll) return
        noted.add(shortId(id))
        isAll = noted.size > maxProfiles
      }
    },
    noteAll: () => void (isAll = true),
    take: () => {
      const taken = isAll ? 'all' : [...noted]
      if (isAll || noted.size > 0) noted = new Set()
      isAll = false
      return taken
    },
  }
}

/** For callers that publish nothing. */
export const noProfileChanges: Pick<ProfileChanges, 'note' | 'noteAll'> = { note: () => {}, noteAll: () => {} }

/**
 * Returns the profiles that entries change, and those of identifiers with changed traits (`bearers`). A profile that the
 * transaction creates has no earlier values. Neither a refused identifier nor a later time of the same traits changes a
 * value.
 */
export const changedBy = (entries: readonly Entry[], bearers: Iterable<string | undefined>): Set<string> => {
  const changed = new Set<string>()
  for (const id of bearers) if (id !== undefined) changed.add(id)
  for (const { operation } of entries) {
    if (operation.kind === 'link' || operation.kind === 'merge') changed.add(operation.profile)
    if (operation.kind === 'merge') changed.add(operation.merged)
  }
  for (const { operation } of entries) if (operation.kind === 'create') changed.delete(operation.profile)
  return changed
}
