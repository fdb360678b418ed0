import type { DestinationDefinition, Settings } from '@tributary/connector-kit'
import { authenticationFields, oauth2 } from './authentication.ts'
import { deliver, testConnection } from './deliver.ts'
import { logo } from './logo.ts'

const batching = (settings: Settings): { maxEvents: number; maxBytes: number; maxWaitMs: number } =>
  settings.batching === true
    ? { maxEvents: Number(settings.batch_size), maxBytes: 4 * 1024 * 1024, maxWaitMs: Number(settings.batch_wait_ms) }
    : { maxEvents: 1, maxBytes: Number.MAX_SAFE_INTEGER, maxWaitMs: 0 }

/** A whole event as a request carries it; a test delivers the call that it comes from. */
export const exampleBody = `{
  "eventId": "01-000000000000042-0003",
  "messageId": "ajs-1767348000000-a1b2c3",
  "type": "page",
  "event": "Pricing",
  "userId": "u1",
  "anonymousId": "7f3c",
  "properties": {
    "url": "https://shop.example/pricing"
  },
  "context": {
    "library": { "name": "analytics.js", "version": "2.11.1" }
  },
  "test": false,
  "receivedAt": "2026-01-02T10:00:01.000Z",
  "timestamp": "2026-01-02T10:00:00.000Z",
  "originalTimestamp": "2026-01-02T10:00:00.000Z",
  "sentAt": "2026-01-02T10:00:00.500Z"
}`

/** Sends each event, whole or as its mapping makes it, to an address of the user's choice: one a request or as an array. */
export const webhook: DestinationDefinition = {
  slug: 'webhook',
  title: 'Webhook',
  description: 'Sends events as JSON to an address of yours, whole or with the fields you map, signed if you wish.',
  logo,
  docs: {
    url: '/docs/webhook',
    steps: [
      {
        title: 'Prepare an endpoint',
        text: 'Have an HTTPS address that takes a JSON body and answers with a 2xx status within 10 seconds. Answer first and work later: a slow endpoint holds up its own events. An address inside your network is reached only when whoever runs Tributary allows that network with `TRIBUTARY_EGRESS_ALLOW`; until then events are held.',
      },
      {
        title: 'Know the body',
        text: 'One event is one JSON object; a batch is an array of them. The name of a `track` call stands in `event`, and so does the name of a `page` or `screen` call. What the sender left out is absent; keys that Tributary does not know stand in `extra`.',
        code: exampleBody,
        language: 'json',
      },
      {
        title: 'Check the signature',
        text: 'With a signing secret, each request carries X-Tributary-Signature: t=<seconds>,v1=<hex>. Compute HMAC-SHA256 with your secret over the text "<seconds>.<body>", compare in constant time, and refuse a time more than five minutes away.',
      },
      {
        title: 'Choose what is sent',
        text: 'At first the body is the whole event. Where a mapping has fields, it is an object of these fields; in a batch it is an array of such objects.',
      },
      {
        title: 'Expect repeats',
        text: 'Every event arrives at least once. Idempotency-Key is the same when the same event is sent again; use it, or messageId in the body, to drop repeats.',
      },
      {
        title: 'Answer what you mean',
        text: '2xx: taken. 408, 429 and 5xx: tried again for hours, after Retry-After when you send it. Any other answer, redirects included: the event becomes a dead letter with your answer beside it. A batch answered 400, 413 or 422 comes again in halves, until only the events at fault are refused.',
      },
    ],
  },
  fields: [
    {
      name: 'url',
      label: 'URL',
      help: 'Where events are sent, with http:// or https://.',
      type: 'url',
      required: true,
      secret: false,
      editable: true,
    },
    {
      name: 'method',
      label: 'Method',
      help: 'The HTTP method of each request.',
      type: 'select',
      required: true,
      default: 'POST',
      choices: ['POST', 'PUT', 'PATCH'].map((value) => ({ value, label: value })),
      secret: false,
      editable: true,
    },
    {
      name: 'headers',
      label: 'Headers',
      help: 'Sent with each request, for example Authorization. Stored encrypted.',
      type: 'headers',
      required: false,
      secret: true,
      sentTo: [{ setting: 'url', by: 'origin' }],
      editable: true,
    },
    ...authenticationFields,
    {
      name: 'signing_secret',
      label: 'Signing secret',
      help: 'Signs each request with HMAC-SHA256. Stored encrypted.',
      type: 'secret',
      required: false,
      maxLength: 256,
      secret: true,
      sentTo: [{ setting: 'url', by: 'origin' }],
      editable: true,
    },
    {
      name: 'batching',
      label: 'Send in batches',
      help: 'Off: one event per request. On: a JSON array of events.',
      type: 'boolean',
      required: false,
      default: false,
      secret: false,
      editable: true,
    },
    {
      name: 'batch_size',
      label: 'Events per batch',
      help: 'At most this many events in one request.',
      type: 'number',
      required: false,
      default: 100,
      min: 1,
      max: 1000,
      secret: false,
      editable: true,
      showWhen: { field: 'batching', value: true },
    },
    {
      name: 'batch_wait_ms',
      label: 'Longest wait (ms)',
      help: 'A batch that is not full leaves after this time.',
      type: 'number',
      required: false,
      default: 1000,
      min: 0,
      max: 60_000,
      secret: false,
      editable: true,
      showWhen: { field: 'batching', value: true },
    },
    {
      name: 'ordered',
      label: 'Keep the order of each user',
      help: 'On: one request at a time, in the order of arrival; an event that has to be tried again holds back those behind it. Off: faster, and a later event may overtake one that is tried again.',
      type: 'boolean',
      required: false,
      default: false,
      secret: false,
      editable: true,
    },
  ],
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [
    {
      name: 'events',
      title: 'Events',
      description: 'Each event in a request, by itself or together with others.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['send'],
    },
  ],
  actions: [
    {
      name: 'send',
      title: 'Send event',
      description: 'Sends the event as it is, or an object of the fields you map.',
      targets: [],
      customTargets: true,
      wholeEvent: true,
      eventTypes: [],
    },
  ],
  presets: [{ action: 'send', fields: {} }],
  batching,
  ordered: ({ ordered }) => ordered === true,
  oauth2,
  testConnection,
  deliver,
}
