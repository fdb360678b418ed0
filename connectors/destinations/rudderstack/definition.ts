import {
  createTrackingForwarder,
  defineDestination,
  forwardAction,
  forwardedEvents,
  withoutEnd,
} from '@tributary/connector-kit'
import { deleteUsers, lacksForDeletion } from './delete-users.ts'
import { type RudderstackSettings, settings } from './settings.ts'

/** Returns the batch URL of a data plane. A complete batch URL is unchanged. */
const addressOf = ({ data_plane_url: given }: RudderstackSettings): string => {
  const url = new URL(given)
  const path = withoutEnd(url.pathname, '/').replace(/\/v1(?:\/batch)?$/, '')
  url.pathname = `${path}/v1/batch`
  return url.href
}

/**
 * Limits: RudderStack, "HTTP API": 500 kB per batch. A data plane documents no rate limit; it responds 429 when it is
 * overloaded. Users: "User Suppression API", 200,000 users per destination and hour.
 */
export const rudderstack = defineDestination({
  slug: 'rudderstack',
  title: 'RudderStack',
  description: 'Forwards events unchanged to a RudderStack source, hosted or on your own data plane.',
  docs: {
    url: 'https://www.rudderstack.com/docs/api/http-api/',
    steps: [
      {
        title: 'Add a source in RudderStack',
        text: 'Under **Collect, Sources**, add an **HTTP** event stream source. Events keep the context of the site or app they come from.',
      },
      {
        title: 'Copy its write key',
        text: 'Find it in the source under **Setup**. Tributary stores it encrypted.',
      },
      {
        title: 'Copy the data plane URL',
        text: 'Find it at the top of the **Connections** page. Use the URL of the server that receives events, not of the web app. Tributary adds `/v1/batch`.',
      },
      {
        title: 'Avoid duplicates',
        text: "Don't connect sources whose site or app already sends to RudderStack, or their events arrive twice. Retried events keep their message ID, so RudderStack can deduplicate them.",
      },
      {
        title: 'Handle errors',
        text: 'With a wrong key or a disabled source, events are held until you fix it. An event rejected for its content becomes a dead letter; the rest of its batch is sent.',
      },
      {
        title: 'Delete users',
        text: 'To delete users in RudderStack when they are deleted in Tributary (Enterprise plan), create a workspace-level service access token in RudderStack. Enter it here with the IDs of the RudderStack destinations to delete from. RudderStack then gets a `suppress_with_delete` regulation for their user IDs: it also drops events it receives for these users later. Users without a user ID are not deleted.',
      },
    ],
  },
  settings,
  category: 'Customer data platforms',
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [forwardedEvents('RudderStack')],
  actions: [forwardAction('RudderStack')],
  presets: [{ action: 'forward', fields: {} }],
  batching: () => ({ maxEvents: 250, maxBytes: 400_000, maxWaitMs: 1000 }),
  ...createTrackingForwarder<RudderstackSettings>({
    title: 'RudderStack',
    address: addressOf,
    writeKey: ({ write_key: key }) => key.trim(),
    requestBytes: 500_000,
    tested: 'The data plane accepted this write key.',
  }),
  deliverRows: deleteUsers,
  deletesUsers: lacksForDeletion,
})
