import { type Changes, changesOf } from '@tributary/api-kit'
import {
  redirectedSecrets,
  type Settings,
  type SettingsDefinition,
  validatePartialSettings,
  validateSettings,
} from '@tributary/connector-kit'
import type { SettingValue } from '@tributary/contract'
import { badRequest, conflict, SecretBoxError } from '@tributary/kernel'
import type { ConfigurationServices } from '../services.ts'
import {
  noSettings,
  openSettings,
  type SettingsOwner,
  type StoredSettings,
  stored,
  storeSettings,
} from './stored-settings.ts'

const refused = (field: 'name' | 'value', text: string): Error => badRequest('VALIDATION', text, { [field]: text })

const kindOf = (owner: SettingsOwner): string => {
  if (owner.startsWith('sources/')) return 'source'
  return owner.startsWith('dataSources/') ? 'data source' : 'destination'
}

/**
 * Checks the settings with which an app is created. Throws 400 with each error as `settings.{name}` in the metadata.
 */
export const checkNewSettings = (definition: SettingsDefinition, given: Record<string, SettingValue>): Settings => {
  const checked = validateSettings(definition, given)
  if (checked.ok) return checked.settings
  throw refuseNewSettings(definition, checked.errors)
}

/**
 * Like `checkNewSettings`, but required settings may be given later. Given settings are still checked; `missing` lists
 * the names of absent required settings.
 */
export const checkFirstSettings = (
  definition: SettingsDefinition,
  given: Record<string, SettingValue>,
): { settings: Settings; missing: readonly string[] } => {
  const checked = validatePartialSettings(definition, given)
  if (checked.ok) return checked
  throw refuseNewSettings(definition, checked.errors)
}

/**
 * Returns the names of required settings without a value. Secrets sealed with another key do not count as missing, so
 * that users enter them again only if the key is certainly lost.
 */
export const missingSettings = (
  definition: SettingsDefinition,
  settings: Settings,
  row: Pick<StoredSettings, 'secrets_encrypted'>,
): readonly string[] => {
  const secrets = new Set(definition.settings.fields.filter((field) => field.secret).map(({ name }) => name))
  const unreadable = row.secrets_encrypted !== null && Object.keys(settings).every((name) => !secrets.has(name))
  const checked = validatePartialSettings(definition, settings)
  return checked.ok ? checked.missing.filter((name) => !unreadable || !secrets.has(name)) : []
}

/**
 * Returns the complete settings to pass to the connector, with defaults for settings added in later versions. Throws
 * 400 and names the settings that are missing or invalid.
 */
export const requireComplete = (definition: SettingsDefinition, settings: Settings): Settings => {
  const checked = validatePartialSettings(definition, settings)
  if (!checked.ok) throw refuseNewSettings(definition, checked.errors)
  if (checked.missing.length === 0) return checked.settings
  const missing = definition.settings.fields.filter(({ name }) => checked.missing.includes(name))
  throw badRequest(
    'VALIDATION',
    `Fill in ${new Intl.ListFormat('en').format(missing.map(({ label }) => label))} first`,
    Object.fromEntries(missing.map(({ name }) => [`settings.${name}`, 'Required'])),
  )
}

/** Returns several errors as one sentence, each with the title of its setting. */
const sentenceOf = (definition: SettingsDefinition, errors: Readonly<Record<string, string>>): string =>
  Object.entries(errors)
    .map(([name, text]) => `${definition.settings.fields.find((field) => field.name === name)?.label ?? name}: ${text}`)
    .join('; ')

/** Returns the error for invalid settings at creation: 400 with each error as `settings.{name}`. */
export const refuseNewSettings = (definition: SettingsDefinition, errors: Readonly<Record<string, string>>): Error =>
  badRequest(
    'VALIDATION',
    sentenceOf(definition, errors),
    Object.fromEntries(Object.entries(errors).map(([name, text]) => [`settings.${name}`, text])),
  )

/**
 * Opens all settings, secrets included, for changes that need the secrets, such as storing them again. Throws 409 if
 * the secrets cannot be opened.
 */
export const openForChange = (
  owner: SettingsOwner,
  row: StoredSettings,
  secretBox: ConfigurationServices['secretBox'],
): Settings => {
  try {
    return openSettings(owner, row, secretBox)
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    throw conflict(
      'SECRETS_UNREADABLE',
      `The ${kindOf(owner)}'s secrets were encrypted with another secret key; restore that key`,
    )
  }
}

/** A new value of one setting, with secrets that are entered again because they would be sent elsewhere. */
export type SettingChange = { name: string; value: SettingValue; secrets?: Readonly<Record<string, SettingValue>> }

