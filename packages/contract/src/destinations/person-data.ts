import { isRecord } from '@tributary/kernel/browser'
import { pathMistake, pathNames } from '../rules/conditions.ts'
import { profileFieldMistake } from './profile-fields.ts'

type Holder = 'context.traits' | 'properties' | 'traits'

const holders = ['context.traits', 'properties', 'traits'] as const
// In properties, a name such as `city` can belong to something else, such as a hotel.
const traitHolders = ['context.traits', 'traits'] as const

const pathsIn = (places: readonly (Holder | `${Holder}.address`)[], names: readonly string[]): string[] =>
  places.flatMap((place) => names.map((name) => `${place}.${name}`))

const anywhere = (...names: readonly string[]): readonly string[] => pathsIn(holders, names)
const inTraits = (...names: readonly string[]): readonly string[] => pathsIn(traitHolders, names)
const inAddress = (...names: readonly string[]): readonly string[] => [
  ...pathsIn(['context.traits.address', 'properties.address', 'traits.address'], names),
  ...inTraits(...names),
]

/**
 * The kinds of data of a person, and the paths at which an event can have them, in their order. These are the paths of a
 * workspace that has not changed them: those at which libraries and peers send the data, in camelCase and snake_case.
 * Segment reads `properties.first_name`, `context.traits.first_name` and `address.postal_code` (action-destinations,
 * `tiktok-conversions/reportWebEvent/fields/common_fields.ts`). RudderStack reads `firstname`, `first_name` and
 * `address.zip` in `traits` and `context.traits` (rudder-transformer, `facebook_pixel/data/FBPIXELUserDataConfig.json`).
 */
export const personDataKinds = [
  { kind: 'email', label: 'Email', paths: anywhere('email') },
  { kind: 'phone', label: 'Phone', paths: anywhere('phone', 'phone_number', 'phoneNumber') },
  { kind: 'first_name', label: 'First name', paths: anywhere('firstName', 'first_name', 'firstname') },
  { kind: 'last_name', label: 'Last name', paths: anywhere('lastName', 'last_name', 'lastname') },
  { kind: 'city', label: 'City', paths: inAddress('city') },
  { kind: 'state', label: 'State', paths: inAddress('state') },
  { kind: 'postal_code', label: 'Postal code', paths: inAddress('postalCode', 'postal_code', 'zip') },
  { kind: 'country', label: 'Country', paths: inAddress('country') },
  { kind: 'gender', label: 'Gender', paths: inTraits('gender') },
  { kind: 'birthday', label: 'Date of birth', paths: inTraits('birthday', 'dateOfBirth', 'date_of_birth') },
] as const
export type PersonDataKind = (typeof personDataKinds)[number]['kind']

/** The paths of each kind, in their order. A path that begins with `profile.` is in the profile of the user. */
export type PersonDataPaths = Readonly<Record<PersonDataKind, readonly string[]>>

/** The paths of a workspace that has not changed them. */
export const defaultPersonDataPaths = Object.fromEntries(
  personDataKinds.map(({ kind, paths }) => [kind, paths]),
) as PersonDataPaths

/**
 * Returns the paths of a workspace, with the defaults for kinds that it has not changed. `stored` can be of another
 * version, with further kinds.
 */
export const personDataPathsOf = (stored: unknown): PersonDataPaths => {
  if (!isRecord(stored)) return defaultPersonDataPaths
  const own = personDataKinds.flatMap(({ kind }): [PersonDataKind, readonly string[]][] => {
    const paths = Object.hasOwn(stored, kind) ? stored[kind] : undefined
    return Array.isArray(paths) ? [[kind, paths.map(String)]] : []
  })
  return { ...defaultPersonDataPaths, ...Object.fromEntries(own) }
}

/** The variables of mappings for the kinds. */
export const personVariables = personDataKinds.map(({ kind, label }) => ({
  name: `user_${kind}` as const,
  display_name: `${label} of the user`,
}))

const kinds = new Map<string, PersonDataKind>(personDataKinds.map(({ kind }) => [`user_${kind}`, kind]))

/** Returns the kind that a variable of mappings reads; undefined for any other variable. */
export const personKindOf = (variable: string): PersonDataKind | undefined => kinds.get(variable)

const ofProfile = 'profile.'

/** Returns the value of the profile that a path reads, such as `traits.email`; undefined for a path of the event. */
export const profileFieldOf = (path: string): string | undefined =>
  path.startsWith(ofProfile) ? path.slice(ofProfile.length) : undefined

const eventParts: ReadonlySet<string> = new Set(['context', 'properties', 'traits'])

/** Returns why a text is not a path of a person's data, as a sentence; undefined if it is one. */
export const personPathMistake = (path: string): string | undefined => {
  const mistake = pathMistake(path)
  if (mistake !== undefined) return mistake
  const field = profileFieldOf(path)
  if (field !== undefined) return profileFieldMistake(field)
  const [part = '', name] = pathNames(path)
  return eventParts.has(part) && name !== undefined
    ? undefined
    : 'Begin with context., properties., traits., or profile.'
}
