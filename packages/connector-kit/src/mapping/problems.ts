import {
  conditionFieldMistake,
  type EventMapping,
  type FieldMapping,
  type ListSource,
  type MappingSource,
  mappingLimits,
  mappingVariables,
  pathMistake,
  pathNames,
  pathOf,
  profileFieldMistake,
  type TargetType,
  templateProblemText,
} from '@tributary/contract'
import type { ActionDefinition, Choice, DestinationDefinition } from '../definition/definition.ts'
import { templateProblem } from '../templates/json-template.ts'
import { coerce } from './coerce.ts'
import { closedTarget, knownTarget } from './compile-field.ts'
import { profileTemplateMistake } from './event-profile.ts'
import { isPlace } from './payload.ts'
import { choiceOf, choiceWords } from './sent-value.ts'

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
    case 'LIST':
    case 'FIRST':
    case 'CONSTANT':
      return undefined
    case 'TEMPLATE': {
      const problem = templateProblem(source.value, 'text')
      return problem === undefined ? profileTemplateMistake(source.value) : templateProblemText(problem)
    }
  }
}

/** Returns why the constant of a field is invalid for its target. */
const constantProblem = (
  action: ActionDefinition,
  { source, target }: Pick<FieldMapping, 'source' | 'target'>,
): string | undefined => {
  if (source.type !== 'CONSTANT') return undefined
  const known = knownTarget(action, target.name)
  if ((known?.required ?? target.is_required) && source.value === '') return 'Required'
  return valueProblem(source.value, known ?? target)
}

/** Returns why a field does not accept a constant. */
const valueProblem = (
  value: unknown,
  { type, choices }: { type: TargetType; choices?: readonly Choice[] },
): string | undefined => {
  const coerced = coerce(value, type)
  if (coerced !== undefined && 'problem' in coerced) return `The constant ${coerced.problem}`
  if (choices === undefined || coerced === undefined || coerced.value === '') return undefined
  return choiceOf(choices, coerced.value) === undefined ? `The constant is ${choiceWords(choices)}` : undefined
}

/** Returns the problems of a LIST source: its paths, and each field of its items, by position. */
const listProblems = (
  action: ActionDefinition,
  { source, target }: { source: ListSource; target: FieldMapping['target'] },
  at: string,
): [string, string | undefined][] => {
  const known = knownTarget(action, target.name)
  const type = known?.type ?? target.type
  const paths = source.fields.map(({ name }) => pathOf(pathNames(name)))
  const missing = (known?.fields ?? []).filter(({ name, required }) => required === true && !paths.includes(name))
  return [
    [`${at}.list`, pathMistake(source.list)],
    [`${at}.root`, source.root === '' ? undefined : pathMistake(source.root)],
    [at, type === 'array' || type === 'any' ? undefined : 'Only a field that takes a list can have a list of objects'],
    [
      `${at}.fields`,
      missing.length === 0 ? undefined : `Map ${missing.map(({ label }) => `"${label}"`).join(', ')} of the items`,
    ],
    ...repeated(paths).map((index): [string, string] => [`${at}.fields.${index}.name`, 'This field is mapped twice']),
    ...source.fields.flatMap(({ name, type: own, source: from }, index): [string, string | undefined][] => {
      const described = known?.fields?.find((field) => field.name === name) ?? { type: own }
      const place = `${at}.fields.${index}`
      return [
        [`${place}.name`, pathMistake(name, true) ?? (isPlace(pathNames(name)) ? undefined : 'Not a valid field name')],
        ...itemProblems(from, described, `${place}.source`),
      ]
    }),
  ]
}

const itemProblems = (
  source: MappingSource,
  field: Parameters<typeof valueProblem>[1],
  at: string,
): [string, string | undefined][] => {
  if (source.type === 'FIRST')
    return source.sources.flatMap((each, index) => itemProblems(each, field, `${at}.sources.${index}`))
  if (source.type === 'CONSTANT') return [[`${at}.value`, valueProblem(source.value, field)]]
  return [[`${at}.name`, sourceProblem(source)]]
}