/**
 * Refuses a change that would send a secret to another place than the one for which it was entered. A user who may
 * change settings may use secrets, but not read them. Each such secret must be entered again, or removed.
 */
const requireSecretsAgain = (
  definition: SettingsDefinition,
  { before, after, given }: { before: Settings; after: Settings; given: Readonly<Record<string, SettingValue>> },
): void => {
  const asked = redirectedSecrets(definition, before, after).filter(({ name }) => !Object.hasOwn(given, name))
  if (asked.length === 0) return
  const labels = asked.map(({ label }) => label).join(', ')
  const message = `This changes where secrets are sent. Enter them again: ${labels}`
  const text = 'Enter it again, because this change sends it to a new address'
  throw badRequest('VALIDATION', message, {
    value: message,
    ...Object.fromEntries(asked.map(({ name }) => [`secrets.${name}`, text])),
  })
}

/** Returns the secrets in a change, by name. Throws 400 for a setting that is not secret or cannot be changed. */
const secretsGiven = (
  { settings: { fields } }: SettingsDefinition,
  { secrets = {} }: SettingChange,
  before: Settings,
): Record<string, SettingValue | undefined> => {
  for (const name of Object.keys(secrets)) {
    const field = fields.find((each) => each.name === name)
    const text =
      field?.secret !== true
        ? 'There is no secret with this name'
        : !field.editable && before[name] !== undefined
          ? "This can't be changed once it is set"
          : undefined
    if (text !== undefined) throw badRequest('VALIDATION', text, { [`secrets.${name}`]: text })
  }
  return Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, value ?? undefined]))
}

/**
 * Returns the settings with one setting changed; null restores its default. A setting that is not editable accepts a
 * first value, and other required settings may still be missing. Throws 400 with metadata.name or metadata.value.
 * Throws 400 with `secrets.{name}` for each secret that must be entered again, because the change would send the secret
 * elsewhere. For an app that is no longer in the catalog, `definition` is undefined.
 */
export const changedSettings = (
  owner: SettingsOwner,
  definition: SettingsDefinition | undefined,
  row: StoredSettings,
  change: SettingChange,
  secretBox: ConfigurationServices['secretBox'],
): Settings => {
  const { name, value } = change
  if (definition === undefined) throw refused('name', `The app of this ${kindOf(owner)} is no longer in the catalog`)
  const field = definition.settings.fields.find((each) => each.name === name)
  if (field === undefined) throw refused('name', `${definition.title} has no setting ${name}`)
  const before = openForChange(owner, row, secretBox)
  if (!field.editable && before[name] !== undefined) throw refused('value', "This can't be changed once it is set")
  const given = secretsGiven(definition, change, before)
  const checked = validatePartialSettings(definition, { ...before, ...given, [name]: value ?? undefined })
  // Other settings may still be missing, but this change cannot remove a required one.
  const errors = checked.ok ? Object.fromEntries(checked.missing.map((each) => [each, 'Required'])) : checked.errors
  if (checked.ok && ![name, ...Object.keys(given)].some((each) => checked.missing.includes(each))) {
    requireSecretsAgain(definition, { before, after: checked.settings, given: change.secrets ?? {} })
    return checked.settings
  }
  const wrong = Object.keys(given).find((secret) => secret !== name && errors[secret] !== undefined)
  if (wrong !== undefined)
    throw badRequest('VALIDATION', sentenceOf(definition, errors), { [`secrets.${wrong}`]: errors[wrong] ?? '' })
  throw refused('value', errors[name] ?? sentenceOf(definition, errors))
}

/** Returns the columns for the result of `changedSettings`. Throws the same errors. */
export const changeSetting = (
  owner: SettingsOwner,
  definition: SettingsDefinition | undefined,
  row: StoredSettings,
  change: SettingChange,
  secretBox: ConfigurationServices['secretBox'],
): ReturnType<typeof storeSettings> => {
  const settings = changedSettings(owner, definition, row, change, secretBox)
  return storeSettings(owner, definition ?? { title: '', settings: noSettings }, settings, secretBox)
}

/** Returns the changed settings, without secrets, for the audit record. */
export const changedPlainSettings = (
  before: Pick<StoredSettings, 'settings'>,
  { settings }: Pick<ReturnType<typeof storeSettings>, 'settings'>,
): Changes => {
  const [old, now] = [stored.parse(before.settings), stored.parse(JSON.parse(settings))]
  const gone = Object.fromEntries(Object.keys(old).flatMap((name) => (Object.hasOwn(now, name) ? [] : [[name, null]])))
  return changesOf(old, { ...now, ...gone })
}
