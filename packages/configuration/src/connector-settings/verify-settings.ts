import { callOnce, type DestinationDefinition, type SettingObjections, type Settings } from '@tributary/connector-kit'
import type { ConfigurationServices } from '../services.ts'

/** Maximum duration of the check when a user saves a form, ms. */
const patienceMs = 15_000

/**
 * Runs the destination's own check of settings before they are saved; returns error messages by setting, none if all
 * are valid.
 */
export const verifySettings = async (
  deps: Pick<ConfigurationServices, 'requestClient' | 'clock' | 'logger'>,
  definition: DestinationDefinition,
  settings: Settings,
  names: readonly string[],
): Promise<SettingObjections> => {
  const { verifySettings: verify } = definition
  if (verify === undefined) return {}
  const { requestClient: client, clock, logger } = deps
  const signal = AbortSignal.timeout(patienceMs)
  return await callOnce({ client, settings, clock, logger, signal }, (context) => verify(context, names))
}
