import {
  type ConnectionTest,
  createTrackingForwarder,
  type DeliverContext,
  DeliveryError,
  type DestinationDefinition,
  forwardAction,
  forwardedEvents,
  isWebPage,
  type Settings,
} from '@tributary/connector-kit'
import { logo } from './logo.ts'

const officialHosts = new Set(['api.segment.io', 'events.eu1.segmentapis.com'])
const defaultEndpoint = 'https://api.segment.io/v1/batch'

/** The batch address: a bare origin and one that ends in `/v1` are completed. */
const addressOf = (settings: Settings): string => {
  const url = new URL(typeof settings.endpoint === 'string' ? settings.endpoint : defaultEndpoint)
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path === '' ? '/v1/batch' : path.endsWith('/v1') ? `${path}/batch` : path
  return url.href
}

const writeKeyOf = (settings: Settings): string =>
  typeof settings.write_key === 'string' ? settings.write_key.trim() : ''

/**
 * Segment takes batches with any write key, so its settings address is asked, with which its own libraries begin: it
 * knows every key.
 */
const testKey = async (context: DeliverContext): Promise<ConnectionTest | undefined> => {
  if (!officialHosts.has(new URL(addressOf(context.settings)).hostname)) return undefined
  const url = `https://cdn.segment.com/v1/projects/${encodeURIComponent(writeKeyOf(context.settings))}/settings`
  const answer = await context
    .request({ method: 'GET', url, headers: {}, signal: context.signal })
    .catch((error: unknown) => {
      if (error instanceof DeliveryError) return undefined
      throw error
    })
  if (answer?.status === 200 && !isWebPage(answer)) return { ok: true, message: 'Segment knows this write key.' }
  if (answer?.status === 403 || answer?.status === 404)
    return { ok: false, message: `Segment knows no source with this write key (HTTP ${answer.status})` }
  return { ok: true, message: 'Segment takes batches, but did not say whether it knows the write key.' }
}

/**
 * Limits: Segment, "HTTP API source": 500 kB a request, 32 kB and 2,500 events in a batch; "Tracking API rate limits":
 * 1,000 requests a second for a workspace.
 */
export const segment: DestinationDefinition = {
  slug: 'segment',
  title: 'Segment',
  description: 'Passes events on to a Segment source, or to anything that takes its tracking calls, as they were.',
  logo,
  docs: {
    url: 'https://www.twilio.com/docs/segment/connections/sources/catalog/libraries/server/http-api',
    steps: [
      {
        title: 'Add a source in Segment',
        text: 'Under **Connections, Sources** add an **HTTP API** source. Events keep the context of the site or app they come from, whatever the kind of the source.',
      },
      {
        title: 'Copy its write key',
        text: 'You find it in the source under **Settings, API Keys**. It is stored encrypted here.',
      },
      {
        title: 'Mind the region',
        text: 'A workspace in the EU takes events at `https://events.eu1.segmentapis.com/v1/batch` only. Sent to the other address they are answered with success, and lost.',
      },
      {
        title: 'Leave out who sends there already',
        text: 'A site or app that also sends to Segment by itself would have its events there twice: connect only sources that do not. An event that is sent again, because an answer was lost, counts once, by its message id.',
      },
      {
        title: 'Know what it does not tell',
        text: 'Segment answers with success to a wrong write key and to events it does not like. The debugger of the source shows what has arrived. Events over 32 kB are not sent: the delivery log names them.',
      },
    ],
  },
  fields: [
    {
      name: 'write_key',
      label: 'Write key',
      help: 'Of the source in Segment that takes the events. Stored encrypted.',
      type: 'secret',
      required: true,
      maxLength: 200,
      secret: true,
      sentTo: [{ setting: 'endpoint', by: 'origin' }],
      editable: true,
    },
    {
      name: 'endpoint',
      label: 'Endpoint',
      help: 'Where batches go. Change it for a workspace in the EU, or for another server that takes the same calls.',
      type: 'url',
      required: true,
      default: defaultEndpoint,
      secret: false,
      editable: true,
    },
  ],
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [forwardedEvents('Segment')],
  actions: [forwardAction('Segment')],
  presets: [{ action: 'forward', fields: {} }],
  batching: () => ({ maxEvents: 250, maxBytes: 400_000, maxWaitMs: 1000 }),
  rate: () => ({ requests: 500, perMs: 1000 }),
  ...createTrackingForwarder({
    title: 'Segment',
    address: addressOf,
    writeKey: writeKeyOf,
    requestBytes: 500_000,
    eventBytes: 32 * 1024,
    tested: 'The address takes batches with this write key. Whether events arrive shows a test event.',
    testKey,
  }),
}
