import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  callOnce,
  clientFingerprint,
  compileMappings,
  type DeliverContext,
  type DestinationDefinition,
  definitionProblems,
  type FieldDefinition,
  type HttpAnswer,
  type OutgoingEvent,
  presetMappings,
  RetryableError,
  redirectedSecrets,
  type Settings,
  validatePartialSettings,
  validateSettings,
} from '@tributary/connector-kit'
import { eventTypes, type PipelineEvent } from '@tributary/contract'
import { silentLogger } from '@tributary/kernel'
import { describe, expect, it } from 'vitest'
import { listedDestinations } from './index.ts'

const definitions = await Promise.all(listedDestinations.map((entry) => entry.load()))

/** A text that is part of every secret, and of the responses of the peers. */
const secret = 's3cr3t-0123456789'

/** Parts of a request that would show that it contains the secret in some form. */
const hidden = [secret, Buffer.from(`${secret}:`).toString('base64').slice(0, 16)]

/** Valid values of settings that accept only certain forms. */
const formed: Readonly<Record<string, string>> = {
  brokers: 'kafka.example:9092',
  customer_id: '123-456-7890',
  fingerprint: 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU',
  measurement_id: 'G-A1B2C3D4E5',
  namespace: 'example.servicebus.windows.net',
  project: 'example-project',
  queue_url: 'https://sqs.us-east-1.amazonaws.com/123456789012/events',
  user: 'tributary',
}

/** The hosts of secret URLs of destinations that accept only their own. */
const hosts: Readonly<Record<string, string>> = {
  'google-chat': 'chat.googleapis.com',
  make: 'hook.eu1.make.com',
  'microsoft-teams': 'peer.logic.azure.com',
  zapier: 'hooks.zapier.com',
}

/** Settings of destinations that accept only their own form. */
const ownForms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  databricks: { host: 'dbc-a1b2345c-d6e7.cloud.databricks.com', client_id: 'client-1' },
}

