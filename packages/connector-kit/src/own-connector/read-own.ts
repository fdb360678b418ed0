import type { DestinationDefinition } from '../definition/definition.ts'
import { definitionProblems } from '../definition/definition-problems.ts'
import { defineDescribed, readDescription } from '../description/define-described.ts'
import type { Description } from '../description/format/schema.ts'
import type { Normalizations } from '../description/problems/description-problems.ts'

/** A problem of a description, and its place: names joined by dots, '' for the whole description. */
export type OwnProblem = { readonly path: string; readonly message: string }

/** A description as it was read: a destination, or the problems that make it none. */
export type OwnReading =
  | { readonly ok: true; readonly definition: DestinationDefinition; readonly described: Description }
  | { readonly ok: false; readonly problems: readonly OwnProblem[] }

/** Maximum problems that are returned. */
const maxProblems = 100
/** Maximum events of a delivery, so that a batch takes little time of its thread. */
const maxEvents = 500

/** The member of a description that a sentence begins with, such as `The action track has …`. */
const members: readonly (readonly [RegExp, string])[] = [
  [/^The action ([a-z]\w*)/, 'actions'],
  [/^The request ([a-z]\w*)/, 'requests'],
  [/^The server ([a-z]\w*)/, 'servers'],
  [/^The credential ([a-z]\w*)/, 'auth'],
  [/^The setting ([a-z]\w*)/, 'settings'],
]
const wholes: readonly (readonly [string, string])[] = [
  ['The test', 'test'],
  ['The deletion', 'deletion'],
  ['A preset', 'presets'],
  ['The preset', 'presets'],
  ['The object', 'objects'],
  ['The batching', 'limits'],
]

/** Returns the place that a sentence names; '' for none. */
const placeIn = (sentence: string): string => {
  for (const [expression, member] of members) {
    const name = expression.exec(sentence)?.[1]
    if (name !== undefined) return `${member}.${name}`
  }
  return wholes.find(([start]) => sentence.startsWith(start))?.[1] ?? ''
}

/** Returns a path of Zod, such as `presets[0].fields["a-b"]`, as names joined by dots. */
const dotted = (path: string): string =>
  path
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .replaceAll(/\["([^"\]]*)"\]/g, '.$1')
    .replace(/^\./, '')

/** Reads the message of `readDescription`: sentences in lines, each perhaps with a line for its place. */
const problemsIn = (message: string): OwnProblem[] => {
  const problems: OwnProblem[] = []
  for (const line of message.split('\n').slice(1)) {
    const place = /^ *→ at (.*)$/.exec(line)?.[1]
    const last = problems.at(-1)
    if (place !== undefined && last !== undefined) problems[problems.length - 1] = { ...last, path: dotted(place) }
    else if (line.trim() !== '') {
      const sentence = line.replace(/^✖ /, '').trim()
      problems.push({ path: placeIn(sentence), message: sentence })
    }
  }
  return problems
}

const problemsOf = (error: unknown): OwnProblem[] => {
  if (error instanceof SyntaxError) return [{ path: '', message: `The description is no JSON: ${error.message}` }]
  if (error instanceof RangeError) return [{ path: '', message: 'The description is too deep' }]
  const message = error instanceof Error ? error.message : String(error)
  const problems = problemsIn(message)
  return problems.length > 0 ? problems : [{ path: '', message: message.split('\n')[0] ?? message }]
}

/** A guide that passes the rules for guides of the product. That of an own destination may be empty. */
const anyGuide = [
  { title: 'Set up', text: 'Enter the settings.' },
  { title: 'Try', text: 'Send an event.' },
]

/** Returns problems by the rules for all destinations, except for those of style. */
const ownProblems = (definition: DestinationDefinition): OwnProblem[] =>
  definitionProblems({ ...definition, slug: 'own', docs: { url: definition.docs.url, steps: anyGuide } })
    .filter((message) => !/is not a sentence$|is still to be written: /.test(message))
    .map((message) => ({ path: placeIn(message), message }))

const limited = (definition: DestinationDefinition, app: string): DestinationDefinition => {
  const { popular: _, ...own } = definition
  return {
    ...own,
    slug: app,
    batching: (settings) => {
      const batching = definition.batching(settings)
      return { ...batching, maxEvents: Math.min(batching.maxEvents, maxEvents) }
    },
  }
}

/**
 * Reads a description that a user wrote. `app` becomes the slug of the destination, whatever the description says. Never
 * throws for a text: its problems are returned, at most a hundred.
 */
export const readOwn = (
  texts: { readonly description: string; readonly guide: string },
  app: string,
  normalizations: Normalizations = {},
): OwnReading => {
  const { description, guide } = texts
  let described: Description
  try {
    described = readDescription(description, normalizations)
  } catch (error) {
    return { ok: false, problems: problemsOf(error).slice(0, maxProblems) }
  }
  try {
    const definition = limited(defineDescribed(described, guide, normalizations), app)
    const problems = ownProblems(definition)
    return problems.length === 0
      ? { ok: true, definition, described }
      : { ok: false, problems: problems.slice(0, maxProblems) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ok: false, problems: [{ path: /guide|step/i.test(message) ? 'guide' : '', message }] }
  }
}