/** Returns the problems of the conditions of a field. */
const conditionProblems = (
  action: ActionDefinition,
  { conditions = [], target }: FieldMapping,
): [string, string | undefined][] => [
  ...conditions.map(({ field }, index): [string, string | undefined] => [
    `conditions.${index}.field`,
    conditionFieldMistake(field),
  ]),
  ...repeated(conditions.map(({ id }) => id)).map((index): [string, string] => [
    `conditions.${index}.id`,
    'Another condition has this id',
  ]),
  [
    'conditions',
    conditions.length > 0 && (knownTarget(action, target.name)?.required ?? target.is_required)
      ? 'A required field cannot have conditions'
      : undefined,
  ],
]

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

/** Returns the problems of a source, and of each source of a list, by position. */
const sourceProblems = (
  action: ActionDefinition,
  { source, target }: Pick<FieldMapping, 'source' | 'target'>,
  at: string,
): [string, string | undefined][] => {
  if (source.type === 'FIRST')
    return source.sources.flatMap((each, index) =>
      sourceProblems(action, { source: each, target }, `${at}.sources.${index}`),
    )
  if (source.type === 'LIST') return listProblems(action, { source, target }, at)
  const part = 'name' in source ? 'name' : 'value'
  return [[`${at}.${part}`, sourceProblem(source) ?? constantProblem(action, { source, target })]]
}

const fieldProblems = (action: ActionDefinition, mapping: FieldMapping): [string, string][] => {
  const problems: [string, string | undefined][] = [
    ...sourceProblems(action, mapping, 'source'),
    ['target.name', targetProblem(action, mapping.target.name)],
    ...conditionProblems(action, mapping),
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

/** The parts of a destination by which its mappings are checked. */
type Checked = Pick<DestinationDefinition, 'actions' | 'title'> & Partial<Pick<DestinationDefinition, 'settings'>>

/** Returns why an enabled mapping cannot use its action with the settings. */
const settingProblem = (
  definition: Checked,
  { title, needsSetting }: ActionDefinition,
  settings: Readonly<Record<string, unknown>>,
): string | undefined => {
  if (needsSetting === undefined || settings[needsSetting] === true) return undefined
  const label = definition.settings?.fields.find(({ name }) => name === needsSetting)?.label ?? needsSetting
  return `"${title}" needs "${label}": turn it on in the settings of the destination`
}

const eventMappingProblems = (
  definition: Checked,
  mapping: EventMapping,
  settings: Readonly<Record<string, unknown>> | undefined,
): Problems => {
  const action = definition.actions.find(({ name }) => name === mapping.destination)
  if (action === undefined) return { destination: `${definition.title} has no action "${mapping.destination}"` }
  const problems = allFieldProblems(action, mapping.field_mappings)
  const lacks = settings === undefined || !mapping.enabled ? undefined : settingProblem(definition, action, settings)
  if (lacks !== undefined) problems['destination'] = lacks
  const missing = missingProblem(action, mapping.field_mappings)
  if (missing !== undefined) problems['field_mappings'] = missing
  for (const index of repeated(mapping.filters.map(({ id }) => id)))
    problems[`filters.${index}.id`] = 'Another condition has this id'
  for (const [index, { field }] of mapping.filters.entries()) {
    const mistake = conditionFieldMistake(field)
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
 * Unmapped required targets are reported at `event_mappings.0.field_mappings`. With the settings of the destination, an
 * enabled mapping is also invalid if its action needs a setting that is off. Empty if everything is valid.
 */
export const mappingProblems = (
  definition: Checked,
  mappings: readonly EventMapping[],
  settings?: Readonly<Record<string, unknown>>,
): Record<string, string> => {
  // This check precedes parsing, because parsing a million characters takes a second.
  const tooLong = templatesTooLong(mappings)
  if (tooLong !== undefined) return { event_mappings: tooLong }
  const problems: Problems = {}
  for (const [index, mapping] of mappings.entries())
    for (const [key, message] of Object.entries(eventMappingProblems(definition, mapping, settings)))
      problems[`event_mappings.${index}.${key}`] = message
  for (const index of repeated(mappings.map(({ id }) => id)))
    problems[`event_mappings.${index}.id`] = 'Another mapping has this id'
  return problems
}
