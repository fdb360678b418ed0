import { audit } from '@tributary/api-kit'
import { type ConnectorDeps, callConnector, readDestination, requireDefinition } from '@tributary/configuration'
import { DeliveryError, hideSecrets } from '@tributary/connector-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { AppError } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { countTry } from '../users/sign-in/count-tries.ts'

/** Longest wait for a response, ms; and maximum number of tests of one workspace in 15 minutes. */
const withinMs = 10_000
const maxTests = 60

/**
 * Returns the message for a failed test. If the connector itself is faulty, logs the error and returns a message
 * without details.
 */
const failureText = (error: unknown, logger: ConnectorDeps['logger']): string => {
  // An API error goes to the caller unchanged, because nothing was tested.
  if (error instanceof AppError) throw error
  if (error instanceof DeliveryError) return error.message
  logger.error({ err: error }, 'the test of a connection failed with a fault of the connector')
  return 'The test failed. Try again in a moment'
}

/**
 * Tests the address and the credentials of a destination without sending an event. If the connection fails, the
 * response explains why. The audit record is written before the test, so that every outgoing call has a known author.
 */
export const testConnection =
  (
    deps: ConnectorDeps & Pick<ControlDeps, 'db' | 'catalog' | 'counters'>,
  ): Handler<typeof methods.destinations.testConnection> =>
  async ({ workspace, params, signal }) => {
    const { db, catalog, counters, logger } = deps
    const row = await readDestination(db, workspace.id, params.destination)
    const definition = await requireDefinition(catalog, row, 'destination')
    await countTry(
      counters,
      [[`connection-tests:${workspace.id}`, maxTests]],
      'Too many connection tests. Try again in 15 minutes',
    )
    await db
      .transaction()
      .execute((tx) => audit(tx, resourceNames.destination.format({ workspace: workspace.id, destination: row.id })))
    const began = performance.now()
    const answer = await callConnector(deps, row, definition, { withinMs, signal }, async (context, secrets) => {
      const { ok, message } = await definition.testConnection(context)
      return { ok, message: hideSecrets(message, secrets) }
    }).catch((error: unknown) => ({ ok: false, message: failureText(error, logger) }))
    return { ...answer, latency_ms: Math.round(performance.now() - began) }
  }
