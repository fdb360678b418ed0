import { defineDestination } from '@tributary/connector-kit'
import { send } from './actions/send.ts'
import { oauth2 } from './authentication.ts'
import { deliver, deliverRows, testConnection } from './deliver.ts'
import { settings } from './settings.ts'

/** An example request with a complete event. A test checks that a delivery of the same call has this body. */
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

/** An example request for the deletion of a user. */
const exampleDeletion = `{
  "recordId": "0199c0de-0000-7000-8000-000000000000.0",
  "operation": "delete",
  "object": "users",
  "key": "u1",
  "payload": {
    "userIds": ["u1"],
    "anonymousIds": ["7f3c"],
    "externalIds": [{ "type": "shop_customer", "id": "c-42" }]
  }
}`

/** An example request of a sync. */
export const exampleRow = `{
  "recordId": "0199c0de-0000-7000-8000-000000000000.17",
  "operation": "upsert",
  "object": "customers",
  "key": "ada@example.com",
  "payload": {
    "email": "ada@example.com",
    "plan": "pro"
  }
}`

/**
 * Sends each event, complete or as the payload of its mapping, to a URL of the user: one per request or as an array.
 */
export const webhook = defineDestination({
  slug: 'webhook',
  title: 'Webhook',
  description: 'Sends events as JSON to your own URL, whole or with the fields you map, optionally signed.',
  docs: {
    url: '/docs/webhook',
    steps: [
      {
        title: 'Prepare an endpoint',
        text: 'Create an HTTPS endpoint that accepts a JSON body and responds with a 2xx status within 10 seconds. Respond first and process later, because a slow endpoint delays its own events. To reach an endpoint inside your network, your Tributary operator must allow that network with `TRIBUTARY_EGRESS_ALLOW`; until then, events are held.',
      },
      {
        title: 'Read the body',
        text: 'An event is a JSON object; a batch is an array of them. `event` holds the name of a `track`, `page`, or `screen` call. Fields the sender omitted are absent, and unknown keys are in `extra`.',
        code: exampleBody,
        language: 'json',
      },
      {
        title: 'Check the signature',
        text: 'With a signing secret, each request carries X-Tributary-Signature: t=<seconds>,v1=<hex>. Compute HMAC-SHA256 with your secret over the text "<seconds>.<body>", compare in constant time, and refuse a time more than five minutes away.',
      },
      {
        title: 'Choose what is sent',
        text: 'By default, the body is the whole event. If a mapping has fields, the body is an object with those fields. A batch is an array of these objects.',
      },
      {
        title: 'Delete users',
        text: 'When a user is deleted in Tributary, the webhook receives a row like this one. Delete the user by any of the IDs and respond with 2xx. Deleting a user who is already gone must succeed, too.',
        code: exampleDeletion,
        language: 'json',
      },
      {
        title: 'Take rows of syncs',
        text: 'A sync sends each row with an operation, a key, and an ID that stays the same on every retry. Respond with 2xx to take all of them, or name the rows you did not take in `results`. With **Send in batches**, the body is an array of rows.',
        code: exampleRow,
        language: 'json',
      },
      {
        title: 'Handle duplicates',
        text: 'Every event arrives at least once. A retried event has the same Idempotency-Key; use it, or messageId in the body, to drop duplicates.',
      },
      {
        title: 'Respond with the right status',
        text: '2xx: delivered. 408, 429, and 5xx: retried for hours, after Retry-After if you send it. Anything else, including redirects: the event becomes a dead letter with your response. A batch answered 400, 413, or 422 is split in half and resent until only the failing events are rejected.',
      },
    ],
  },
  settings,
  category: 'Automation',
  popular: true,
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [
    {
      name: 'events',
      title: 'Events',
      description: 'Each event in a request, alone or in a batch.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['send'],
    },
  ],
  actions: [send],
  presets: [{ action: 'send', fields: {} }],
  batching: ({ batching, batch_size: maxEvents, batch_wait_ms: maxWaitMs }) =>
    batching
      ? { maxEvents, maxBytes: 4 * 1024 * 1024, maxWaitMs }
      : { maxEvents: 1, maxBytes: Number.MAX_SAFE_INTEGER, maxWaitMs: 0 },
  ordered: ({ ordered }) => ordered,
  oauth2,
  testConnection,
  deliver,
  deliverRows,
  rowObjects: [
    {
      name: 'records',
      title: 'Record',
      description: 'Each row with its operation and key. Your endpoint carries it out and can respond for each row.',
      syncModes: ['FULL_SYNC', 'UPSERT_ONLY', 'UPDATE_ONLY', 'INSERT_ONLY'],
      // The deletion of a user names this object.
      reserved: ['users'],
      address: ({ name }) => name,
    },
  ],
  deletesUsers: true,
})
