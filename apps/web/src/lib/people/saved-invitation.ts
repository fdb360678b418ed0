import { storagePrefix } from '../browser/storage-prefix.ts'

/**
 * An invitation that was opened while signed out: an emailed one, or an invitation link. `organization` and `id` are
 * IDs.
 */
export type SavedInvitation =
  | { kind: 'invitation'; id: string; token: string }
  | { kind: 'link'; organization: string; id: string }

const key = `${storagePrefix}-saved-invitation`

/** Time in ms for which a saved invitation counts: no invitation is valid for longer. */
const keptMs = 7 * 24 * 3600 * 1000

const read = (text: string | null, now: number): SavedInvitation | undefined => {
  if (text === null) return undefined
  try {
    const { at, kind, id, token, organization } = JSON.parse(text) as Record<string, unknown>
    if (typeof at !== 'number' || now - at > keptMs || typeof id !== 'string') return undefined
    if (kind === 'invitation' && typeof token === 'string') return { kind, id, token }
    if (kind === 'link' && typeof organization === 'string') return { kind, id, organization }
  } catch {
    // The stored value is not an invitation, so it is ignored.
  }
  return undefined
}

/** Stores an invitation in this browser until the user has logged in or signed up, for at most 7 days. */
export const saveInvitation = (invitation: SavedInvitation): void => {
  localStorage.setItem(key, JSON.stringify({ ...invitation, at: Date.now() }))
}

/** True if an emailed invitation is saved. It allows a sign-up even if sign-up is closed. */
export const isMailedInvitationSaved = (): boolean => read(localStorage.getItem(key), Date.now())?.kind === 'invitation'

/** Returns the saved invitation and removes it. */
export const takeInvitation = (): SavedInvitation | undefined => {
  const found = read(localStorage.getItem(key), Date.now())
  localStorage.removeItem(key)
  return found
}
