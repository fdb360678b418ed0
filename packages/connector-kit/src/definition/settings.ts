import { isSameTarget } from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import type { FieldDefinition, Settings, SettingsDefinition } from './definition.ts'
import type { SettingsSchema } from './setting.ts'

/** Returns a setting as text; '' if it is absent or not a single value. */
export const settingText = (settings: Settings, name: string): string => {
  const value = settings[name]
  return value === undefined || typeof value === 'object' ? '' : String(value)
}

export type SettingsResult = { ok: true; settings: Settings } | { ok: false; errors: Record<string, string> }

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

type ParsedFields = { parsed: Record<string, Settings[string]>; errors: Record<string, string>; missing: string[] }

/** Parses each setting by its own schema. `missing` lists the required settings without a value. */
const parseFields = ({ shape, fields }: SettingsSchema, settings: Readonly<Record<string, unknown>>): ParsedFields => {
  const errors: Record<string, string> = {}
  const parsed: ParsedFields['parsed'] = {}
  const missing: string[] = []
  for (const name of Object.keys(settings)) if (!Object.hasOwn(shape, name)) errors[name] = 'Unknown setting'
  for (const { name, required, default: value } of fields) {
    const given = Object.hasOwn(settings, name) && !isEmpty(settings[name]) ? settings[name] : undefined
    if (given === undefined && value === undefined) {
      if (required) missing.push(name)
      continue
    }
    const result = shape[name]?.safeParse(given)
    if (result?.success === true) parsed[name] = result.data as Settings[string]
    else errors[name] = result?.error.issues[0]?.message ?? 'Not valid'
  }
  return { parsed, errors, missing }
}

const noObject = { ok: false, errors: { settings: 'Settings must be an object' } } as const

/**
 * Checks entered settings field by field against the definition. Returns parsed settings with defaults, or messages for
 * users by field name. Unknown keys are errors, so that a typing mistake is never ignored. The caller must pass all
 * settings, secrets included, and merge a partial update first.
 */
export const validateSettings = (
  definition: Pick<SettingsDefinition, 'settings' | 'check'>,
  settings: unknown,
): SettingsResult => {
  if (!isJsonObject(settings)) return noObject
  const { parsed, errors, missing } = parseFields(definition.settings, settings)
  for (const name of missing) errors[name] = 'Required'
  if (Object.keys(errors).length === 0) Object.assign(errors, definition.check?.(parsed))
  return Object.keys(errors).length === 0 ? { ok: true, settings: parsed } : { ok: false, errors }
}

/**
 * Returns the secrets that the second settings would send elsewhere, or expose to others in transit, compared with the
 * first. Users must enter these secrets again, because a user who can change settings must not be able to read a
 * secret.
 */
export const redirectedSecrets = (
  { settings: { fields } }: Pick<SettingsDefinition, 'settings'>,
  before: Settings,
  after: Settings,
): FieldDefinition[] =>
  fields.filter(
    ({ name, secret, sentTo = [] }) =>
      secret &&
      before[name] !== undefined &&
      sentTo.some(({ setting, by }) => !isSameTarget(by, before[setting], after[setting])),
  )

/** Valid settings, with the names of the required settings that are still absent. */
export type PartialSettingsResult =
  | { ok: true; settings: Settings; missing: readonly string[] }
  | { ok: false; errors: Record<string, string> }

/** Removes the defaults of settings that cannot be changed later, so that a user can still choose the value. */
const withoutFinalDefaults = (
  { fields }: SettingsSchema,
  parsed: Settings,
  given: Readonly<Record<string, unknown>>,
): Settings => {
  const isFinal = new Set(fields.filter(({ editable }) => !editable).map(({ name }) => name))
  return Object.fromEntries(Object.entries(parsed).filter(([name]) => !isFinal.has(name) || !isEmpty(given[name])))
}

/**
 * Checks settings like `validateSettings`, but allows required settings to be absent: `missing` names them, in the
 * order of the definition. Given settings must be valid, also by the rules that span fields. While a required setting
 * is missing, settings that cannot be changed later have no default.
 */
export const validatePartialSettings = (
  definition: Pick<SettingsDefinition, 'settings' | 'check'>,
  settings: unknown,
): PartialSettingsResult => {
  if (!isJsonObject(settings)) return noObject
  const { parsed, errors, missing } = parseFields(definition.settings, settings)
  if (Object.keys(errors).length === 0)
    for (const [name, text] of Object.entries(definition.check?.(parsed) ?? {}))
      if (!missing.includes(name)) errors[name] = text
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  const isWhole = missing.length === 0
  return { ok: true, settings: isWhole ? parsed : withoutFinalDefaults(definition.settings, parsed, settings), missing }
}
