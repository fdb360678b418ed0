import {
  type ActionDefinition,
  classifyStatus,
  defineDestination,
  defineSettings,
  type EventOutcome,
  type OutgoingEvent,
  parseRetryAfter,
  setting,
} from '@tributary/connector-kit'

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
 * A test connector with every feature of a definition that delivery supports: actions (`send` takes events whole,
 * `order` needs `total`), batches, a rate, and order. It posts a list of `{messageId, action, event or payload}`. If
 * the peer responds with a JSON list, that is the outcome of each event; 413 asks for smaller batches.
 */
export const relay = defineDestination({
  slug: 'relay',
  title: 'Relay',
  description: 'For tests.',
  docs: { url: 'https://example.com', steps: [] },
  settings: defineSettings({
    url: setting.url({ label: 'url', help: '', required: true }),
    batch: setting.number({ label: 'batch', help: '', default: 1 }),
    wait: setting.number({ label: 'wait', help: '', default: 10 }),
    rate: setting.number({ label: 'rate', help: '', default: 0 }),
    rate_ms: setting.number({ label: 'rate_ms', help: '', default: 1000 }),
    ordered: setting.toggle({ label: 'ordered', help: '', default: false }),
  }),
  category: 'Automation',
  kinds: ['Event Streams'],
  auth: 'none',
  objects: [],
  actions: [action('send'), action('note'), action('order', ['total'])],
  presets: [{ action: 'send', fields: {} }],
  batching: ({ batch, wait }) => ({ maxEvents: batch, maxBytes: 1024 * 1024, maxWaitMs: wait }),
  rate: ({ rate, rate_ms }) => (rate === 0 ? undefined : { requests: rate, perMs: rate_ms }),
  ordered: ({ ordered }) => ordered,
  testConnection: async () => ({ ok: true, message: '' }),
  deliver: async (batch, { settings, request, signal, clock }) => {
    const answer = await request({
      method: 'POST',
      url: settings.url,
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
})
