import { z } from 'zod'
import type {
  ActionDefinition,
  DestinationDefinition,
  MappingPreset,
  ObjectDefinition,
  PresetField,
} from '../definition/definition.ts'
import { descriptionLimits } from './format/limits.ts'
import { type DescribedAction, type DescribedField, description } from './format/schema.ts'
import { readGuide } from './guide.ts'
import { descriptionProblems, type Normalizations } from './problems/description-problems.ts'
import { sizeProblems } from './problems/size-problems.ts'
import { grantClient } from './requests/authorize.ts'
import { hostCheck, makeSettings } from './requests/make-settings.ts'
import type { Described } from './requests/open-request.ts'
import { deletePeople } from './sending/delete-people.ts'
import { deliverEvents } from './sending/deliver-events.ts'
import { rowsOf } from './sending/deliver-rows.ts'
import { tryConnection } from './sending/try-connection.ts'

/** Returns a value without members that are undefined, at its own level. */
const defined = <Value extends object>(value: Value): { [Name in keyof Value]: Exclude<Value[Name], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never

const normalizationOf = (
  { normalize, pii, country_field: countryTarget, country_setting: countrySetting }: DescribedField,
  normalizations: Normalizations,
) => {
  const form = normalize === undefined ? undefined : normalizations[normalize]
  return defined({ [pii === undefined ? 'usable' : 'comparable']: form, countryTarget, countrySetting })
}

const targetOf = (
  [name, field]: readonly [string, DescribedField],
  normalizations: Normalizations,
): ActionDefinition['targets'][number] => ({
  name,
  label: field.label,
  help: field.help,
  type: field.type,
  kind: field.kind,
  required: field.required,
  recommended: field.recommended,
  ...normalizationOf(field, normalizations),
  ...defined({
    pii: field.pii,
    maxValues: field.max_values,
    maxItems: field.max_items,
    plainMembers: field.plain_members,
    choices: field.choices,
    fields: field.fields?.map((own) => defined(own)),
  }),
})

const actionOf = (
  [name, action]: readonly [string, DescribedAction],
  normalizations: Normalizations,
): ActionDefinition => ({
  name,
  title: action.title,
  description: action.description,
  targets: Object.entries(action.fields).map((field) => targetOf(field, normalizations)),
  customTargets: action.custom_fields,
  wholeEvent: false,
  eventTypes: action.event_types,
})

const presetField = (given: Described['presets'][number]['fields'][string]): PresetField =>
  defined({ ...given, sources: given.sources?.map((source) => defined(source)) })

const presetOf = (preset: Described['presets'][number]): MappingPreset => ({
  ...defined({
    enabled: preset.enabled,
    eventName: preset.event_name,
    eventType: preset.event_type,
    conditions: preset.conditions,
    since: preset.since,
  }),
  action: preset.action,
  fields: Object.fromEntries(Object.entries(preset.fields).map(([name, given]) => [name, presetField(given)])),
})

const objectOf = (object: Described['objects'][number]): ObjectDefinition => {
  const { sync_modes: syncModes, rows: _, ...others } = object
  return { ...others, syncModes }
}

const authOf = ({ auth }: Described): DestinationDefinition['auth'] => {
  const credentials = Object.values(auth).flat()
  if (credentials.some((credential) => credential.in === 'grant')) return 'oauth2'
  return credentials.length === 0 ? 'none' : 'key'
}

type WritesRows = Pick<DestinationDefinition, 'deliverRows' | 'describeRows' | 'rowObjects' | 'deletesUsers'>

/** The functions for rows of syncs, and for rows that delete users. */
const takesRows = (described: Described, actions: readonly ActionDefinition[]): WritesRows => {
  const { deletion, settings } = described
  const written = rowsOf(described, actions)
  if (deletion === undefined) return written
  const { needs } = deletion
  return {
    ...written,
    deliverRows: (rows, context) =>
      rows[0]?.object === 'users' || written.deliverRows === undefined
        ? deletePeople(described, rows, context)
        : written.deliverRows(rows, context),
    deletesUsers:
      needs === undefined
        ? true
        : (values) => (values[needs] === undefined ? `no ${settings[needs]?.label ?? needs}` : undefined),
  }
}

/** Returns the destination of a checked description, with the steps of its guide in Markdown. */
export const defineDescribed = (
  described: Described,
  guide: string,
  normalizations: Normalizations = {},
): DestinationDefinition => {
  const { limits } = described
  const { requests, per_ms: perMs } = limits
  const actions = Object.entries(described.actions).map((action) => actionOf(action, normalizations))
  const rows = takesRows(described, actions)
  return {
    slug: described.slug,
    title: described.title,
    category: described.category,
    ...(described.popular === undefined ? {} : { popular: described.popular }),
    description: described.description,
    docs: { url: described.docs_url, steps: readGuide(guide) },
    ...(described.api_version === undefined ? {} : { apiVersion: described.api_version }),
    kinds: [...new Set([...described.kinds, ...(rows.rowObjects === undefined ? [] : (['Reverse ETL'] as const))])],
    auth: authOf(described),
    ...(authOf(described) === 'oauth2' ? { oauth2: (settings) => grantClient(described, settings) } : {}),
    settings: makeSettings(described),
    check: (settings) => hostCheck(described)(settings),
    objects: described.objects.map(objectOf),
    actions,
    presets: described.presets.map(presetOf),
    batching: () => ({ maxEvents: limits.max_events, maxBytes: limits.max_bytes, maxWaitMs: limits.max_wait_ms }),
    ...(requests === undefined || perMs === undefined ? {} : { rate: () => ({ requests, perMs }) }),
    ...(limits.concurrency === undefined ? {} : { concurrency: limits.concurrency }),
    ...(limits.max_event_age_ms === undefined ? {} : { maxEventAgeMs: limits.max_event_age_ms }),
    testConnection: (context) => tryConnection(described, context),
    deliver: (batch, context) => deliverEvents(described, batch, context),
    ...rows,
  }
}

const refuse = (problems: readonly string[]): void => {
  if (problems.length === 0) return
  throw new Error(`The description is not valid:\n${problems.slice(0, descriptionLimits.problems).join('\n')}`)
}

/**
 * Reads a description from JSON text. Throws an Error that names every problem: members that the format does not have,
 * references to nothing, templates that fail, and secrets in templates. A text over `descriptionLimits` is refused first.
 */
export const readDescription = (text: string, normalizations: Normalizations = {}): Described => {
  const { bytes } = descriptionLimits
  if (Buffer.byteLength(text) > bytes) throw new Error(`The description has more than ${bytes / 1024} KB`)
  const whole: unknown = JSON.parse(text)
  refuse(sizeProblems(whole))
  const parsed = description.safeParse(whole)
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, descriptionLimits.problems)
    throw new Error(`The description is not valid:\n${z.prettifyError({ issues })}`)
  }
  refuse(descriptionProblems(parsed.data, normalizations))
  return parsed.data
}
