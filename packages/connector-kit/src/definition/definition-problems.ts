import { syncModes } from '@tributary/contract'
import { presetMappings, presetVersion } from '../mapping/presets.ts'
import { mappingProblems } from '../mapping/problems.ts'
import type { DataSourceDefinition } from './data-source.ts'
import type {
  ActionDefinition,
  ActionTarget,
  DestinationDefinition,
  FieldDefinition,
  ObjectDefinition,
  ObjectIdentifier,
  Settings,
} from './definition.ts'
import type { SettingsSchema } from './setting.ts'

/** Text that still contains TODO. */
const unwritten = /\bTODO\b/

const textProblem = (what: string, text: string): string[] => {
  if (text.trim() === '') return [`${what} is empty`]
  return unwritten.test(text) ? [`${what} is still to be written: ${text.trim()}`] : []
}

const repeated = (names: readonly string[]): string[] =>
  [...new Set(names.filter((name, at) => names.indexOf(name) < at))].map((name) => `"${name}"`)

const snakeCase = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/
const kebabCase = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** Typical names of credentials. A name for the ID of a credential, such as `access_key_id`, is not one. */
const credential = /(^|_)(secret|password|token|(api|write|private|secret|license)_key|webhook_url|connection_string)$/

/**
 * Returns why an image cannot be a logo. A logo must be one square SVG element, small, without scripts or outside
 * references.
 */
