import { readDescription } from './define-described.ts'
import type { Described } from './open-request.ts'

type Values = Readonly<Record<string, unknown>>

const setting = { label: 'L', help: 'H.', required: true }
const field = { label: 'F', help: 'H.', type: 'any', kind: 'property' }

/** A description with one batch of items, whose parts a test replaces. */
export const sampleText = ({ requests, ...more }: Values & { requests?: Values } = {}): string =>
  JSON.stringify({
    format: 1,
    slug: 'sample',
    title: 'Sample',
    description: 'Sends events to a sample.',
    docs_url: 'https://sample.example/docs',
    settings: {
      server: { type: 'url', ...setting },
      key: { type: 'secret', ...setting },
      account: { type: 'text', ...setting, required: false },
    },
    servers: { api: { setting: 'server' } },
    auth: { default: [{ in: 'header', name: 'X-Key', setting: 'key' }] },
    answers: {
      reason: ['error'],
      items: [{ status: [207], at: 'errors', by: { index: 'at' }, reason: ['why'], others: 'delivered' }],
    },
    objects: [
      {
        name: 'events',
        title: 'Events',
        description: 'E.',
        sync_modes: ['INSERT_ONLY'],
        identifiers: [],
        actions: ['send'],
      },
    ],
    actions: {
      send: {
        title: 'Send',
        description: 'Sends.',
        request: 'batch',
        fields: { id: field, name: field, list: field },
        item: { id: '{{ id }}', name: '{{ name }}' },
      },
    },
    presets: [{ event_type: 'track', action: 'send', fields: { name: 'event' } }],
    limits: { page: 'https://sample.example/limits', max_events: 100, max_bytes: 100_000, max_wait_ms: 0 },
    test: { request: 'ping', message: 'It works.' },
    vectors: {},
    ...more,
    requests: {
      ping: { method: 'GET', server: 'api', path: '/ping' },
      batch: { method: 'POST', server: 'api', path: '/batch', batch: { at: 'items', max_items: 10 }, max_bytes: 2000 },
      ...requests,
    },
  })

/** The same as an object. */
export const sample = (more: Values & { requests?: Values } = {}): Described => readDescription(sampleText(more))
