import { type Condition, pathMistake, pathNames, pathOf } from '../rules/conditions.ts'

/** The parts of a profile whose values mappings can use: `traits.email`, `identifiers.phone`, `audiences.{id}`. */
export const profileParts = ['traits', 'identifiers', 'audiences'] as const
export type ProfilePart = (typeof profileParts)[number]

/** Maximum bytes of the profile values of one event, as JSON text. Values beyond are left out. */
export const maxProfileBytes = 16 * 1024

const isPart = (name: string | undefined): name is ProfilePart => profileParts.some((part) => part === name)

/** Returns why a text does not name a value of the profile, as a sentence; undefined if it does. */
export const profileFieldMistake = (name: string): string | undefined => {
  const [part, value = '', ...inside] = pathNames(name)
  if (!isPart(part)) return 'Begin with traits., identifiers. or audiences.'
  if (value.trim() === '') return `Write a name behind ${part}.`
  return part === 'traits' || inside.length === 0 ? undefined : `${part} have no fields inside`
}

/**
 * Returns the value of the profile that a field needs, as part and name: `traits.address` for `traits.address.city`.
 * Undefined if the text does not name a value of the profile.
 */
export const neededOfProfile = (name: string): string | undefined =>
  profileFieldMistake(name) === undefined ? pathOf(pathNames(name).slice(0, 2)) : undefined

/** Returns what the field of a condition names behind `profile.`; undefined for a field of the event. */
const behindProfile = (field: string): string | undefined => {
  const [first, ...names] = pathNames(field)
  return first === 'profile' ? pathOf(names) : undefined
}

/** Returns the values of the profile that conditions compare, such as `traits.plan` for `profile.traits.plan`. */
export const neededOfConditions = (conditions: readonly Pick<Condition, 'field'>[]): string[] =>
  conditions.flatMap(({ field }) => neededOfProfile(behindProfile(field) ?? '') ?? [])

/**
 * Returns why a text is no field of a condition on an event and its profile, as a sentence; undefined for a valid one.
 */
export const conditionFieldMistake = (field: string): string | undefined => {
  const mistake = pathMistake(field)
  const name = behindProfile(field)
  return mistake !== undefined || name === undefined || profileFieldMistake(name) === undefined
    ? mistake
    : 'Write each value of the profile with its whole name, such as profile.traits.email'
}

/** Returns the needed names of each part, without repetitions. */
export const profileNeeds = (needs: readonly string[]): Readonly<Record<ProfilePart, readonly string[]>> => {
  const found: Record<ProfilePart, Set<string>> = { traits: new Set(), identifiers: new Set(), audiences: new Set() }
  for (const need of needs) {
    const [part, name] = pathNames(need)
    if (isPart(part) && name !== undefined) found[part].add(name)
  }
  return { traits: [...found.traits], identifiers: [...found.identifiers], audiences: [...found.audiences] }
}
