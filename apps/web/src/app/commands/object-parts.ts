import { type FoundObject, matchScore } from '@tributary/contract'
import { type DestinationTab, paths, type SourceTab } from '../../lib/paths.ts'

/** A tab of an object's page, or an action on the object. */
export type ObjectPart = { name: string; to: string; act?: 'copyKey' }

const sourceTabs: readonly [name: string, tab: SourceTab | undefined][] = [
  ['Overview', 'overview'],
  ['Live events', undefined],
  ['Schema', 'schema'],
  ['Violations', 'violations'],
  ['Refused requests', 'refused'],
  ['Set up', 'setup'],
  ['Connections', 'connections'],
  ['Settings', 'settings'],
]
const destinationTabs: readonly [name: string, tab: DestinationTab | undefined][] = [
  ['Overview', undefined],
  ['Failures', 'failures'],
  ['Deliveries', 'deliveries'],
  ['Mappings', 'mappings'],
  ['Replay', 'replay'],
  ['Connections', 'connections'],
  ['Settings', 'settings'],
]

const partsOf = ({ kind, name }: FoundObject): ObjectPart[] => {
  switch (kind) {
    case 'source':
      return [
        ...sourceTabs.map(([title, tab]) => ({ name: title, to: paths.source(name, tab) })),
        { name: 'Copy write key', to: paths.source(name, 'setup'), act: 'copyKey' },
      ]
    case 'destination':
      return destinationTabs.map(([title, tab]) => ({ name: title, to: paths.destination(name, tab) }))
    case 'audience':
    case 'sync':
    case 'signal':
      return []
  }
}

const partNames = [...sourceTabs.map(([name]) => name), 'Copy write key', ...destinationTabs.map(([name]) => name)]

/** The minimum score for a search word that matches the beginning of a word. */
const startsWord = 75

/** Splits a search into the words that match one of the `names` of a part, and all other words. */
const splitBy = (text: string, names: readonly string[]): { part: string; object: string } => {
  const words = text.trim().split(/\s+/)
  const naming = words.map((word) => word.length > 2 && names.some((name) => matchScore(name, word) >= startsWord))
  const join = (wanted: boolean): string => words.filter((_, index) => naming[index] === wanted).join(' ')
  return { part: join(true), object: join(false) }
}

/**
 * Returns the words of a search that name the object, if its other words name a part of that object. Returns '' if none
 * or all of the words name a part.
 */
export const objectWords = (text: string): string => {
  const { part, object } = splitBy(text, partNames)
  return part === '' ? '' : object
}

/**
 * Returns the parts of `objects` that a search of several words matches: some words match the title of the object, the
 * others its part.
 */
export const matchingParts = (
  text: string,
  objects: readonly FoundObject[],
): { object: FoundObject; part: ObjectPart }[] =>
  objects.flatMap((object) =>
    partsOf(object).flatMap((part) => {
      const words = splitBy(text, [part.name])
      const fits = words.part !== '' && words.object !== '' && matchScore(object.title, words.object) > 0
      return fits ? [{ object, part }] : []
    }),
  )
