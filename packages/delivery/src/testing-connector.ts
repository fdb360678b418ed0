import type {
  ActionDefinition,
  DestinationDefinition,
  EventOutcome,
  FieldDefinition,
  OutgoingEvent,
} from '@tributary/connector-kit'
import { classifyStatus, parseRetryAfter } from '@tributary/connector-kit'

const number = (name: string, value: number): FieldDefinition => ({
  name,
  label: name,
  help: '',
  type: 'number',
  required: false,
  default: value,
  secret: false,
  editable: true,
})

const action = (name: string, targets: readonly string[] = []): ActionDefinition => ({
  name,
  title: name,
  description: '',
  targets: targets.map((target) => ({
    name: target,
    label: target,
    help: '',
    type: 'any',
    required: true,
    recommended: false,
    kind: 'property',
  })),
  customTargets: true,
  wholeEvent: targets.length === 0,
  eventTypes: [],
})

const wire = ({ messageId, action: name, payload, json }: OutgoingEvent): Record<string, unknown> => ({
  messageId,
  action: name,
  ...(payload === undefined ? { event: JSON.parse(json) } : { payload }),
})

const isOutcome = (value: unknown): value is EventOutcome =>
  typeof value === 'object' && value !== null && 'kind' in value

/**
 * A connector for tests with everything that a definition may ask of the delivery: actions (`send` takes events whole,
 * `order` needs `total`), batches, a rate, order. It posts a list of `{messageId, action, event or payload}`. The peer's
 * JSON list, if it answers one, is the outcome of each event; 413 asks for smaller batches.
 */
export const relay: DestinationDefinition = {
  slug: 'relay',
  title: 'Relay',
  description: 'For tests.',
  docs: { url: 'https://example.com', steps: [] },
  fields: [
    { ...number('url', 0), type: 'url', required: true },
    number('batch', 1),
    number('wait', 10),
    number('rate', 0),
    number('rate_ms', 1000),
    { ...number('ordered', 0), type: 'boolean', default: false },
  ],
  kinds: ['Event Streams'],
  auth: 'none',
  objects: [],
  actions: [action('send'), action('note'), action('order', ['total'])],
  presets: [{ action: 'send', fields: {} }],
  batching: ({ batch, wait }) => ({ maxEvents: Number(batch), maxBytes: 1024 * 1024, maxWaitMs: Number(wait) }),
  rate: ({ rate, rate_ms }) => (rate === 0 ? undefined : { requests: Number(rate), perMs: Number(rate_ms) }),
  ordered: ({ ordered }) => ordered === true,
  testConnection: async () => ({ ok: true, message: '' }),
  deliver: async (batch, { settings, request, signal, clock }) => {
    const answer = await request({
      method: 'POST',
      url: typeof settings['url'] === 'string' ? settings['url'] : '',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(batch.map(wire)),
      signal,
    })
    const { status: httpStatus, latencyMs, body } = answer
    const kept = { httpStatus, latencyMs, request: 'the request', response: body }
    const reason = `HTTP ${httpStatus}`
    if (httpStatus === 413) return { outcomes: { kind: 'split', reason }, ...kept }
    const kind = classifyStatus(httpStatus)
    const listed: unknown = kind === 'delivered' && body.startsWith('[') ? JSON.parse(body) : undefined
    if (Array.isArray(listed)) return { outcomes: listed.filter(isOutcome), ...kept }
    if (kind === 'delivered') return { outcomes: { kind }, ...kept }
    const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], clock())
    return { outcomes: { kind, reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, ...kept }
  },
}