/** A key of a service account with the secret, which no key can be read from. */
const accountKey = JSON.stringify({
  type: 'service_account',
  private_key_id: 'id',
  private_key: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`,
  client_email: 'tributary@example.iam.gserviceaccount.com',
})

/** A key that signs, of which nothing may be kept. */
const { privateKey: rsaKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

const valueOf = (slug: string, field: FieldDefinition): Settings[string] => {
  if (field.type === 'headers') return { Authorization: `Bearer ${secret}`, 'X-Key': secret }
  const secretUrl = `https://${hosts[slug] ?? 'peer.example'}/services/T000/B000/${secret}`
  if (field.name === 'service_account_key') return accountKey
  // No private key has the secret in it.
  if (slug === 'sftp' && field.name === 'private_key') return undefined
  if (slug === 'snowflake' && field.name === 'private_key') return rsaKey
  if (field.name === 'sas_token') return `sv=2024-11-04&sr=c&sig=${secret}`
  if (field.secret) return field.name.endsWith('url') ? secretUrl : secret
  if (slug === 'pub-sub' && field.name === 'topic') return 'projects/example/topics/events'
  const own = ownForms[slug]?.[field.name] ?? formed[field.name]
  if (own !== undefined) return own
  if (field.default !== undefined || !field.required) return field.default
  if (field.type === 'url') return 'https://peer.example/hook'
  if (field.type === 'select') return field.choices?.[0]?.value
  return field.type === 'number' ? field.min : '12345678901234567890'
}

const settingsOf = (definition: DestinationDefinition): Settings => {
  const given = Object.fromEntries(
    definition.settings.fields.map((field) => [field.name, valueOf(definition.slug, field)]),
  )
  const validated = validateSettings(definition, given)
  if (!validated.ok) throw new Error(`${definition.slug} refuses ${JSON.stringify(validated.errors)}`)
  return validated.settings
}

/** The names of track events: an order, and the event of a connected audience. */
const namedEvents = eventTypes.flatMap((type): { type: (typeof eventTypes)[number]; name: string }[] =>
  type === 'track'
    ? ['Order Completed', 'Audience Entered'].map((name) => ({ type, name }))
    : [{ type, name: type === 'screen' ? 'Cart' : '' }],
)

/** Members of properties, traits, and the context that presets of some destinations require. */
const rich = {
  properties: {
    total: 5,
    order_id: 'order-1',
    currency: 'EUR',
    message: 'Hello',
    columns: { text: 'Hello' },
    products: [{ product_id: 'p1', name: 'Hat', price: 5, quantity: 1 }],
  },
  traits: { email: 'ada@example.com', phone: '+14155550123', name: 'Ada', domain: 'example.com' },
  context: {
    appsflyer_id: '1415211453000-6513894',
    ip: '203.0.113.7',
    os: { name: 'iOS' },
    page: { url: 'https://shop.example/cart', title: 'Cart' },
    traits: { email: 'ada@example.com', phone: '+14155550123' },
    userAgent: 'Mozilla/5.0',
  },
}

/**
 * Returns an event of each type with the payload of the presets. Types without a preset are omitted. If all presets
 * are off, they count as on.
 */
const eventsOf = (definition: DestinationDefinition): OutgoingEvent[] => {
  const presets = presetMappings(definition)
  const used = presets.some(({ enabled }) => enabled) ? presets : presets.map((each) => ({ ...each, enabled: true }))
  const map = compileMappings(definition, used, { workspaceId: 'w', destinationId: 'd' })
  return namedEvents.flatMap(({ type, name: eventName }, at): OutgoingEvent[] => {
    const event: PipelineEvent = {
      eventId: `0-00000000000000000001-0000${at}`,
      messageId: `message-${at}`,
      type,
      event: eventName,
      userId: 'user-1',
      anonymousId: 'anonymous-1',
      groupId: 'group-1',
      previousId: 'previous-1',
      ...rich,
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

/** Returns everything that is stored after a delivery and a connection test with a peer that gives this response. */
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

/**
 * Returns where secrets are sent with these settings: origins of requests with a secret, and the target of every
 * connection.
 */
const secretsSentTo = async (definition: DestinationDefinition, settings: Settings): Promise<string[]> => {
  const places = new Set<string>()
  const client: Pick<DeliverContext, 'request' | 'connect'> = {
    request: async ({ url, headers, body = '' }) => {
      const sent = JSON.stringify([url, headers, body.toString()])
      if (hidden.some((text) => sent.includes(text))) places.add(new URL(url).origin)
      return { status: 200, headers: {}, body: '', latencyMs: 1 }
    },
    connect: async ({ host, port }) => {
      places.add(`${host}:${port}`)
      throw new RetryableError('Connection refused')
    },
  }
  const signal = new AbortController().signal
  const call = { client, settings, clock: () => 1_767_323_045_678, logger: silentLogger, signal }
  await callOnce(call, async (context) => {
    const batch = eventsOf(definition).slice(0, definition.batching(settings).maxEvents)
    await definition.deliver(batch, context).catch(() => undefined)
    await definition.testConnection(context)
    const registered = definition.oauth2?.({ ...settings, authentication: 'oauth2' })
    if (registered !== undefined) places.add(registered.tokenUrl)
  })
  return [...places]
}

/** Returns another value for a setting, with another origin or host if possible. */
const otherValueOf = (field: FieldDefinition, value: Settings[string]): Settings[string] => {
  if (field.type === 'url') return 'https://elsewhere.example/hook'
  if (field.type === 'boolean') return value !== true
  if (field.type === 'number') return Number(value) + 1
  return field.type === 'select' ? field.choices?.find((choice) => choice.value !== value)?.value : 'another-value'
}

describe.each(definitions.map((definition) => [definition.slug, definition] as const))('%s', (_slug, definition) => {
  it('the destination is complete', () => {
    expect(definitionProblems(definition)).toEqual([])
  })

  it('the destination can be created without settings, and names the missing ones', () => {
    const required = definition.settings.fields.filter((field) => field.required && field.default === undefined)
    expect(validatePartialSettings(definition, {})).toMatchObject({
      ok: true,
      missing: required.map(({ name }) => name),
    })
    expect(required.length).toBeGreaterThan(0)
  })

  it('the destination accepts some event type without a mapping', () => {
    expect(eventsOf(definition).length).toBeGreaterThan(0)
  })

  it('each secret names the settings that decide its address, and a changed address requires the secret again', async () => {
    const settings = settingsOf(definition)
    const places = await secretsSentTo(definition, settings)
    for (const field of definition.settings.fields.filter((each) => !each.secret)) {
      const changed = { ...settings, [field.name]: otherValueOf(field, settings[field.name]) }
      const moved = (await secretsSentTo(definition, changed)).some((place) => !places.includes(place))
      if (moved) expect([field.name, redirectedSecrets(definition, settings, changed)]).not.toEqual([field.name, []])
    }
  })

  it.each<[string, Partial<HttpAnswer> | 'none']>([
    ['takes it', { status: 200, body: `{"success":true,"key":"${secret}"}` }],
    ['refuses it', { status: 400, body: `no such field in ${secret}` }],
    ['refuses the key', { status: 401, body: `who is ${secret}? ${'x'.repeat(4070)} ${secret}` }],
    ['is busy', { status: 429, headers: { 'retry-after': secret }, body: '<html>later</html>' }],
    ['has a fault', { status: 500, body: secret }],
    ['is away', 'none'],
  ])('the destination keeps no secret of a delivery to a peer that %s', async (_, answer) => {
    const kept = await keptOf(definition, answer)
    const isPublic = definition.settings.fields.every((field) => !field.secret && field.type !== 'headers')
    for (const text of isPublic ? [] : hidden) expect(kept).not.toContain(text)
    expect(kept).toContain('message')
  })
})

it.each([
  ['webhook', 'url', ['headers', 'signing_secret']],
  ['webhook', 'oauth_token_url', ['oauth_client_secret']],
  ['postgresql', 'host', ['password']],
  ['postgresql', 'port', ['password']],
  ['postgresql', 'tls', ['password']],
  ['postgresql', 'ca_certificate', ['password']],
  ['s3', 'endpoint', ['secret_access_key']],
  ['kafka', 'brokers', ['password']],
  ['azure-event-hubs', 'namespace', ['policy_key']],
  ['sftp', 'host', ['password']],
  ['sftp', 'fingerprint', ['password']],
  ['sqs', 'endpoint', ['secret_access_key']],
  ['azure-blob-storage', 'endpoint', ['account_key', 'sas_token']],
  ['azure-blob-storage', 'account', ['account_key', 'sas_token']],
  ['segment', 'endpoint', ['write_key']],
  ['rudderstack', 'data_plane_url', ['write_key']],
])('%s: a changed %s requires %j again', (slug, name, secrets) => {
  const definition = definitions.find((each) => each.slug === slug)
  const field = definition?.settings.fields.find((each) => each.name === name)
  if (definition === undefined || field === undefined) throw new Error('no such setting')
  const settings = settingsOf(definition)
  const changed = { ...settings, [name]: otherValueOf(field, settings[name]) }
  expect(redirectedSecrets(definition, settings, changed).map((each) => each.name)).toEqual(secrets)
})

it('a grant is bound to the address that receives its tokens, for every destination', () => {
  for (const definition of definitions) {
    const settings = { ...settingsOf(definition), authentication: 'oauth2' }
    const [address = ''] = definition.settings.fields.filter(({ type, required }) => type === 'url' && required)
    const name = address === '' ? '' : address.name
    const one = definition.oauth2?.(settings)
    const other = definition.oauth2?.({ ...settings, [name]: 'https://elsewhere.example/' })
    if (one !== undefined && other !== undefined && name !== '')
      expect(clientFingerprint(one)).not.toBe(clientFingerprint(other))
  }
})

it('slugs and titles of destinations are unique', () => {
  expect(new Set(definitions.map(({ title }) => title)).size).toBe(definitions.length)
})

it('docs/privacy.md names every destination that deletes users', () => {
  const doc = readFileSync(new URL('../docs/privacy.md', import.meta.url), 'utf8')
  const table = doc.split('\n').filter((line) => line.startsWith('|'))
  const unnamed = definitions.filter(
    ({ title, deletesUsers }) => deletesUsers !== undefined && !table.some((line) => line.includes(title)),
  )
  expect(unnamed.map(({ title }) => title)).toEqual([])
})
