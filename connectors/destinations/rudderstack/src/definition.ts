import {
  createTrackingForwarder,
  type DestinationDefinition,
  forwardAction,
  forwardedEvents,
  type Settings,
} from '@tributary/connector-kit'
import { logo } from './logo.ts'

/** The batch address of a data plane; one that is given whole stays. */
const addressOf = (settings: Settings): string => {
  const url = new URL(typeof settings.data_plane_url === 'string' ? settings.data_plane_url : '')
  const path = url.pathname.replace(/(\/v1(\/batch)?)?\/*$/, '')
  url.pathname = `${path}/v1/batch`
  return url.href
}

/**
 * Limits: RudderStack, "HTTP API": 500 kB a batch. A data plane names none for requests in a time; it answers 429 when
 * it has enough.
 */
export const rudderstack: DestinationDefinition = {
  slug: 'rudderstack',
  title: 'RudderStack',
  description: 'Passes events on to a source of RudderStack, hosted or your own data plane, as the calls they were.',
  logo,
  docs: {
    url: 'https://www.rudderstack.com/docs/api/http-api/',
    steps: [
      {
        title: 'Add a source in RudderStack',
        text: 'Under **Collect, Sources** add an event stream source of the kind **HTTP**. Events keep the context of the site or app they come from.',
      },
      {
        title: 'Copy its write key',
        text: 'You find it in the source under **Setup**. It is stored encrypted here.',
      },
      {
        title: 'Copy the data plane URL',
        text: 'The top of the **Connections** page shows it. It is the address of the server that takes events, not of the web application: `/v1/batch` is added to it.',
      },
      {
        title: 'Leave out who sends there already',
        text: 'A site or app that also sends to RudderStack by itself would have its events there twice: connect only sources that do not. An event that is sent again, because an answer was lost, has the same message id, by which RudderStack knows it.',
      },
      {
        title: 'Know what happens when it refuses',
        text: 'With a wrong key or a disabled source, events are held here and go out when it is fixed. What it refuses for its content becomes a dead letter, alone: the others of its batch are sent.',
      },
    ],
  },
  fields: [
    {
      name: 'data_plane_url',
      label: 'Data plane URL',
      help: 'For example https://your-name.dataplane.rudderstack.com.',
      type: 'url',
      required: true,
      secret: false,
      editable: true,
    },
    {
      name: 'write_key',
      label: 'Write key',
      help: 'Of the source in RudderStack that takes the events. Stored encrypted.',
      type: 'secret',
      required: true,
      maxLength: 200,
      secret: true,
      sentTo: [{ setting: 'data_plane_url', by: 'origin' }],
      editable: true,
    },
  ],
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [forwardedEvents('RudderStack')],
  actions: [forwardAction('RudderStack')],
  presets: [{ action: 'forward', fields: {} }],
  batching: () => ({ maxEvents: 250, maxBytes: 400_000, maxWaitMs: 1000 }),
  ...createTrackingForwarder({
    title: 'RudderStack',
    address: addressOf,
    writeKey: (settings) => (typeof settings.write_key === 'string' ? settings.write_key.trim() : ''),
    requestBytes: 500_000,
    tested: 'The data plane knows this write key.',
  }),
}
