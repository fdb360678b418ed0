import {
  ConfigurationError,
  callOnce,
  clientFingerprint,
  type DeliverContext,
  type DestinationDefinition,
  type Exchange,
  grantProblem,
  type OAuth2Client,
  RetryableError,
  type Settings,
} from '@tributary/connector-kit'
import { badRequest } from '@tributary/kernel'
import { openForChange, requireComplete } from '../connector-settings/change-setting.ts'
import { createAccessTokens } from '../oauth-grants/access-tokens.ts'
import { grantState, readGrants } from '../oauth-grants/grants.ts'
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

/** Throws ConfigurationError if the grant of a destination was given for other addresses than those it is sent to now. */
const requireGrantFor = async ({ db }: ConnectorDeps, row: DestinationRow, client: OAuth2Client): Promise<void> => {
  const grant = (await readGrants(db, [row.id])).get(row.id)
  if (grant !== undefined && grant.issued_for !== clientFingerprint(client))
    throw new ConfigurationError(grantProblem(client, grantState(grant)))
}

/** Throws 400 if a version of the app sends secrets to other hosts than those for which they were entered. */
const requireSecrets = ({ settings: { fields } }: DestinationDefinition, row: DestinationRow): void => {
  const asked = fields.filter(({ name }) => row.secrets_to_enter.includes(name))
  if (asked.length === 0) return
  throw badRequest(
    'VALIDATION',
    `A new version sends secrets to another host. Enter them again: ${asked.map(({ label }) => label).join(', ')}`,
    Object.fromEntries(asked.map(({ name }) => [`settings.${name}`, 'Enter it again'])),
  )
}

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
  requireSecrets(definition, row)
  const over = AbortSignal.timeout(options.withinMs)
  const signal = AbortSignal.any([options.signal, over])
  const { onExchange } = options
  const grantee = definition.oauth2?.(settings)
  if (grantee !== undefined) await requireGrantFor(deps, row, grantee)
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
