import type { DestinationDefinition, Settings } from '@tributary/connector-kit'
import type { Logger, SecretBox } from '@tributary/kernel'
import { z } from 'zod'

const stored = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.record(z.string(), z.string())]))

/** Settings as they are kept: what may be shown as JSON, the rest as one sealed JSON object. */
export type StoredSettings = { settings: Record<string, unknown>; secrets_encrypted: Uint8Array | null }

/** Where the sealed secrets of a destination belong. */
const secretsContext = (destinationId: string): string => `destinations/${destinationId}/secrets`

/** Divides valid settings into what may be shown and what is sealed. */
export const storeSettings = (
  destinationId: string,
  definition: DestinationDefinition,
  settings: Settings,
  secretBox: SecretBox,
): { settings: string; secrets_encrypted: Uint8Array | null } => {
  const secretNames = new Set(definition.fields.filter((field) => field.secret).map((field) => field.name))
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined)
  const secrets = entries.filter(([name]) => secretNames.has(name))
  return {
    settings: JSON.stringify(Object.fromEntries(entries.filter(([name]) => !secretNames.has(name)))),
    secrets_encrypted:
      secrets.length === 0
        ? null
        : secretBox.seal(JSON.stringify(Object.fromEntries(secrets)), secretsContext(destinationId)),
  }
}

/** The settings of a destination, secrets merged in. Throws SecretBoxError when they cannot be opened. */
export const openSettings = (destinationId: string, row: StoredSettings, secretBox: SecretBox): Settings => {
  const secrets =
    row.secrets_encrypted === null
      ? {}
      : stored.parse(JSON.parse(secretBox.open(row.secrets_encrypted, secretsContext(destinationId))))
  return { ...stored.parse(row.settings), ...secrets }
}

/** As `openSettings`, but with nothing in place of secrets that cannot be opened; the fact is logged. */
export const readableSettings = (
  destinationId: string,
  row: StoredSettings,
  secretBox: SecretBox,
  logger: Logger,
): Settings => {
  try {
    return openSettings(destinationId, row, secretBox)
  } catch (error) {
    logger.error({ err: error, destinationId }, 'the secrets of a destination cannot be opened')
    return stored.parse(row.settings)
  }
}
