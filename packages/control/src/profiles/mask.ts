import type { EventSummary, LiveEventSummary, LiveMessage, Profile, ProfileSummary } from '@tributary/contract'
import type { WorkspaceRef } from '@tributary/http'
import { type Actor, editors, isRecord, mayAct } from '@tributary/kernel'

/** Whether values of people are hidden from a caller: guests can see that a value exists, but not the value. */
export const isMasked = (actor: Actor, workspace: Pick<WorkspaceRef, 'organizationId'>): boolean =>
  !mayAct(actor, workspace.organizationId, editors)

/** Replaces a hidden value. */
export const hidden = '•••'

/**
 * Hides a text except for its first two characters, by which rows can be distinguished. Hides all of a text with less
 * than eight characters.
 */
export const maskText = (text: string): string => {
  const characters = Array.from(text)
  return text === '' ? '' : characters.length < 8 ? hidden : `${characters.slice(0, 2).join('')}${hidden}`
}

const maskIdentifiers = <Each extends { value: string }>(identifiers: readonly Each[]): Each[] =>
  identifiers.map((each) => ({ ...each, value: maskText(each.value) }))

/** Hides personal data in a row of the list of profiles. */
export const maskSummary = <Each extends ProfileSummary>(profile: Each): Each => ({
  ...profile,
  title: maskText(profile.title),
  email: maskText(profile.email),
  identifiers: maskIdentifiers(profile.identifiers),
})

/** Hides the value of a trait. Only shows whether there is one. */
export const maskTraitValue = <Each extends { value: string | null }>(given: Each): Each => ({
  ...given,
  value: given.value === null ? null : JSON.stringify(hidden),
})

/** Hides personal data of a profile. The names of traits stay. */
export const maskProfile = (profile: Profile): Profile => ({
  ...maskSummary(profile),
  traits: profile.traits.map(maskTraitValue),
  history: profile.history.map((entry) => ({
    ...entry,
    identifiers: maskIdentifiers(entry.identifiers),
    by: entry.by && { ...entry.by, value: maskText(entry.by.value) },
  })),
  masked: true,
})

/** Matches the place in a message at which a text from outside of the product begins. */
const quoted = /[{<"“]|: /

/** Whether a word may be personal data: an email address, or a number of five digits or more. */
const isPersonal = (word: string): boolean => word.includes('@') || /\d{5}/.test(word)

/**
 * Hides texts from outside in a reason, and words that may be personal data. The rest of the product's own sentence
 * stays.
 */
export const maskReason = (reason: string): string => {
  const at = reason.search(quoted)
  const own = at < 0 ? reason : reason.slice(0, at).trimEnd()
  const words = own.split(' ').map((word) => (isPersonal(word) ? hidden : word))
  return [...words, ...(at < 0 ? [] : [hidden])].join(' ')
}

/** Hides personal data in the reason of a rejected event. The name of the reason and the advice stay. */
export const maskEventReason = (reason: string): string => {
  const at = reason.indexOf(': ')
  return at < 0 ? maskReason(reason) : `${reason.slice(0, at)}: ${maskReason(reason.slice(at + 2))}`
}

/** Hides personal data in a row of a list of events. */
export const maskEvent = <Each extends EventSummary>(event: Each): Each => ({
  ...event,
  user_id: maskText(event.user_id),
  anonymous_id: maskText(event.anonymous_id),
  reason: maskEventReason(event.reason),
})

const maskLive = ({ userId, anonymousId, reason, values, ...event }: LiveEventSummary): LiveEventSummary => ({
  ...event,
  ...(userId === undefined ? {} : { userId: maskText(userId) }),
  ...(anonymousId === undefined ? {} : { anonymousId: maskText(anonymousId) }),
  ...(reason === undefined ? {} : { reason: maskEventReason(reason) }),
  ...(values === undefined
    ? {}
    : { values: Object.fromEntries(Object.keys(values).map((name): [string, string] => [name, hidden])) }),
})

const isLiveMessage = (data: unknown): data is LiveMessage =>
  isRecord(data) && 'events' in data && Array.isArray(data.events)

/**
 * Hides personal data in a message of the live channel of a source. Returns an empty object for any message in another
 * form.
 */
export const maskLiveMessage = (data: unknown): unknown =>
  isLiveMessage(data) ? { events: data.events.map(maskLive), skipped: data.skipped } : {}
