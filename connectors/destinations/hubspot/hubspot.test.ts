import { ConfigurationError, type EventOutcome, type OutgoingRow, RetryableError } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnectorRows, runDescribeRows } from '@tributary/connector-kit/testing'
import { startVendor, testDestination, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { testRowObject } from '@tributary/connector-kit/testing-rows'
import { describe, expect, it } from 'vitest'
import { hubspot } from './definition.ts'
import { recordsObject, recordsOf } from './object-type.ts'
import { answerOf, createHubspot, errorOf, token } from './testing-hubspot.ts'
import { valueText } from './values.ts'

const origins = ['https://api.hubapi.com']

const identify = (messageId: string, payload: Record<string, unknown>) =>
  outgoingEvent({ messageId, type: 'identify' }, { payload, action: 'upsert_contact' })

testDestination(hubspot, {
  origins,
  settings: () => ({ access_token: token }),
  secrets: [token],
  vendor: (request) => createHubspot().answer(request),
  events: [
    identify('m-1', { email: 'Ada@Example.com ', firstname: 'Ada', visits: 3, vip: true }),
    identify('m-2', { email: 'bob@example.com', firstname: 'Bob' }),
  ],
  requests: [
    {
      method: 'POST',
      host: 'api.hubapi.com',
      path: '/crm/v3/objects/contacts/batch/read',
      body: {
        idProperty: 'email',
        properties: ['email', 'hs_additional_emails'],
        inputs: [{ id: 'ada@example.com' }, { id: 'bob@example.com' }],
      },
    },
    {
      method: 'POST',
      host: 'api.hubapi.com',
      path: '/crm/v3/objects/contacts/batch/create',
      body: {
        inputs: [
          {
            properties: { email: 'ada@example.com', firstname: 'Ada', visits: '3', vip: 'true' },
            objectWriteTraceId: '0',
          },
          { properties: { email: 'bob@example.com', firstname: 'Bob' }, objectWriteTraceId: '1' },
        ],
      },
    },
  ],
  connected: 'Connected to the HubSpot account 4711.',
  badCredentials: {
    settings: () => ({ access_token: 'pat-eu1-another' }),
    message: 'HubSpot refuses the access token: Authentication credentials not found',
  },
})

const object = recordsObject({ type: 'deals', idProperty: 'id' })
const row = (operation: OutgoingRow['operation'], key: string, plan = 'pro'): OutgoingRow => ({
  recordId: `run.${key}`,
  operation,
  object,
  key,
  json: JSON.stringify({ id: key, plan }),
})

const writer = async (answer: (request: VendorRequest) => PeerAnswer) => {
  const { asked, rebase } = await startVendor({ origins }, answer)
  const write = async (rows: readonly OutgoingRow[]): Promise<readonly EventOutcome[]> => {
    const { outcomes } = await runConnectorRows(hubspot, { access_token: token }, rows, { rebase })
    if ('kind' in outcomes) throw new Error('One outcome for all rows')
    return outcomes
  }
  return { asked, write, whats: () => asked.map(({ path }) => path.split('/').at(-1)) }
}

describe.each([
  ['that names the records it refuses', true],
  ['that refuses a batch for one record', false],
])('records of a HubSpot %s', (_, multiStatus) => {
  const vendor = createHubspot({ multiStatus })
  testRowObject({
    address: (type) => recordsObject({ type, idProperty: 'id' }),
    write: async (rows) => (await writer(vendor.answer)).write(rows),
    read: async (type) =>
      vendor
        .read(type)
        .map(({ id = '', plan = '' }) => ({ id, plan: plan === '' ? null : plan }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    refuseBad: vendor.refuseBad,
  })
})

describe('requests to HubSpot', () => {
  it('records are sent at most 100 in a request, and an upsert needs no other request', async () => {
    const { write, asked, whats } = await writer(createHubspot().answer)
    const rows = Array.from({ length: 205 }, (_, at) => row('upsert', `k${at}`))
    expect(new Set((await write(rows)).map(({ kind }) => kind))).toEqual(new Set(['delivered']))
    expect(whats()).toEqual(['upsert', 'upsert', 'upsert'])
    expect(asked.map(({ body }) => (body as { inputs: unknown[] }).inputs.length)).toEqual([100, 100, 5])
  })

  it('records are updated and archived by their HubSpot IDs, which are found by the identifier', async () => {
    const vendor = createHubspot()
    const { write, whats, asked } = await writer(vendor.answer)
    await write([row('upsert', 'a')])
    await write([row('update', 'a', 'max'), row('delete', 'a')])
    expect(whats()).toEqual(['upsert', 'read', 'update', 'read', 'archive'])
    expect(asked[1]?.body).toEqual({ idProperty: 'id', properties: ['id'], inputs: [{ id: 'a' }] })
    expect(asked[4]?.body).toEqual({ inputs: [{ id: '101' }] })
    expect(vendor.read('deals')).toEqual([])
  })

  it('email addresses in any letter case are treated as one contact', async () => {
    const vendor = createHubspot()
    const { write } = await writer(vendor.answer)
    const contacts = recordsObject({ type: 'contacts', idProperty: 'email' })
    const contact = (operation: OutgoingRow['operation'], email: string, plan: string): OutgoingRow => ({
      recordId: `run.${email}`,
      operation,
      object: contacts,
      key: email,
      json: JSON.stringify({ email, plan }),
    })
    await write([contact('upsert', 'Ada@example.com', 'a'), contact('upsert', 'ada@Example.com', 'b')])
    expect(vendor.read('contacts')).toEqual([{ email: 'ada@example.com', plan: 'b' }])
    await write([contact('delete', 'ADA@example.com', '')])
    expect(vendor.read('contacts')).toEqual([])
  })
})

describe('temporary errors', () => {
  it.each([
    ['named by the header', { 'retry-after': '7' }, {}, 7000],
    ['by the window of ten seconds', {}, { policyName: 'TEN_SECONDLY_ROLLING' }, 10_000],
    ['by the window of a day', {}, { policyName: 'DAILY' }, 3_600_000],
  ])('after too many requests, rows wait for the time %s', async (_, headers, more, retryAfterMs) => {
    const body = JSON.stringify({ status: 'error', message: 'You have reached your limit.', ...more })
    const { write, whats } = await writer(() => ({ status: 429, headers, body }))
    const retry = { kind: 'retry', reason: 'You have reached your limit.', retryAfterMs }
    expect(await write([row('upsert', 'a')])).toEqual([retry])
    expect(await write([row('insert', 'a')])).toEqual([retry])
    expect(whats()).toEqual(['upsert', 'read'])
  })

  it.each([423, 477, 502, 524])('status %i is retried, and nothing more is sent before the retry', async (status) => {
    const vendor = createHubspot()
    let requests = 0
    const { write, whats } = await writer((request) => (++requests === 2 ? { status } : vendor.answer(request)))
    const outcomes = await write([row('upsert', 'a'), row('insert', 'b'), row('delete', 'c')])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['delivered', 'retry', 'retry'])
    expect(whats()).toEqual(['upsert', 'read'])
  })

  it('a record that is missing in the response is sent again', async () => {
    const { write } = await writer(() =>
      answerOf(200, { status: 'COMPLETE', results: [{ id: '1', properties: { id: 'a' } }] }),
    )
    expect((await write([row('upsert', 'a'), row('upsert', 'b')])).map(({ kind }) => kind)).toEqual([
      'delivered',
      'retry',
    ])
  })

  it('a success response that is too long counts as a success, and a long response with errors inside is sent again', async () => {
    const results = Array.from({ length: 300 }, (_, at) => ({ id: `${at}`, properties: { note: 'ü'.repeat(1000) } }))
    const kinds = async (status: number) => {
      const { write } = await writer(() => answerOf(status, { status: 'COMPLETE', results }))
      return (await write([row('upsert', 'a'), row('upsert', 'b')])).map(({ kind }) => kind)
    }
    expect([await kinds(200), await kinds(207)]).toEqual([
      ['delivered', 'delivered'],
      ['retry', 'retry'],
    ])
  })

  it('a missing response is retried', async () => {
    const { write } = await writer(() => 'reset')
    await expect(write([row('upsert', 'a')])).rejects.toThrow(RetryableError)
  })
})

describe('errors that a person must fix', () => {
  it.each([
    [
      'a scope that is missing',
      errorOf(403, 'MISSING_SCOPES', 'This app needs crm.objects.deals.write'),
      'lacks a scope',
    ],
    [
      'an object that is not there',
      errorOf(404, 'OBJECT_NOT_FOUND', 'Unable to infer object type'),
      'does not know this object',
    ],
    [
      'an identifier that is not unique',
      errorOf(400, 'VALIDATION_ERROR', 'Unable to perform update/upsert by non-unique 0-2 property'),
      'not a unique property',
    ],
  ])('a batch that fails because of %s holds rows with the reason', async (_, answer, words) => {
    const { write } = await writer(() => answer)
    const failure = await write([row('upsert', 'a'), row('upsert', 'b')]).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect(String(failure)).toContain(words)
  })

  it('an error after accepted rows holds only the remaining rows', async () => {
    const vendor = createHubspot()
    let requests = 0
    const { write } = await writer((request) =>
      ++requests === 2 ? errorOf(403, 'MISSING_SCOPES', 'No read') : vendor.answer(request),
    )
    expect(await write([row('upsert', 'a'), row('delete', 'b')])).toEqual([
      { kind: 'delivered' },
      { kind: 'retry', reason: 'The access token lacks a scope: No read', misconfigured: true },
    ])
  })
})

it('contacts, companies, and deals have fixed type names, and a custom object has the name that users chose', () => {
  const given = { name: ' 2-3465404', identifier: 'email' }
  const types = hubspot.rowObjects?.map(({ address }) => recordsOf(address(given))?.type)
  expect(types).toEqual(['contacts', 'companies', 'deals', '2-3465404'])
})

it('rows of objects other than records are rejected', async () => {
  for (const odd of ['users', 'crm/contacts', 'crm/a b/id', 'crm/../id', 'crm/a/%', 'crm/a/b/c'])
    expect(recordsOf(odd)).toBeUndefined()
  expect(recordsOf(recordsObject({ type: ' p123_cars ', idProperty: 'ä/b' }))).toEqual({
    type: 'p123_cars',
    idProperty: 'ä/b',
  })
  const { write, asked } = await writer(() => ({ status: 200 }))
  expect(await write([{ ...row('delete', 'a'), object: 'users' }])).toMatchObject([{ kind: 'rejected' }])
  expect(asked).toEqual([])
})

it.each([
  [null, ''],
  ['', ''],
  ['text', 'text'],
  [1.5, '1.5'],
  [false, 'false'],
  [['a', 'b', 3], 'a;b;3'],
  [{ a: [1] }, '{"a":[1]}'],
  [[{ a: 1 }], '[{"a":1}]'],
])('the value %j is sent as %j', (value, text) => {
  expect(valueText(value)).toBe(text)
})

describe('the description of a HubSpot object', () => {
  const ask = async (object: string, name: string, schemas = true) => {
    const { rebase } = await startVendor({ origins }, createHubspot({ schemas }).answer)
    return runDescribeRows(hubspot, { access_token: token }, { object, name }, { rebase })
  }

  it('the description of an object lists the writable properties, with type, label, options, and flags', async () => {
    expect(await ask('deals', 'deals')).toEqual({
      fields: [
        {
          name: 'plan',
          label: 'A plan',
          type: 'enumeration',
          required: false,
          unique: false,
          options: [{ value: 'pro', label: 'Pro' }],
        },
        { name: 'dealname', label: 'Deal name', type: 'string', required: true, unique: false, options: [] },
        { name: 'id', label: 'Our ID', type: 'string', required: false, unique: true, options: [] },
      ],
      facts: [],
    })
  })

  it('the description of an object lacks only the required flags if the token cannot read schemas', async () => {
    const { fields } = await ask('custom_object', ' deals', false)
    expect(fields.map(({ name, required }) => [name, required])).toEqual([
      ['plan', false],
      ['dealname', false],
      ['id', false],
    ])
  })

  it('the description of an object is a set-up problem if HubSpot has no such object', async () => {
    await expect(ask('custom_object', 'cars')).rejects.toThrow(ConfigurationError)
    expect(await ask('custom_object', '../me')).toEqual({ fields: [], facts: [] })
  })
})
