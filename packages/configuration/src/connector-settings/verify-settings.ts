import { callOnce, type DestinationDefinition, type SettingObjections, type Settings } from '@tributary/connector-kit'
import type { ConfigurationServices } from '../services.ts'

/** Saving a form may take so long, ms. */
const patienceMs = 15_000

/** What the destination itself says of settings that are about to be saved: messages by setting, none when all is well. */
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
