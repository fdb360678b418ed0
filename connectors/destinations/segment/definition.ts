import {
  type ConnectionTest,
  createTrackingForwarder,
  type DeliverContext,
  DeliveryError,
  defineDestination,
  forwardAction,
  forwardedEvents,
  isWebPage,
  withoutEnd,
} from '@tributary/connector-kit'
import { deleteUsers } from './delete-users.ts'
import { type SegmentSettings, settings } from './settings.ts'

const officialHosts = new Set(['api.segment.io', 'events.eu1.segmentapis.com'])

/** Returns the batch URL. An origin, and a URL that ends in `/v1`, are completed. */
const addressOf = ({ endpoint }: SegmentSettings): string => {
  const url = new URL(endpoint)
  const path = withoutEnd(url.pathname, '/')
  url.pathname = path === '' ? '/v1/batch' : path.endsWith('/v1') ? `${path}/batch` : path
  return url.href
}

const writeKeyOf = ({ write_key: key }: SegmentSettings): string => key.trim()

/**
 * Tests the write key. Segment accepts batches with any key, but checks the key at the settings URL, which its own
 * libraries call first.
 */
const testKey = async (context: DeliverContext<SegmentSettings>): Promise<ConnectionTest | undefined> => {
  if (!officialHosts.has(new URL(addressOf(context.settings)).hostname)) return undefined
  const url = `https://cdn.segment.com/v1/projects/${encodeURIComponent(writeKeyOf(context.settings))}/settings`
  const answer = await context
    .request({ method: 'GET', url, headers: {}, signal: context.signal })
    .catch((error: unknown) => {
      if (error instanceof DeliveryError) return undefined
      throw error
    })
  if (answer?.status === 200 && !isWebPage(answer)) return { ok: true, message: 'Segment accepted this write key.' }
  if (answer?.status === 403 || answer?.status === 404)
    return { ok: false, message: `Segment has no source with this write key (HTTP ${answer.status})` }
  return { ok: true, message: 'Segment accepts batches but did not confirm the write key.' }
}

/**
 * Limits: Segment, "HTTP API source": 500 kB per request, 32 kB per event and 2,500 events per batch; "Tracking API
 * rate limits": 1,000 requests per second for a workspace. Users: Public API, "Deletion and Suppression".
 */
export const segment = defineDestination({
  slug: 'segment',
  title: 'Segment',
  description: "Forwards events unchanged to a Segment source, or to any server that accepts Segment's tracking calls.",
  docs: {
    url: 'https://www.twilio.com/docs/segment/connections/sources/catalog/libraries/server/http-api',
    steps: [
      {
        title: 'Add a source in Segment',
        text: 'Under **Connections, Sources**, add an **HTTP API** source. Events keep the context of the site or app they come from.',
      },
      {
        title: 'Copy its write key',
        text: 'Find it in the source under **Settings, API Keys**. Tributary stores it encrypted.',
      },
      {
        title: 'Set the region',
        text: 'An EU workspace accepts events only at `https://events.eu1.segmentapis.com/v1/batch`. Segment answers the default endpoint with success but loses the events.',
      },
      {
        title: 'Avoid duplicates',
        text: "Don't connect sources whose site or app already sends to Segment, or their events arrive twice. Retried events keep their message ID, so Segment counts them once.",
      },
      {
        title: 'Check what arrives',
        text: 'Segment responds with success even to a wrong write key or an invalid event. Check the debugger of your Segment source. Events over 32 kB are not sent and are listed in the delivery log.',
      },
      {
        title: 'Delete users',
        text: 'To delete users in Segment when they are deleted in Tributary, create a Public API token under **Settings, Workspace settings, Access Management, Tokens** (Team or Business plan) and enter it here. Segment then gets a deletion request for their user IDs and anonymous IDs. It deletes from its own systems and from the destinations that support it, which can take days. Its **Privacy** page shows how far it is.',
      },
    ],
  },
  settings,
  category: 'Customer data platforms',
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [forwardedEvents('Segment')],
  actions: [forwardAction('Segment')],
  presets: [{ action: 'forward', fields: {} }],
  batching: () => ({ maxEvents: 250, maxBytes: 400_000, maxWaitMs: 1000 }),
  rate: () => ({ requests: 500, perMs: 1000 }),
  ...createTrackingForwarder<SegmentSettings>({
    title: 'Segment',
    address: addressOf,
    writeKey: writeKeyOf,
    requestBytes: 500_000,
    eventBytes: 32 * 1024,
    tested: 'The endpoint accepts batches with this write key. Send a test event to check that events arrive.',
    testKey,
  }),
  deliverRows: deleteUsers,
  deletesUsers: ({ public_api_token: token }) => (token === undefined ? 'no Public API token' : undefined),
})
