import {
  callOnce,
  compileMappings,
  type DeliverContext,
  type DestinationDefinition,
  definitionProblems,
  type FieldDefinition,
  type HttpAnswer,
  type OutgoingEvent,
  RetryableError,
  type Settings,
  validateSettings,
} from '@tributary/connector-kit'
import { eventTypes, type PipelineEvent } from '@tributary/contract'
import { silentLogger } from '@tributary/kernel'
import { describe, expect, it } from 'vitest'
import { destinationDefinitions } from './catalog.ts'

/** Stands in every secret, and in the answers of the peers. */
const secret = 's3cr3t-0123456789'

const valueOf = (field: FieldDefinition): Settings[string] => {
  if (field.type === 'headers') return { Authorization: `Bearer ${secret}`, 'X-Key': secret }
  if (field.secret) return field.name.endsWith('url') ? `https://peer.example/services/T000/B000/${secret}` : secret
  if (field.default !== undefined || !field.required) return field.default
  if (field.type === 'url') return 'https://peer.example/hook'
  if (field.type === 'select') return field.choices?.[0]?.value
  return field.type === 'number' ? field.min : 'some-value'
}

const settingsOf = (definition: DestinationDefinition): Settings => {
  const given = Object.fromEntries(definition.fields.map((field) => [field.name, valueOf(field)]))
  const validated = validateSettings(definition, given)
  if (!validated.ok) throw new Error(`${definition.slug} refuses ${JSON.stringify(validated.errors)}`)
  return validated.settings
}

/** An event of each type as the presets make it; a type that they leave out is none. */
const eventsOf = (definition: DestinationDefinition): OutgoingEvent[] => {
  const map = compileMappings(definition, undefined, { workspaceId: 'w', destinationId: 'd' })
  return eventTypes.flatMap((type, at): OutgoingEvent[] => {
    const event: PipelineEvent = {
      eventId: `0-00000000000000000001-0000${at}`,
      messageId: `message-${at}`,
      type,
      event: type === 'track' ? 'Order Completed' : '',
      userId: 'user-1',
      anonymousId: 'anonymous-1',
      groupId: 'group-1',
      previousId: 'previous-1',
      properties: { total: 5 },
      traits: { email: 'ada@example.com' },
      context: {},
      test: false,
      receivedAt: '2026-01-02T03:04:05.678Z',
      timestamp: '2026-01-02T03:04:05.000Z',
    }
    const mapped = map(event, 's')
    if (mapped.kind === 'failed') throw new Error(`${definition.slug}, ${type}: ${mapped.reason}`)
    if (mapped.kind === 'unmapped') return []
    const { action, payload } = mapped
    const { eventId, messageId, event: name } = event
    const outgoing = { eventId, messageId, type, event: name, action, json: JSON.stringify(event) }
    return [payload === undefined ? outgoing : { ...outgoing, payload }]
  })
}

/** Everything that is kept of a delivery and of a test of the connection to a peer that answers so. */
const keptOf = async (definition: DestinationDefinition, answer: Partial<HttpAnswer> | 'none'): Promise<string> => {
  const exchanges: unknown[] = []
  const client: Pick<DeliverContext, 'request' | 'connect'> = {
    request: async () => {
      if (answer === 'none') throw new RetryableError('Connection refused')
      return { status: 200, headers: {}, body: '', latencyMs: 1, ...answer }
    },
    connect: async () => {
      throw new RetryableError('Connection refused')
    },
  }
  const kept = await callOnce(
    {
      client,
      settings: settingsOf(definition),
      clock: () => 1_767_323_045_678,
      logger: silentLogger,
      signal: new AbortController().signal,
      onExchange: (exchange) => exchanges.push(exchange),
    },
    async (context) => {
      const batch = eventsOf(definition).slice(0, definition.batching(context.settings).maxEvents)
      const delivered = await definition.deliver(batch, context).catch((error: unknown) => error)
      return [delivered, await definition.testConnection(context)]
    },
  )
  const whole = (value: unknown): unknown => (value instanceof Error ? { ...value, message: value.message } : value)
  return JSON.stringify([...kept.map(whole), exchanges])
}

const hidden = [secret, Buffer.from(`${secret}:`).toString('base64').slice(0, 16)]

describe.each([...destinationDefinitions])('%s', (slug, definition) => {
  it('is complete, under its own name', () => {
    expect(definition.slug).toBe(slug)
    expect(definitionProblems(definition)).toEqual([])
  })

  it('does something with events of some type as it is', () => {
    expect(eventsOf(definition).length).toBeGreaterThan(0)
  })

  it.each<[string, Partial<HttpAnswer> | 'none']>([
    ['takes it', { status: 200, body: `{"success":true,"key":"${secret}"}` }],
    ['refuses it', { status: 400, body: `no such field in ${secret}` }],
    ['refuses the key', { status: 401, body: `who is ${secret}? ${'x'.repeat(4070)} ${secret}` }],
    ['is busy', { status: 429, headers: { 'retry-after': secret }, body: '<html>later</html>' }],
    ['has a fault', { status: 500, body: secret }],
    ['is away', 'none'],
  ])('keeps no secret of a delivery to a peer that %s', async (_, answer) => {
    const kept = await keptOf(definition, answer)
    for (const text of hidden) expect(kept).not.toContain(text)
    expect(kept).toContain('message')
  })
})

it('slugs are different, and so are titles', () => {
  const definitions = [...destinationDefinitions.values()]
  expect(new Set(definitions.map(({ title }) => title)).size).toBe(definitions.length)
})
