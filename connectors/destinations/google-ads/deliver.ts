import {
  type ConnectionTest,
  type DeliverResult,
  type EventOutcome,
  type OutgoingEvent,
  testOf,
  withGrant,
} from '@tributary/connector-kit'
import { apiVersions, endOf } from '../../wire/conversions/api-version.ts'
import { type Prepared, type Sent, sendPrepared } from '../../wire/conversions/send-prepared.ts'
import { customerOf, verdictOf } from '../../wire/google/data-manager.ts'
import { type Group, sendGroups } from '../../wire/google/data-manager-groups.ts'
import { adsGroups } from './ads-api/groups.ts'
import type { AdsOperation } from './ads-api/operation.ts'
import { adsOperationOf, isForAdsApi } from './ads-api/prepare.ts'
import { readAccount } from './ads-api/request.ts'
import { adsVerdictOf } from './ads-api/verdict.ts'
import { type Conversion, conversionOf } from './conversion.ts'
import { type Context, ingest } from './request.ts'

/** The receiver of conversions, as messages name it. */
const target = 'conversion action'

/** The content of a request for an event: a conversion of the Data Manager API, or an operation of the Google Ads API. */
type Body = Conversion | AdsOperation

const dataManagerGroups = (items: readonly { at: number; body: Conversion }[], context: Context): Group[] =>
  [...Map.groupBy(items, ({ body }) => body.actionId)].map(
    ([actionId, those]): Group => ({
      target,
      items: those.map(({ at, body }) => ({ at, body: body.event })),
      ask: (events) => ingest(context, actionId, events, context.settings.validate_only),
    }),
  )

/** The Data Manager API comes first, so that a problem with the Google Ads API does not hold its conversions. */
const send = (context: Context, bodies: readonly Body[]): Promise<Sent> => {
  const items = bodies.flatMap((body, at) => ('method' in body ? [] : [{ at, body }]))
  const placed = bodies.flatMap((body, at) => ('method' in body ? [{ at, operation: body }] : []))
  return sendGroups([...dataManagerGroups(items, context), ...adsGroups(placed, context)], {
    count: bodies.length,
    clock: context.clock,
  })
}

const prepare = (event: OutgoingEvent, { settings, clock }: Context): Prepared<Body> | EventOutcome =>
  isForAdsApi(event) ? adsOperationOf(event, settings, clock()) : conversionOf(event, settings, clock())

/** Sends conversions to Google Ads. Google counts a repeated conversion once, by its transaction ID. */
export const deliver = (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const granted = withGrant(context)
  return sendPrepared(
    batch,
    (event) => prepare(event, context),
    (bodies) => send(granted, bodies),
  )
}

/** Returns why the Google Ads API cannot be used; undefined if it can, or if the settings do not ask for it. */
const adsApiProblem = async (context: Context): Promise<string | undefined> => {
  if (!context.settings.google_ads_api) return undefined
  const { outcome } = adsVerdictOf(await readAccount(context), { count: 1, now: context.clock() })
  return outcome.kind === 'delivered' ? undefined : outcome.reason
}

/**
 * Sends a conversion without a user for validation only, so that Google does not import it. With the Google Ads API, it
 * reads the account there, too.
 */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const { conversion_action_id: actionId, customer_id } = context.settings
    const event = {
      transactionId: 'tributary-test',
      eventTimestamp: new Date(context.clock()).toISOString(),
      eventSource: 'WEB',
      userData: { userIdentifiers: [{ emailAddress: '0'.repeat(64) }] },
    }
    const granted = withGrant(context)
    const sent = await ingest(granted, actionId.trim(), [event], true)
    const { outcome, refused } = verdictOf(sent, { count: 1, target, now: context.clock() })
    const problem = outcome.kind === 'delivered' ? await adsApiProblem(granted) : (refused.get(0) ?? outcome.reason)
    if (problem !== undefined) return { ok: false, message: `Google Ads can't be used right now: ${problem}` }
    const customer = customerOf(customer_id).replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3')
    const now = context.clock()
    const adsEnd = context.settings.google_ads_api ? endOf(apiVersions.googleAds, now) : ''
    return {
      ok: true,
      message: `Connected to the Google Ads account ${customer}.${endOf(apiVersions.google, now)}${adsEnd}`,
    }
  })
