import {
  callOnce,
  type DeliverContext,
  type DestinationDefinition,
  type Exchange,
  RetryableError,
  type Settings,
} from '@tributary/connector-kit'
import { openForChange, requireComplete } from '../connector-settings/change-setting.ts'
import { createAccessTokens } from '../oauth-grants/access-tokens.ts'
import type { ConfigurationServices } from '../services.ts'
import type { DestinationRow } from './read.ts'

/** The secrets of settings as texts, to be hidden wherever they might come up. */
const secretTexts = ({ settings: { fields } }: DestinationDefinition, settings: Settings): string[] =>
  fields
    .filter(({ secret }) => secret)
    .flatMap(({ name }) => {
      const value = settings[name]
      const texts = typeof value === 'object' ? Object.values(value) : typeof value === 'string' ? [value] : []
      return texts.flatMap((text) => [text, text.replace(/^(Bearer|Basic) /i, '')])
    })

export type ConnectorDeps = Pick<
  ConfigurationServices,
  'db' | 'requestClient' | 'secretBox' | 'live' | 'clock' | 'logger'
>

/**
 * Makes one call of the connector of a destination for a person who waits for it, with its settings as they are and within a time. Rejects
 * as the connector does, and with RetryableError when the time is over. Rejects with 409 when the secrets cannot be opened, and
 * with 400 while required settings are missing. The texts that must not be shown of its settings are `secrets`.
 */
export const callConnector = async <T>(
  deps: ConnectorDeps,
  row: DestinationRow,
  definition: DestinationDefinition,
  options: { withinMs: number; signal: AbortSignal; onExchange?: (exchange: Exchange) => void },
  call: (context: DeliverContext, secrets: readonly string[]) => Promise<T>,
): Promise<T> => {
  const { requestClient: client, secretBox, clock, logger } = deps
  const settings = requireComplete(definition, openForChange(`destinations/${row.id}`, row, secretBox))
  const over = AbortSignal.timeout(options.withinMs)
  const signal = AbortSignal.any([options.signal, over])
  const { onExchange } = options
  const grantee = definition.oauth2?.(settings)
  const tokens = createAccessTokens(deps)
  const granted: Pick<DeliverContext, 'accessToken'> =
    grantee === undefined
      ? {}
      : { accessToken: (refused, again) => tokens(row.id, { client: grantee, refused, again }) }
  const made = callOnce(
    { client, settings, clock, logger, signal, ...granted, ...(onExchange === undefined ? {} : { onExchange }) },
    (context) => call(context, secretTexts(definition, settings)),
  )
  const tooLong = new Promise<never>((_, reject) => {
    const end = (): void => reject(new RetryableError(`No response within ${options.withinMs / 1000} seconds`))
    if (over.aborted) end()
    else over.addEventListener('abort', end, { once: true })
  })
  return await Promise.race([made, tooLong])
}
