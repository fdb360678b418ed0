import { audit } from '@tributary/api-kit'
import { createAccessTokens, readGrants } from '@tributary/configuration'
import {
  ConfigurationError,
  callOnce,
  clientFingerprint,
  type DeliverContext,
  type DeliverResult,
  DeliveryError,
  RejectedError,
  RetryableError,
} from '@tributary/connector-kit'
import { type methods, resourceNames, type TriedOwnConnector } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { countTry } from '../users/sign-in/count-tries.ts'
import type { ReadOwn } from './affected.ts'
import { nextApp, readTexts } from './check.ts'
import { readOwnConnector, textsOfCall } from './read.ts'
import { createTrialCalls } from './trial-calls.ts'
import { mapTrialEvent } from './trial-events.ts'
import { trialRow } from './trial-rows.ts'
import { type TrialSettings, trialSettings } from './trial-settings.ts'

/** Longest wait for all answers, ms; and maximum number of trials of one workspace in 15 minutes. */
const withinMs = 15_000
const maxTrials = 60

type Deps = Pick<
  ControlDeps,
  | 'db'
  | 'catalog'
  | 'secretBox'
  | 'requestClient'
  | 'eventStore'
  | 'counters'
  | 'workShare'
  | 'profileValues'
  | 'live'
  | 'clock'
  | 'logger'
>
type Outcome = Pick<TriedOwnConnector, 'outcome' | 'reason'>

const outcomeOf = ({ outcomes }: DeliverResult): Outcome => {
  const one = 'kind' in outcomes ? outcomes : (outcomes[0] ?? { kind: 'delivered' as const })
  if (one.kind === 'split') return { outcome: 'rejected', reason: one.reason }
  if (one.kind === 'delivered') return { outcome: 'delivered', reason: one.note ?? '' }
  if (one.kind === 'skipped') return { outcome: 'delivered', reason: one.reason }
  if (one.kind === 'retry') return { outcome: one.misconfigured === true ? 'held' : 'retry', reason: one.reason }
  return { outcome: 'rejected', reason: one.reason }
}

const outcomeOfError = (error: unknown, logger: Deps['logger']): Outcome => {
  if (error instanceof ConfigurationError) return { outcome: 'held', reason: error.message }
  if (error instanceof RejectedError) return { outcome: 'rejected', reason: error.message }
  if (error instanceof DeliveryError) return { outcome: 'retry', reason: error.message }
  logger.error({ err: error }, 'a trial of an own connector failed with a fault')
  return { outcome: 'retry', reason: 'The trial failed. Try again in a moment' }
}

/** Returns the grant of a destination, if its tokens go where these texts send them. */
const grantOf = async (
  deps: Deps,
  { definition }: ReadOwn,
  { settings, destination }: TrialSettings,
): Promise<Pick<DeliverContext, 'accessToken'>> => {
  const client = definition.oauth2?.(settings)
  if (client === undefined || destination === undefined) return {}
  const grant = (await readGrants(deps.db, [destination.id])).get(destination.id)
  if (grant?.issued_for !== clientFingerprint(client))
    return {
      accessToken: () => Promise.reject(new ConfigurationError('The destination is not connected for these addresses')),
    }
  const tokens = createAccessTokens(deps)
  return { accessToken: (refused, again) => tokens(destination.id, { client, refused, again }) }
}

const nothing = { event: '', preset: '', action: '', payload: '', calls: [] }

/** Sends with a time limit, and returns the outcome. */
const send = async (
  deps: Deps,
  read: ReadOwn,
  trial: TrialSettings,
  client: ReturnType<typeof createTrialCalls>['client'],
  { signal, call }: { signal: AbortSignal; call: (context: DeliverContext) => Promise<Outcome> },
): Promise<Outcome> => {
  const { clock, logger } = deps
  const over = AbortSignal.timeout(withinMs)
  const granted = await grantOf(deps, read, trial)
  const context = {
    client,
    settings: trial.settings,
    clock,
    logger,
    signal: AbortSignal.any([signal, over]),
    ...granted,
  }
  const tooLong = new Promise<never>((_, reject) => {
    over.addEventListener('abort', () => reject(new RetryableError(`No answer within ${withinMs / 1000} seconds`)), {
      once: true,
    })
  })
  return await Promise.race([callOnce(context, call), tooLong]).catch((error: unknown) => outcomeOfError(error, logger))
}

/**
 * Sends one event, one row, or the test of the connection, with texts that are not published. Shows every request and
 * answer without secrets. The audit record is written before, so that every outgoing call has a known author.
 */
export const tryOwnConnector =
  (deps: Deps): Handler<typeof methods.ownConnectors.try> =>
  async ({ workspace, params, body, signal }) => {
    const { db, counters, requestClient } = deps
    const row = await readOwnConnector(db, workspace.id, params.own_connector)
    const limit = [`own-trials:${workspace.id}`, maxTrials] as const
    await countTry(counters, [limit], 'Too many trials. Try again in 15 minutes')
    const reading = await readTexts(deps, workspace.id, textsOfCall(row, body), nextApp(row))
    if (!reading.ok)
      return { problems: [...reading.problems], ...nothing, outcome: 'none', reason: 'The description has problems' }
    const { definition } = reading
    const trial = await trialSettings(deps, row, reading, body)
    const isEvent = body.kind === 'event'
    const entered = body.kind === 'row' ? trialRow(reading, body.row) : undefined
    const mapped = isEvent
      ? await mapTrialEvent(deps, reading, trial, body, { workspaceId: workspace.id, signal })
      : undefined
    const event = mapped?.outgoing
    await db.transaction().execute((tx) =>
      audit(tx, resourceNames.ownConnector.format({ workspace: workspace.id, own_connector: row.id }), {
        kind: body.kind,
        sent: !isEvent || event !== undefined,
      }),
    )
    const shown = {
      problems: [],
      event: mapped?.json ?? '',
      preset: mapped?.preset ?? '',
      action: entered?.action ?? mapped?.action ?? '',
      payload: entered?.json ?? mapped?.payload ?? '',
    }
    if (isEvent && event === undefined) {
      const reason = mapped?.reason ?? 'No event of the workspace fits a preset. Send one, or paste one'
      return { ...shown, calls: [], outcome: 'none', reason }
    }
    const calls = createTrialCalls(requestClient)
    const { outcome, reason } = await send(deps, reading, trial, calls.client, {
      signal,
      call: async (context) => {
        if (event !== undefined) return outcomeOf(await definition.deliver([event], context))
        if (entered !== undefined) return outcomeOf(await entered.deliver(context))
        const { ok, message } = await definition.testConnection(context)
        return { outcome: ok ? 'delivered' : 'held', reason: message }
      },
    })
    const hide = calls.hider(reading, [trial.settings, trial.stored])
    return { ...shown, calls: calls.shown(reading, hide), outcome, reason: hide(reason) }
  }
