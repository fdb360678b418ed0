import type { EventSummary, Profile, ProfileSummary } from '@tributary/contract'
import type { WorkspaceRef } from '@tributary/http'
import { type Actor, editors, mayAct } from '@tributary/kernel'

/** Guests see that something is there, and not what. */
export const isMasked = (actor: Actor, workspace: WorkspaceRef): boolean =>
  !mayAct(actor, workspace.organizationId, editors)

const hidden = '•••'

/** The first two characters of a text, which tell rows apart, and nothing of a short one. */
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

/** A value of a trait of which only stays whether there is one. */
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

/** A row of a list of events without personal data. */
export const maskEvent = <Each extends EventSummary>(event: Each): Each => ({
  ...event,
  user_id: maskText(event.user_id),
  anonymous_id: maskText(event.anonymous_id),
})
