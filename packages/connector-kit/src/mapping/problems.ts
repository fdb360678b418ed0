import {
  type EventMapping,
  type FieldMapping,
  type MappingSource,
  mappingLimits,
  mappingVariables,
  pathMistake,
  pathNames,
  pathOf,
  profileFieldMistake,
  templateProblemText,
} from '@tributary/contract'
import type { ActionDefinition, DestinationDefinition } from '../definition/definition.ts'
import { templateProblem } from '../templates/json-template.ts'
import { coerce } from './coerce.ts'
import { closedTarget, isPlace } from './compile.ts'

type Problems = Record<string, string>

const sourceProblem = (source: MappingSource): string | undefined => {
  switch (source.type) {
    case 'FIELD':
      return pathMistake(source.name)
    case 'PROFILE':
      return pathMistake(source.name) ?? profileFieldMistake(source.name)
    case 'VARIABLE':
      return mappingVariables.some(({ name }) => name === source.name)
        ? undefined
        : `There is no variable "${source.name}"`
    case 'CONSTANT':
      return undefined
    case 'TEMPLATE': {
      const problem = templateProblem(source.value, 'text')
      return problem === undefined ? undefined : templateProblemText(problem)
    }
  }
}

/** Returns why the constant of a field is invalid for its target. */
const constantProblem = (action: ActionDefinition, { source, target }: FieldMapping): string | undefined => {
  if (source.type !== 'CONSTANT') return undefined
  const known = action.targets.find(({ name }) => name === target.name)
  if ((known?.required ?? target.is_required) && source.value === '') return 'Required'
  const coerced = coerce(source.value, known?.type ?? target.type)
  return coerced !== undefined && 'problem' in coerced ? `The constant ${coerced.problem}` : undefined
}

const targetProblem = (action: ActionDefinition, name: string): string | undefined => {
  const names = pathNames(name)
  const mistake = pathMistake(name, true)
  if (mistake !== undefined) return mistake
  if (!isPlace(names)) return `"${name}" is not a valid field name`
  const closed = closedTarget(action, names)
  if (closed !== undefined) return `"${name}" ${closed}`
  if (action.customTargets || action.targets.some((target) => target.name === name)) return undefined
  return `${action.title} has no field "${name}"`
}

/** Returns the indexes of keys that occur earlier in the list. */
const repeated = (keys: readonly string[]): number[] => {
  const before = new Set<string>()
  return keys.flatMap((key, index) => {
    if (before.has(key)) return [index]
    before.add(key)
    return []
  })
}

const fieldProblems = (action: ActionDefinition, mapping: FieldMapping): [string, string][] => {
  const { source, target } = mapping
  const place = 'name' in source ? 'source.name' : 'source.value'
  const problems: [string, string | undefined][] = [
    [place, sourceProblem(source) ?? constantProblem(action, mapping)],
    ['target.name', targetProblem(action, target.name)],
  ]
  return problems.flatMap(([key, message]) => (message === undefined ? [] : [[key, message] as [string, string]]))
}

const allFieldProblems = (action: ActionDefinition, fields: readonly FieldMapping[]): Problems => {
  const problems: Problems = {}
  for (const [index, mapping] of fields.entries())
    for (const [key, message] of fieldProblems(action, mapping)) problems[`field_mappings.${index}.${key}`] = message
  for (const index of repeated(fields.map(({ id }) => id)))
    problems[`field_mappings.${index}.id`] = 'Another field has this id'
  for (const index of repeated(fields.map(({ target }) => pathOf(pathNames(target.name)))))
    problems[`field_mappings.${index}.target.name`] ??= 'This field is mapped twice'
  return problems
}

/** Returns a message that names the required targets without an enabled field. */
const missingProblem = (action: ActionDefinition, fields: readonly FieldMapping[]): string | undefined => {
  if (action.wholeEvent && fields.length === 0) return undefined
  const mapped = new Set(fields.filter(({ enabled }) => enabled).map(({ target }) => target.name))
  const missing = action.targets.filter(({ name, required }) => required && !mapped.has(name))
  if (missing.length === 0) return undefined
  return `Map the required ${missing.length === 1 ? 'field' : 'fields'} ${missing.map(({ label }) => `"${label}"`).join(', ')}`
}

const eventMappingProblems = (
  definition: Pick<DestinationDefinition, 'actions' | 'title'>,
  mapping: EventMapping,
): Problems => {
  const action = definition.actions.find(({ name }) => name === mapping.destination)
  if (action === undefined) return { destination: `${definition.title} has no action "${mapping.destination}"` }
  const problems = allFieldProblems(action, mapping.field_mappings)
  const missing = missingProblem(action, mapping.field_mappings)
  if (missing !== undefined) problems['field_mappings'] = missing
  for (const index of repeated(mapping.filters.map(({ id }) => id)))
    problems[`filters.${index}.id`] = 'Another condition has this id'
  for (const [index, { field }] of mapping.filters.entries()) {
    const mistake = pathMistake(field)
    if (mistake !== undefined) problems[`filters.${index}.field`] = mistake
  }
  return problems
}

/** Returns the templates of mappings. */
export const templatesOf = (mappings: readonly EventMapping[]): string[] =>
  mappings
    .flatMap((mapping) => mapping.field_mappings)
    .flatMap(({ source }) => (source.type === 'TEMPLATE' ? [source.value] : []))

/** Returns why the templates of mappings are too long to be checked; undefined if they are not. */
export const templatesTooLong = (mappings: readonly EventMapping[]): string | undefined => {
  const longest = mappingLimits.templateCharactersTogether
  const characters = templatesOf(mappings).reduce((sum, text) => sum + text.length, 0)
  return characters > longest ? `Templates of at most ${longest} characters together` : undefined
}

/**
 * Returns why mappings cannot be saved: messages by position, such as `event_mappings.0.field_mappings.2.source.value`.
 * Unmapped required targets are reported at `event_mappings.0.field_mappings`. Empty if everything is valid.
 */
export const mappingProblems = (
  definition: Pick<DestinationDefinition, 'actions' | 'title'>,
  mappings: readonly EventMapping[],
): Record<string, string> => {
  // This check precedes parsing, because parsing a million characters takes a second.
  const tooLong = templatesTooLong(mappings)
  if (tooLong !== undefined) return { event_mappings: tooLong }
  const problems: Problems = {}
  for (const [index, mapping] of mappings.entries())
    for (const [key, message] of Object.entries(eventMappingProblems(definition, mapping)))
      problems[`event_mappings.${index}.${key}`] = message
  for (const index of repeated(mappings.map(({ id }) => id)))
    problems[`event_mappings.${index}.id`] = 'Another mapping has this id'
  return problems
}
