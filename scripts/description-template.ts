import { logoFile, titleOf } from './connector-template.ts'

const page = 'https://todo.example/'

const guide = `## Get a key

TODO: say where it is made and what it must be allowed to do.

## Know what happens to the events

TODO: say what is sent, and what is refused.
`

const auth = { default: [{ in: 'header', name: 'Authorization', prefix: 'Bearer ', setting: 'api_key' }] }

const actions = {
  track: {
    title: 'Track event',
    description: 'TODO: say what it does with an event.',
    request: 'events',
    custom_fields: true,
    fields: {
      event: 'event_name',
      user_id: { as: 'user_id', required: true, help: 'TODO: say what the vendor does with it.' },
      properties: 'properties',
    },
    item: { event: '{{ event }}', user: '{{ user_id }}', properties: { $merge: ['{{ properties }}', '{{ custom }}'] } },
  },
}

/** Vectors whose vendor does what is most common: 207 with an index for refused items. */
const vectorsFor = (slug: string, title: string) => {
  const item = { event: 'Order Completed', user: 'user-1', properties: { total: 5 } }
  const url = 'https://api.todo.example/v1/events'
  return {
    settings: { api_key: `${slug}-key-1` },
    accepts: { source: page, answer: { status: 200, body: {} } },
    no_identify: 'TODO: add a preset for identify calls, or say why there is none.',
    sample: { userId: 'user-1', properties: { total: 5 } },
    requests: [
      {
        name: 'TODO: use the example of the vendor’s page',
        source: page,
        events: ['Order Completed'],
        requests: [
          { method: 'POST', url, headers: { Authorization: `Bearer ${slug}-key-1` }, body: { events: [item] } },
        ],
      },
    ],
    answers: [
      {
        name: 'wrong credentials hold the events',
        source: page,
        shows: 'bad_credentials',
        events: ['a'],
        answers: [401],
        outcomes: [`misconfigured: ${title} refuses the credentials (HTTP 401)`],
      },
      {
        name: 'a request over the rate limit is sent again later',
        source: page,
        shows: 'rate_limit',
        events: ['a'],
        answers: [{ status: 429, headers: { 'retry-after': '7' } }],
        outcomes: [{ kind: 'retry', reason: 'HTTP 429', retryAfterMs: 7000 }],
      },
      {
        name: 'a refused event of a batch, with the others accepted',
        source: page,
        shows: 'refused_item',
        events: ['a', 'b'],
        answers: [{ status: 207, body: { errors: [{ index: 1, message: 'no such event' }] } }],
        outcomes: ['delivered', 'rejected: no such event'],
        sent: 1,
      },
      {
        name: 'an event that is too large is not sent',
        source: page,
        shows: 'too_large',
        events: [{ event: 'a', pad: { property: 'note', bytes: 1_000_000 } }],
        outcomes: [`rejected: The event has more bytes than ${title} takes: at most 500,000`],
        sent: 0,
      },
    ],
  }
}

const descriptionFor = (slug: string, title: string) => ({
  format: 1,
  slug,
  title,
  description: 'TODO: say in one sentence what it is for.',
  category: 'Automation',
  docs_url: page,
  settings: {
    api_key: {
      type: 'secret',
      label: 'API key',
      help: 'TODO: say where it is found. Stored encrypted.',
      required: true,
      max_length: 500,
    },
  },
  servers: { api: 'https://api.todo.example' },
  auth,
  requests: {
    events: {
      method: 'POST',
      server: 'api',
      path: '/v1/events',
      batch: { at: 'events', max_items: 100 },
      max_bytes: 500_000,
    },
    account: { method: 'GET', server: 'api', path: '/v1/account' },
  },
  answers: {
    reason: ['error'],
    items: [{ status: [207], at: 'errors', by: { index: 'index' }, reason: ['message'], others: 'delivered' }],
  },
  objects: [
    {
      name: 'events',
      title: 'Events',
      description: 'TODO: say what there is more of, or what changes, at the vendor.',
      sync_modes: ['INSERT_ONLY'],
      identifiers: [],
      actions: ['track'],
    },
  ],
  actions,
  presets: [{ event_type: 'track', action: 'track' }],
  limits: { page, max_events: 100, max_bytes: 450_000, max_wait_ms: 1000, requests: 10, per_ms: 1000 },
  test: { request: 'account', message: `${title} accepts the key.` },
  vectors: vectorsFor(slug, title),
})

/**
 * Returns the files of a new destination that is described by data, by their path in its folder. Parts that a developer
 * must write are marked TODO.
 */
export const descriptionFiles = (slug: string): Readonly<Record<string, string>> => ({
  'description.json': `${JSON.stringify(descriptionFor(slug, titleOf(slug)), null, 2)}\n`,
  'guide.md': guide,
  'logo.svg': logoFile,
})
