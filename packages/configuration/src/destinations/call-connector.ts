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

/** Returns the secrets in settings as texts, so that they can be removed from messages. */
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
 * Calls the connector of a destination once, with its current settings and a timeout, while a user waits. Rejects with
 * the errors of the connector, and with RetryableError after the timeout. Rejects with 409 if the secrets cannot be
 * opened, and with 400 if required settings are missing. `call` also receives the texts of the secrets, which messages
 * must not show.
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
