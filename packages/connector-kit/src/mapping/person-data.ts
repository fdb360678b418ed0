import {
  defaultPersonDataPaths,
  neededOfProfile,
  type PersonDataKind,
  type PersonDataPaths,
  type PipelineEvent,
  pathNames,
  personDataKinds,
  personKindOf,
  profileFieldOf,
  valueAt,
  workOfValue,
} from '@tributary/contract'
import { templatePaths } from '../templates/json-template.ts'
import { isBlank } from './blank.ts'
import type { EventInHand } from './sources.ts'

/** Cost of reading a name of a path: the same as in a template that names the path. */
const workOfName = 350

const own = 'traits.'
const passed = 'context.traits.'

/**
 * Returns the paths that an identify call is read at. Its own traits are the newest, so `traits.email` comes before
 * `context.traits.email`. It has no properties.
 */
const identifyPaths = (paths: readonly string[]): string[] => {
  const listed = new Set(paths)
  return paths.flatMap((path) => {
    if (path.startsWith('properties.')) return []
    const other = path.startsWith(passed)
      ? `${own}${path.slice(passed.length)}`
      : path.startsWith(own)
        ? `${passed}${path.slice(own.length)}`
        : path
    return listed.has(other) ? [other] : [path]
  })
}

type Read = readonly (readonly string[])[]
type Reads = ReadonlyMap<PersonDataKind, { usual: Read; identify: Read }>

const prepared = new WeakMap<PersonDataPaths, Reads>()

const readsOf = (paths: PersonDataPaths): Reads => {
  const known = prepared.get(paths)
  if (known !== undefined) return known
  const made = new Map(
    personDataKinds.map(({ kind }) => [
      kind,
      { usual: paths[kind].map(pathNames), identify: identifyPaths(paths[kind]).map(pathNames) },
    ]),
  )
  prepared.set(paths, made)
  return made
}

const isEmpty = (value: unknown): boolean =>
  value === '' || value === false || (Array.isArray(value) && value.length === 0)

/**
 * Returns the variable of a kind of a person's data: the first value at the workspace's paths, as a text, in the way of a
 * template with the filter `default`. Undefined if there is none.
 */
export const personVariable =
  (kind: PersonDataKind) =>
  (of: EventInHand): string | undefined => {
    const reads = readsOf(of.place.personData ?? defaultPersonDataPaths).get(kind)
    const paths = (of.event.type === 'identify' ? reads?.identify : reads?.usual) ?? []
    for (const [index, names] of paths.entries()) {
      of.spend(workOfName * names.length)
      // Only the event itself and the profile have members.
      const value = valueAt(names.length > 1 && names[0] !== 'profile' ? of.ownKeys() : of.scope(), names)
      if (value === undefined || value === null || (index < paths.length - 1 && isEmpty(value))) continue
      of.spend(10 * workOfValue(value))
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return text.trim() === '' ? undefined : text
    }
    return undefined
  }

/**
 * Returns a function for the paths of a kind at which an event has a value. It reads an event like mappings do, without
 * the profile.
 */
export const personPathsWithValue = (
  personData: PersonDataPaths,
): ((event: PipelineEvent, kind: PersonDataKind) => string[]) => {
  const ofKind = (kind: PersonDataKind) => {
    const paths = personData[kind].map((path) => ({ path, names: pathNames(path) }))
    const read = new Set(identifyPaths(personData[kind]))
    return { usual: paths, identify: paths.filter(({ path }) => read.has(path)) }
  }
  const prepared = new Map(personDataKinds.map(({ kind }) => [kind, ofKind(kind)]))
  return (event, kind) => {
    const { usual = [], identify = [] } = prepared.get(kind) ?? {}
    return (event.type === 'identify' ? identify : usual).flatMap(({ path, names }) => {
      const value = valueAt(event, names)
      return isBlank(value) || isEmpty(value) ? [] : [path]
    })
  }
}

/** Returns the names of the variables of a person's data that a template reads. */
export const personVariablesIn = (text: string): string[] => {
  if (!text.includes('user_')) return []
  const names = templatePaths(text).flatMap(([name]) => (typeof name === 'string' ? [name] : []))
  return [...new Set(names)].filter((name) => personKindOf(name) !== undefined)
}

/** Returns a phrase that describes the variable of a kind of a person's data, for messages; undefined for others. */
export const personWords = (variable: string): string | undefined => {
  const kind = personKindOf(variable)
  const label = personDataKinds.find((each) => each.kind === kind)?.label
  return label === undefined ? undefined : `the ${label.toLowerCase()} of the user`
}

/** Returns the values of the profile at the paths of a variable, such as `traits.email`. Empty for other variables. */
export const personNeeds = (variable: string, paths: PersonDataPaths = defaultPersonDataPaths): string[] => {
  const kind = personKindOf(variable)
  if (kind === undefined) return []
  return paths[kind].flatMap((path) => {
    const field = profileFieldOf(path)
    return field === undefined ? [] : (neededOfProfile(field) ?? [])
  })
}
