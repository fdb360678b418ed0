import { defineSettings, type Settings, type SettingsDefinition } from '@tributary/connector-kit'
import type { Logger, SecretBox } from '@tributary/kernel'
import { z } from 'zod'

/** Public settings in their stored form. */
export const stored = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.record(z.string(), z.string())]),
)

/** Settings in their stored form: public settings as JSON, secret settings as one sealed JSON object. */
export type StoredSettings = { settings: unknown; secrets_encrypted: Uint8Array | null }

/** The settings of an app that has no settings. */
export const noSettings = defineSettings({})

/** The owner of settings, by kind and ID. A secret that is sealed for one owner cannot be opened for another. */
export type SettingsOwner = `destinations/${string}` | `sources/${string}` | `dataSources/${string}`

/** Returns the encryption context of an owner's secrets. */
export const secretsContext = (owner: SettingsOwner): string => `${owner}/secrets`

/** Separates valid settings into public ones, and secret ones, which are sealed. */
export const storeSettings = (
  owner: SettingsOwner,
  definition: SettingsDefinition,
  settings: Settings,
  secretBox: SecretBox,
): { settings: string; secrets_encrypted: Uint8Array | null } => {
  const secretNames = new Set(definition.settings.fields.filter((field) => field.secret).map((field) => field.name))
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined)
  const secrets = entries.filter(([name]) => secretNames.has(name))
  return {
    settings: JSON.stringify(Object.fromEntries(entries.filter(([name]) => !secretNames.has(name)))),
    secrets_encrypted:
      secrets.length === 0 ? null : secretBox.seal(JSON.stringify(Object.fromEntries(secrets)), secretsContext(owner)),
  }
}

/** Opens the settings of an owner, including secrets. Throws SecretBoxError if the secrets cannot be opened. */
export const openSettings = (owner: SettingsOwner, row: StoredSettings, secretBox: SecretBox): Settings => {
  const secrets =
    row.secrets_encrypted === null
      ? {}
      : stored.parse(JSON.parse(secretBox.open(row.secrets_encrypted, secretsContext(owner))))
  return { ...stored.parse(row.settings), ...secrets }
}

/** Like `openSettings`, but omits secrets that cannot be opened, and logs this. */
export const readableSettings = (
  owner: SettingsOwner,
  row: StoredSettings,
  secretBox: SecretBox,
  logger: Logger,
): Settings => {
  try {
    return openSettings(owner, row, secretBox)
  } catch (error) {
    logger.error({ err: error, owner }, 'the secrets of a connector cannot be opened')
    return stored.parse(row.settings)
  }
}
