import {
  type ProblemKind,
  pointerNames,
  pointerOf,
  problemMessages,
  propertyIdOf,
  type Violation,
} from '@tributary/contract'

/** What is wrong, in the words of the compatibility check. */
export const problemTitle = (problem: Violation['problem']): string =>
  problem === 'new_event' ? 'New event' : problemMessages[problem]

const explanations: Record<ProblemKind, string> = {
  missing: 'The schema requires it, and events came without it. Send it, or ask for it less in the schema.',
  type: 'Events came with a value of another type. Send the type that the schema says, or change it there.',
  unknown: 'Events came with a property that the schema does not have. Add it to the schema, or stop sending it.',
}

/** What is wrong and what can be done, in one or two sentences. */
export const problemHelp = ({ problem, type }: Pick<Violation, 'problem' | 'type'>): string => {
  if (problem !== 'new_event') return explanations[problem]
  return type === 'identify'
    ? 'The schema does not describe the traits of users. Add them to the schema to have them checked.'
    : 'The schema does not know this event. Add it to the schema, or stop sending it.'
}

/** What is said of a violation that the schema allows by now. */
export const fixedHelp = (version: number): string =>
  `Version ${version} of the schema allows it. The events counted here came before.`

/** How a screen names the event of a violation. */
export const violationEvent = ({ type, event }: Pick<Violation, 'type' | 'event'>): string =>
  type === 'identify' ? 'User traits' : event

/** The names in a violation's property: one, or an array and the field of its items. */
const namesOf = (property: string): readonly string[] =>
  property === '' ? [] : (pointerNames(`/${property}`) ?? [property])

/** How a screen names the property of a violation; '' for a whole event. */
export const violationProperty = (property: string): string => namesOf(property).join(' › ')

/** The JSON Pointer of the place in the schema where a violation is mended. */
export const violationPlace = ({ type, event, property }: Pick<Violation, 'type' | 'event' | 'property'>): string => {
  const owner = type === 'identify' ? undefined : event
  const [first, second] = namesOf(property)
  if (first === undefined) return owner === undefined ? '/user' : pointerOf(['events', owner])
  return propertyIdOf({
    event: owner,
    parent: second === undefined ? undefined : first,
    property: second ?? first,
  })
}