export const logoProblems = (logo: string): string[] => {
  const problems: string[] = []
  const svg = logo.trim()
  if (!/^<svg\s[^>]*>[\s\S]*<\/svg>$/.test(svg)) return ['The logo is not one SVG element']
  const [, width, height] = /\bviewBox="0 0 (\d{1,9}(?:\.\d{1,9})?) (\d{1,9}(?:\.\d{1,9})?)"/.exec(svg) ?? []
  if (width === undefined || width !== height) problems.push('The logo has no square viewBox that begins at 0 0')
  const forbidden = [/<(?:script|foreignObject|image|use|iframe|a)\b/i, /\son[a-z]+\s*=/i, /javascript:|<!|<\?/i]
  if (forbidden.some((pattern) => pattern.test(svg)))
    problems.push('The logo has scripts or elements that could fetch something')
  if (/\b(?:xlink:)?href\s*=/i.test(svg) || /url\((?!#)|@import/i.test(svg))
    problems.push('The logo refers to something outside')
  if (Buffer.byteLength(svg) > 8192) problems.push('The logo has more than 8 kB')
  return [...problems, ...textProblem('The logo', svg)]
}

const secretTargetProblems = (field: FieldDefinition, fields: readonly FieldDefinition[]): string[] => {
  const what = `The setting ${field.name}`
  if (!field.secret) return (field.sentTo ?? []).length === 0 ? [] : [`${what} is sent somewhere, but is not secret`]
  if (field.sentTo === undefined) return [`${what} is secret and does not say which settings decide where it is sent`]
  return field.sentTo.flatMap(({ setting, by }) => {
    const target = fields.find(({ name }) => name === setting)
    if (target === undefined || target.secret)
      return [`${what} is sent to a setting ${setting} that cannot be compared`]
    return by === 'origin' && target.type !== 'url'
      ? [`${what} is sent to the origin of ${setting}, which is no URL`]
      : []
  })
}

const fieldProblems = (field: FieldDefinition, { shape, fields }: SettingsSchema): string[] => {
  const schema = shape[field.name]
  const what = `The setting ${field.name}`
  const problems = [...textProblem(`${what}: its label`, field.label), ...textProblem(`${what}: its help`, field.help)]
  if (!snakeCase.test(field.name)) problems.push(`${what} is not named in snake_case`)
  if (credential.test(field.name) && !field.secret) problems.push(`${what} holds a secret, but is not marked as one`)
  problems.push(...secretTargetProblems(field, fields))
  if (field.type === 'select' && (field.choices ?? []).length < 2) problems.push(`${what} offers no choice`)
  if (field.min !== undefined && field.max !== undefined && field.min > field.max)
    problems.push(`${what} has bounds that nothing lies within`)
  if (field.default !== undefined) {
    const refused = schema?.safeParse(field.default).error
    if (refused !== undefined)
      problems.push(`${what} has a default that is refused: ${refused.issues.map(({ message }) => message).join(', ')}`)
  }
  const { showWhen } = field
  if (showWhen !== undefined && !fields.some(({ name }) => name === showWhen.field))
    problems.push(`${what} depends on a setting ${showWhen.field} that there is not`)
  return problems
}

/** Checks the settings and targets to which a target refers. */
const referenceProblems = (
  { name, default: fallback, countrySetting }: ActionTarget,
  action: ActionDefinition,
  fields: readonly FieldDefinition[],
): string[] => {
  const settings = [fallback?.setting, countrySetting].filter((each) => each !== undefined)
  const beside = fallback?.beside
  return [
    ...settings
      .filter((setting) => !fields.some((field) => field.name === setting && !field.secret))
      .map((setting) => `the target ${name} has a default in a setting ${setting} that there is not`),
    ...(beside !== undefined && !beside.some((other) => action.targets.some((target) => target.name === other))
      ? [`the target ${name} has a default beside targets that there are not`]
      : []),
  ]
}

const actionProblems = (action: ActionDefinition, fields: readonly FieldDefinition[]): string[] => {
  const what = `The action ${action.name}`
  const problems = [
    ...textProblem(`${what}: its title`, action.title),
    ...textProblem(`${what}: its description`, action.description),
    ...repeated(action.targets.map(({ name }) => name)).map((name) => `${what} has the target ${name} twice`),
    ...action.targets.flatMap(({ name, label, help }) => [
      ...textProblem(`${what}, target ${name}: its label`, label),
      ...textProblem(`${what}, target ${name}: its help`, help),
    ]),
    ...action.targets.flatMap((target) =>
      referenceProblems(target, action, fields).map((problem) => `${what}: ${problem}`),
    ),
  ]
  if (!snakeCase.test(action.name)) problems.push(`${what} is not named in snake_case`)
  const { needsSetting } = action
  if (needsSetting !== undefined && fields.find(({ name }) => name === needsSetting)?.type !== 'boolean')
    problems.push(`${what} needs a setting ${needsSetting} that is no toggle`)
  if (action.targets.length === 0 && !action.customTargets && !action.wholeEvent)
    problems.push(`${what} can be given nothing`)
  return problems
}

const identifierProblem = (
  identifier: ObjectIdentifier,
  { actions }: ObjectDefinition,
  definition: DestinationDefinition,
): string | undefined => {
  if ('event' in identifier) return undefined
  if ('setting' in identifier)
    return definition.settings.fields.some(({ name }) => name === identifier.setting)
      ? undefined
      : `is known by a setting ${identifier.setting} that there is not`
  const writing = definition.actions.filter(({ name }) => actions.includes(name))
  return writing.every(({ targets }) => targets.some(({ name }) => name === identifier.target))
    ? undefined
    : `is known by a target ${identifier.target} that not all of its actions have`
}

const objectProblems = (object: ObjectDefinition, definition: DestinationDefinition): string[] => {
  const what = `The object ${object.name}`
  const problems = [
    ...textProblem(`${what}: its title`, object.title),
    ...textProblem(`${what}: its description`, object.description),
    ...repeated(object.syncModes).map((mode) => `${what} has the sync mode ${mode} twice`),
    ...object.syncModes
      .filter((mode) => !Object.hasOwn(syncModes, mode))
      .map((mode) => `${what} has a sync mode ${mode} that there is not`),
    ...object.actions
      .filter((action) => !definition.actions.some(({ name }) => name === action))
      .map((action) => `${what} is written by an action ${action} that there is not`),
    ...object.identifiers.flatMap((identifier) => {
      const problem = identifierProblem(identifier, object, definition)
      return problem === undefined ? [] : [`${what} ${problem}`]
    }),
  ]
  if (!snakeCase.test(object.name)) problems.push(`${what} is not named in snake_case`)
  if (object.actions.length === 0) problems.push(`${what} is written by no action`)
  const matching = object.syncModes.find((mode) => mode !== 'INSERT_ONLY')
  if (matching !== undefined && object.identifiers.length === 0)
    problems.push(`${what} has the sync mode ${matching}, but nothing to know a record by`)
  return problems
}

/** Checks the received objects, and that every action writes at least one. */
const receivedProblems = (definition: DestinationDefinition): string[] => [
  ...repeated(definition.objects.map(({ name }) => name)).map((name) => `The object ${name} is there twice`),
  ...definition.objects.flatMap((object) => objectProblems(object, definition)),
  ...definition.actions
    .filter(({ name }) => !definition.objects.some(({ actions }) => actions.includes(name)))
    .map(({ name }) => `The action ${name} writes no object`),
  ...(definition.rowObjects ?? []).flatMap(({ name, syncModes: modes }) => [
    ...(definition.deliverRows === undefined
      ? [`The rows of ${name} are taken by nothing: there is no deliverRows`]
      : []),
    ...(modes.length === 0 ? [`The rows of ${name} have no sync mode`] : []),
  ]),
]

const presetProblems = (definition: DestinationDefinition): string[] => {
  if (definition.presets.length === 0) return ['There is no preset: a new destination would leave out every event']
  const problems = mappingProblems(definition, presetMappings(definition))
  return [
    ...definition.presets.flatMap(({ since: own, fields }, index) =>
      [own, ...Object.values(fields).map((field) => field.since)].flatMap((since = 1) =>
        Number.isInteger(since) && since >= 1 && since <= presetVersion
          ? []
          : [`The preset at presets.${index}: since is ${since}; the current version of presets is ${presetVersion}`],
      ),
    ),
    ...Object.entries(problems).map(
      ([place, message]) => `The preset at ${place.replace('event_mappings', 'presets')}: ${message}`,
    ),
  ]
}

const positive = (what: string, value: number | undefined, least = 1): string[] =>
  value === undefined || (Number.isInteger(value) && value >= least)
    ? []
    : [`${what} is ${value}; it must be a whole number of at least ${least}`]

/** Checks batching, rate and concurrency with the defaults of all settings. */
const paceProblems = (definition: DestinationDefinition): string[] => {
  const settings: Settings = Object.fromEntries(definition.settings.fields.map((field) => [field.name, field.default]))
  const { maxEvents, maxBytes, maxWaitMs } = definition.batching(settings)
  const rate = definition.rate?.(settings)
  return [
    ...positive('batching.maxEvents', maxEvents),
    ...positive('batching.maxBytes', maxBytes),
    ...positive('batching.maxWaitMs', maxWaitMs, 0),
    ...positive('rate.requests', rate?.requests),
    ...positive('rate.perMs', rate?.perMs),
    ...positive('concurrency', definition.concurrency),
    ...positive('maxEventAgeMs', definition.maxEventAgeMs),
  ]
}

const docsProblems = ({ docs }: Pick<DestinationDefinition, 'docs'>): string[] => [
  ...textProblem('The address of the vendor’s documents', docs.url),
  ...(URL.parse(docs.url)?.protocol === 'https:' || /^\/docs\/[a-z0-9-]+$/.test(docs.url)
    ? []
    : ['The address of the vendor’s documents is not an https URL']),
  ...(docs.steps.length < 2 ? ['The set-up guide has fewer than two steps'] : []),
  ...docs.steps.flatMap(({ title, text }, at) => [
    ...textProblem(`Step ${at + 1} of the guide: its title`, title),
    ...textProblem(`Step ${at + 1} of the guide: its text`, text),
  ]),
]

type Described = Pick<DestinationDefinition, 'slug' | 'title' | 'description' | 'docs' | 'settings'>

/** Checks the texts of a connector with settings and a guide. */
const describedProblems = ({ slug, title, description, docs, settings }: Described): string[] => [
  ...(kebabCase.test(slug) ? [] : [`The slug "${slug}" is not in kebab-case`]),
  ...textProblem('The title', title),
  ...textProblem('The description', description),
  ...(description.trim().endsWith('.') ? [] : ['The description is not a sentence']),
  ...docsProblems({ docs }),
  ...settings.fields.flatMap((field) => fieldProblems(field, settings)),
]

/** Returns the problems of a data source that must be fixed before it is offered to users; empty if it is complete. */
export const dataSourceProblems = (definition: DataSourceDefinition): string[] => [
  ...describedProblems(definition),
  ...(definition.file === true ||
  definition.people === true ||
  definition.docs.steps.some(({ language }) => language === 'sql')
    ? []
    : ['No step of the guide has the grants to give as SQL']),
]

/**
 * Returns the problems of a destination that must be fixed before it is offered to users; empty if it is complete. A
 * destination with `auth: 'key'` needs a secret setting. Credentials are recognized by their names.
 */
export const definitionProblems = (definition: DestinationDefinition): string[] => {
  const { settings, actions, kinds, auth } = definition
  const { fields } = settings
  const problems = [
    ...describedProblems(definition),
    ...(kinds.length === 0 ? ['It moves no kind of data'] : []),
    ...(actions.length === 0 ? ['It has no action'] : []),
    ...repeated(actions.map(({ name }) => name)).map((name) => `The action ${name} is there twice`),
    ...actions.flatMap((action) => actionProblems(action, fields)),
    ...receivedProblems(definition),
    ...presetProblems(definition),
    ...paceProblems(definition),
  ]
  if (auth === 'oauth2' && definition.oauth2 === undefined)
    problems.push('It needs a grant, but does not say what it is registered as')
  if (auth === 'key' && !fields.some(({ secret }) => secret)) problems.push('It needs a key, but has no secret setting')
  return problems
}
