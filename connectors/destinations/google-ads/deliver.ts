import {
  type ConnectionTest,
  type DeliverResult,
  type OutgoingEvent,
  testOf,
  withGrant,
} from '@tributary/connector-kit'
import { apiVersions, endOf } from '../../wire/conversions/api-version.ts'
import { type Sent, sendPrepared } from '../../wire/conversions/send-prepared.ts'
import { customerOf, verdictOf } from '../../wire/google/data-manager.ts'
import { type Group, sendGroups } from '../../wire/google/data-manager-groups.ts'
import { type Conversion, conversionOf } from './conversion.ts'
import { type Context, ingest } from './request.ts'

/** The receiver of conversions, as messages name it. */
const target = 'conversion action'

const send = (context: Context, bodies: readonly Conversion[]): Promise<Sent> => {
  const items = bodies.map(({ actionId, event }, at) => ({ at, actionId, body: event }))
  const groups = [...Map.groupBy(items, ({ actionId }) => actionId)].map(
    ([actionId, those]): Group => ({
      target,
      items: those,
      ask: (events) => ingest(context, actionId, events, context.settings.validate_only),
    }),
  )
  return sendGroups(groups, { count: bodies.length, clock: context.clock })
}

/** Sends conversions to Google Ads. Google counts a repeated conversion once, by its transaction ID. */
export const deliver = (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const granted = withGrant(context)
  return sendPrepared(
    batch,
    (event) => conversionOf(event, context.settings, context.clock()),
    (bodies) => send(granted, bodies),
  )
}

/** Sends a conversion without a user for validation only, so that Google does not import it. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const { conversion_action_id: actionId, customer_id } = context.settings
    const event = {
      transactionId: 'tributary-test',
      eventTimestamp: new Date(context.clock()).toISOString(),
      eventSource: 'WEB',
      userData: { userIdentifiers: [{ emailAddress: '0'.repeat(64) }] },
    }
    const sent = await ingest(withGrant(context), actionId.trim(), [event], true)
    const { outcome, refused } = verdictOf(sent, { count: 1, target, now: context.clock() })
    if (outcome.kind !== 'delivered')
      return { ok: false, message: `Google Ads can't be used right now: ${refused.get(0) ?? outcome.reason}` }
    const customer = customerOf(customer_id).replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3')
    const end = endOf(apiVersions.google, context.clock())
    return { ok: true, message: `Connected to the Google Ads account ${customer}.${end}` }
  })
