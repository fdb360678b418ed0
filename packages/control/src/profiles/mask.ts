import type { EventSummary, LiveEventSummary, LiveMessage, Profile, ProfileSummary } from '@tributary/contract'
import type { WorkspaceRef } from '@tributary/http'
import { type Actor, editors, isRecord, mayAct } from '@tributary/kernel'

/** Guests see that something is there, and not what. */
export const isMasked = (actor: Actor, workspace: Pick<WorkspaceRef, 'organizationId'>): boolean =>
  !mayAct(actor, workspace.organizationId, editors)

/** Replaces a hidden value. */
export const hidden = '•••'

/** The first two characters of a text, by which rows differ, and nothing of a short one. */
export const maskText = (text: string): string => {
  const characters = Array.from(text)
  return text === '' ? '' : characters.length < 8 ? hidden : `${characters.slice(0, 2).join('')}${hidden}`
}

const maskIdentifiers = <Each extends { value: string }>(identifiers: readonly Each[]): Each[] =>
  identifiers.map((each) => ({ ...each, value: maskText(each.value) }))

/** A row of the list without personal data. */
export const maskSummary = <Each extends ProfileSummary>(profile: Each): Each => ({
  ...profile,
  title: maskText(profile.title),
  email: maskText(profile.email),
  identifiers: maskIdentifiers(profile.identifiers),
})

/** A trait whose value is hidden, except for whether it exists. */
export const maskTraitValue = <Each extends { value: string | null }>(given: Each): Each => ({
  ...given,
  value: given.value === null ? null : JSON.stringify(hidden),
})

/** A profile without personal data: names of traits stay. */
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

/** The start of a quoted outside text in a sentence. */
const quoted = /[{<"“]|: /

/** Whether a word may be of a person: an address, or a number that identifies people. */
const isPersonal = (word: string): boolean => word.includes('@') || /\d{5}/.test(word)

/** A reason without its quotes. The product's own sentence stays. */
export const maskReason = (reason: string): string => {
  const at = reason.search(quoted)
  const own = at < 0 ? reason : reason.slice(0, at).trimEnd()
  const words = own.split(' ').map((word) => (isPersonal(word) ? hidden : word))
  return [...words, ...(at < 0 ? [] : [hidden])].join(' ')
}

/** Masks the reason of a rejected event. The name of the reason and the advice stay. */
export const maskEventReason = (reason: string): string => {
  const at = reason.indexOf(': ')
  return at < 0 ? maskReason(reason) : `${reason.slice(0, at)}: ${maskReason(reason.slice(at + 2))}`
}

/** A row of a list of events without personal data. */
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

/** A message of the live channel of a source without personal data; nothing of a message of another form. */
export const maskLiveMessage = (data: unknown): unknown =>
  isLiveMessage(data) ? { events: data.events.map(maskLive), skipped: data.skipped } : {}
