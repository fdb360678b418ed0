import { onTestFinished } from 'vitest'
import type { EventOutcome } from '../definition/definition.ts'
import { outgoingEvent, type PeerAnswer, type PeerRequest, runConnector, startPeer } from '../testing/testing.ts'
import { defineDescribed, readDescription } from './define-described.ts'
import type { Described } from './requests/open-request.ts'

export type Values = Readonly<Record<string, unknown>>
export type Item = Readonly<{ id?: unknown; name?: unknown }>

const setting = { label: 'L', help: 'H.', required: true }
const field = { label: 'F', help: 'H.', type: 'any', kind: 'property' }

/** A description with one batch of items, whose parts a test replaces. */
export const sampleText = ({ requests, ...more }: Values & { requests?: Values } = {}): string =>
  JSON.stringify({
    format: 1,
    slug: 'sample',
    title: 'Sample',
    category: 'Automation',
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

export const guide = '## One\n\nA text.\n\n## Two\n\nA text.\n'
export const now = Date.parse('2026-01-02T03:04:05.000Z')

/** Delivers payloads to a peer with these answers; returns the outcomes, and the items of each request. */
export const run = async (
  more: Values,
  payloads: readonly Values[],
  answer: (items: readonly Item[], index: number, request: PeerRequest) => PeerAnswer,
) => {
  const sent: (readonly Item[])[] = []
  const peer = await startPeer((request, index) => {
    const body: unknown = request.body === '' ? {} : JSON.parse(request.body)
    const items = ((body as { items?: readonly Item[] }).items ?? []) as readonly Item[]
    sent.push(items)
    return answer(items, index, request)
  })
  onTestFinished(() => peer.close())
  const settings = { server: peer.url, key: 'k3y-0123456789' }
  const events = payloads.map((payload, at) => outgoingEvent({ messageId: `m-${at}` }, { action: 'send', payload }))
  const { outcomes } = await runConnector(defineDescribed(sample(more), guide), settings, events, { now })
  return { outcomes: outcomes as readonly EventOutcome[], sent, requests: peer.requests }
}

export const ids = (count: number): Values[] => Array.from({ length: count }, (_, id) => ({ id }))
export const ok: PeerAnswer = { status: 200, body: '{}' }
export const kinds = (outcomes: readonly EventOutcome[]): string[] => outcomes.map(({ kind }) => kind)

/** The way of errors by an index, and what became of the other items. */
export const byIndex = (others: 'delivered' | 'not_accepted' | 'repeatable', more: Values = {}) => ({
  answers: { items: [{ status: [207, 400], at: 'errors', by: { index: 'at' }, reason: ['why'], others, ...more }] },
})
