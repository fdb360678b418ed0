import { type Settings, type SettingsDefinition, validateSettings } from '@tributary/connector-kit'
import type { SettingValue } from '@tributary/contract'
import { badRequest, conflict, SecretBoxError } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { openSettings, type SettingsOwner, type StoredSettings, storeSettings } from './stored-settings.ts'

const refused = (field: 'name' | 'value', text: string): Error => badRequest('VALIDATION', text, { [field]: text })

const kindOf = (owner: SettingsOwner): string => (owner.startsWith('sources/') ? 'source' : 'destination')

/**
 * The settings that an app is created with, checked as a whole. Throws 400 with each mistake as `settings.{name}` in the
 * metadata.
 */
export const checkNewSettings = (definition: SettingsDefinition, given: Record<string, SettingValue>): Settings => {
  const checked = validateSettings(definition, given)
  if (checked.ok) return checked.settings
  throw refuseNewSettings(definition, checked.errors)
}

/** Several mistakes as one sentence, each with the name that its setting has on the screen. */
const sentenceOf = (definition: SettingsDefinition, errors: Readonly<Record<string, string>>): string =>
  Object.entries(errors)
    .map(([name, text]) => `${definition.fields.find((field) => field.name === name)?.label ?? name}: ${text}`)
    .join('; ')

/** The refusal of settings at creation: 400 with each mistake as `settings.{name}`. */
export const refuseNewSettings = (definition: SettingsDefinition, errors: Readonly<Record<string, string>>): Error =>
  badRequest(
    'VALIDATION',
    sentenceOf(definition, errors),
    Object.fromEntries(Object.entries(errors).map(([name, text]) => [`settings.${name}`, text])),
  )

/** The whole settings, for what cannot be done without the secrets, such as writing them back; else throws 409. */
export const openForChange = (
  owner: SettingsOwner,
  row: StoredSettings,
  secretBox: ControlDeps['secretBox'],
): Settings => {
  try {
    return openSettings(owner, row, secretBox)
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    throw conflict(
      'SECRETS_UNREADABLE',
      `The ${kindOf(owner)}'s secrets were sealed with another secret key; restore that key`,
    )
  }
}

/**
 * The whole settings with one of them changed; null takes it back to its default. A setting that is not editable takes
 * a first value. Throws 400 with metadata.name or metadata.value; `definition` is undefined when the app is no longer in
 * the catalogue.
 */
export const changedSettings = (
  owner: SettingsOwner,
  definition: SettingsDefinition | undefined,
  row: StoredSettings,
  { name, value }: { name: string; value: SettingValue },
  secretBox: ControlDeps['secretBox'],
): Settings => {
  if (definition === undefined) throw refused('name', `The app of this ${kindOf(owner)} is no longer in the catalogue`)
  const field = definition.fields.find((each) => each.name === name)
  if (field === undefined) throw refused('name', `${definition.title} has no setting ${name}`)
  const before = openForChange(owner, row, secretBox)
  if (!field.editable && before[name] !== undefined) throw refused('value', 'This cannot be changed once it is set')
  const checked = validateSettings(definition, { ...before, [name]: value ?? undefined })
  if (checked.ok) return checked.settings
  throw refused('value', checked.errors[name] ?? sentenceOf(definition, checked.errors))
}

/** The columns of `changedSettings`; throws as that does. */
export const changeSetting = (
  owner: SettingsOwner,
  definition: SettingsDefinition | undefined,
  row: StoredSettings,
  change: { name: string; value: SettingValue },
  secretBox: ControlDeps['secretBox'],
): ReturnType<typeof storeSettings> => {
  const settings = changedSettings(owner, definition, row, change, secretBox)
  return storeSettings(owner, definition ?? { title: '', fields: [] }, settings, secretBox)
}
