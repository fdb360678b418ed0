import { type ProblemKind, pointerOf, problemMessages, propertyIdOf, type Violation } from '@tributary/contract'
import { propertyNames } from '../../../lib/events/property-path.ts'

/** The title of a problem, in the words of the compatibility check. */
export const problemTitle = (problem: Violation['problem']): string =>
  problem === 'new_event' ? 'New event' : problemMessages[problem]

const explanations: Record<ProblemKind, string> = {
  missing: 'The schema requires it, but events arrived without it. Send it, or make it optional in the schema.',
  type: 'Events arrived with a value of another type. Send the type in the schema, or change the schema.',
  unknown: 'Events arrived with a property that is not in the schema. Add it to the schema, or stop sending it.',
}

/** The problem and its solution, in one or two sentences. */
export const problemHelp = ({ problem, type }: Pick<Violation, 'problem' | 'type'>): string => {
  if (problem !== 'new_event') return explanations[problem]
  return type === 'identify'
    ? 'User traits are not in the schema. Add them to have them checked.'
    : 'This event is not in the schema. Add it, or stop sending it.'
}

/** The note on a violation that the schema allows now. */
export const fixedHelp = (version: number): string =>
  `Version ${version} of the schema allows it. The events counted here arrived earlier.`

/** The displayed event of a violation. */
export const violationEvent = ({ type, event }: Pick<Violation, 'type' | 'event'>): string =>
  type === 'identify' ? 'User traits' : event

/** The JSON Pointer of the place in the schema where a violation is fixed. */
export const violationPlace = ({ type, event, property }: Pick<Violation, 'type' | 'event' | 'property'>): string => {
  const owner = type === 'identify' ? undefined : event
  const [first, second] = propertyNames(property)
  if (first === undefined) return owner === undefined ? '/user' : pointerOf(['events', owner])
  return propertyIdOf({
    event: owner,
    parent: second === undefined ? undefined : first,
    property: second ?? first,
  })
}
