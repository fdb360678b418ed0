import { ConfigurationError, type EventOutcome, type OutgoingRow, RetryableError } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnectorRows, runDescribeRows } from '@tributary/connector-kit/testing'
import { startVendor, testDestination, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { regainMs } from '../../wire/meta/graph.ts'
import { answerOf, errorOf } from '../../wire/meta/testing-graph.ts'
import { audienceObject, audienceOf } from './audience-address.ts'
import { metaCustomAudiences } from './definition.ts'
import { keyOf, type MatchKey, matchValue, sha256 } from './match-keys.ts'
import { check } from './settings.ts'
import { createMeta, token } from './testing-meta.ts'

const origins = ['https://graph.facebook.com']
const settings = { access_token: token, ad_account_id: 'act_123456789', audience_id: '23847' }

const people = (id = '23847', bad?: string) => {
  const meta = createMeta(bad === undefined ? {} : { bad })
  meta.create(id)
  return meta
}

const identify = (extern_id: string, payload: Record<string, unknown>) =>
  outgoingEvent(
    { messageId: `m-${extern_id}`, type: 'identify' },
    { payload: { extern_id, ...payload }, action: 'add_person' },
  )

testDestination(metaCustomAudiences, {
  origins,
  settings: () => settings,
  secrets: [token],
  vendor: (request) => people().answer(request),
  events: [
    identify('u1', { email: ' Ada@Example.com', country: 'GB' }),
    identify('u2', { phone: '+44 (0) 20-7946 0000' }),
  ],
  requests: [
    {
      method: 'POST',
      host: 'graph.facebook.com',
      path: '/v25.0/23847/users',
      body: {
        session: { batch_seq: 1, last_batch_flag: true, estimated_num_total: 2 },
        payload: {
          schema: ['EXTERN_ID', 'EMAIL', 'PHONE', 'COUNTRY'],
          data: [
            ['u1', sha256('ada@example.com'), '', sha256('gb')],
            ['u2', '', sha256('442079460000'), ''],
          ],
        },
      },
    },
  ],
  connected: 'Connected to the ad account Shop.',
  badCredentials: {
    settings: () => ({ ...settings, access_token: 'EAAG-another' }),
    message: 'Meta refuses the access token: Error validating access token',
  },
  rateLimit: {
    answer: errorOf(
      400,
      80003,
      'There have been too many calls to this ad-account.',
      {},
      {
        'x-business-use-case-usage': JSON.stringify({
          '66782': [{ type: 'custom_audience', call_count: 100, estimated_time_to_regain_access: 19 }],
        }),
      },
    ),
    retryAfterMs: 19 * 60_000,
  },
})

const object = audienceObject({ id: '23847', identifier: 'extern_id' })
const row = (operation: OutgoingRow['operation'], key: string, values: object = {}): OutgoingRow => ({
  recordId: `run.${operation}.${key}`,
  operation,
  object,
  key,
  json: JSON.stringify({ extern_id: key, ...values }),
})
const add = (key: string) => row('upsert', key, { email: `${key}@example.com` })

const writer = async (answer: (request: VendorRequest) => PeerAnswer, more: object = {}) => {
  const { asked, rebase } = await startVendor({ origins }, answer)
  const write = async (rows: readonly OutgoingRow[]): Promise<readonly EventOutcome[]> => {
    const { outcomes } = await runConnectorRows(metaCustomAudiences, { ...settings, ...more }, rows, { rebase })
    if ('kind' in outcomes) throw new Error('One outcome for all rows')
    return outcomes
  }
  return { asked, write }
}
const delivered = { kind: 'delivered' }

describe('people of a Custom Audience', () => {
  it('people of a Custom Audience are added and removed in order, and are removed only by their external ID', async () => {
    const meta = people()
    const { write, asked } = await writer(meta.answer)
    const rows = [add('a'), add('b'), row('delete', 'a'), row('delete', 'z'), add('c'), add('c')]
    expect(await write(rows)).toEqual(rows.map(() => delivered))
    expect(meta.read('23847').map(({ EXTERN_ID }) => EXTERN_ID)).toEqual(['b', 'c'])
    expect(
      asked.map(({ method, body }) => [method, (body as { payload: { schema: string[] } }).payload.schema]),
    ).toEqual([
      ['POST', ['EXTERN_ID', 'EMAIL']],
      ['DELETE', ['EXTERN_ID']],
      ['POST', ['EXTERN_ID', 'EMAIL']],
      ['POST', ['EXTERN_ID', 'EMAIL']],
    ])
    expect(await write(rows)).toEqual(rows.map(() => delivered))
    expect(meta.read('23847')).toHaveLength(2)
  })

  it('people of a Custom Audience are never sent unhashed: an identifying email address is the hashed external ID', async () => {
    const meta = people()
    const { write, asked } = await writer(meta.answer)
    const byEmail = (operation: OutgoingRow['operation'], email: string): OutgoingRow => ({
      ...row(operation, email),
      object: audienceObject({ id: '23847', identifier: 'email' }),
      json: JSON.stringify({ email }),
    })
    await write([byEmail('upsert', 'ada@example.com'), byEmail('upsert', 'Bob@example.com')])
    expect(meta.read('23847')).toEqual([
      { EXTERN_ID: sha256('ada@example.com'), EMAIL: sha256('ada@example.com') },
      { EXTERN_ID: sha256('Bob@example.com'), EMAIL: sha256('bob@example.com') },
    ])
    await write([byEmail('delete', 'Bob@example.com')])
    expect(meta.read('23847')).toHaveLength(1)
    for (const { raw } of asked) expect(raw.body).not.toContain('@')
  })

  it('people of a Custom Audience are sent 10,000 in a request, each request with its own session', async () => {
    const { write, asked } = await writer(people().answer)
    const outcomes = await write(Array.from({ length: 20_001 }, (_, at) => add(`k${at}`)))
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['delivered']))
    expect(asked.map(({ body }) => (body as { payload: { data: [] } }).payload.data.length)).toEqual([
      10_000, 10_000, 1,
    ])
  })

  it.each([
    [[{}], 'nothing that Meta can match'],
    [[{ email: 'nobody', country: 'nowhere', doby: 12 }], 'can match: email is not an email address'],
    [[{ phone: '020 7946 0958' }], 'can match: phone is a phone number without a country code'],
    [[{ email: 'a@b.c', plan: 'pro' }], 'does not match people by plan'],
    [[{ email: 'a@b.c', user_id: 'u' }], 'Make user_id the identifier'],
  ])(
    'people of a Custom Audience with %j are rejected before they are sent, and other people are accepted',
    async ([values], reason) => {
      const meta = people()
      const { write } = await writer(meta.answer)
      expect(await write([row('upsert', 'bad', values), add('good')])).toEqual([
        { kind: 'rejected', reason: expect.stringContaining(reason) },
        delivered,
      ])
      expect(meta.read('23847')).toHaveLength(1)
    },
  )

  it("people that Meta counts as invalid are found by halving the request, and rejected with Meta's message", async () => {
    const meta = people('23847', 'k41')
    const { write } = await writer(meta.answer)
    const outcomes = await write(Array.from({ length: 90 }, (_, at) => add(`k${at}`)))
    expect(outcomes.flatMap((outcome, at) => (outcome.kind === 'delivered' ? [] : [[at, outcome]]))).toEqual([
      [41, { kind: 'rejected', reason: 'Invalid entry' }],
    ])
    expect(meta.read('23847')).toHaveLength(89)
  })

  it('people are rejected for operations that a Custom Audience does not support', async () => {
    const { write, asked } = await writer(people().answer)
    const outcomes = await write([row('insert', 'a', { email: 'a@b.c' }), row('update', 'b', { email: 'a@b.c' })])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['rejected', 'rejected'])
    expect(asked).toEqual([])
  })
})

describe('temporary errors', () => {
  it('an error that Meta calls transient is retried, and nothing more is sent before the retry', async () => {
    const meta = people()
    let requests = 0
    const { write, asked } = await writer((request) =>
      ++requests === 2
        ? errorOf(500, 2, 'Service temporarily unavailable', { is_transient: true })
        : meta.answer(request),
    )
    const outcomes = await write([add('a'), row('delete', 'b'), add('c')])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['delivered', 'retry', 'retry'])
    expect(asked).toHaveLength(2)
  })

  it.each<[string, PeerAnswer]>([
    ['that says nothing of people', answerOf(200, { audience_id: '23847' })],
    ['that is no JSON', { status: 200, body: '{"num_received":' }],
  ])('people are sent again after a response %s', async (_, answer) => {
    const { write } = await writer(() => answer)
    expect((await write([add('a')])).map(({ kind }) => kind)).toEqual(['retry'])
  })

  it('a missing response of Meta is retried', async () => {
    const { write } = await writer(() => 'reset')
    await expect(write([add('a')])).rejects.toThrow(RetryableError)
  })

  it.each([
    ['{"1":[{"estimated_time_to_regain_access":3},{"estimated_time_to_regain_access":7}],"2":[{}]}', 7 * 60_000],
    ['{"1":[{"estimated_time_to_regain_access":0}]}', 15 * 60_000],
    ['{"1":null,"2":[null,1]}', 15 * 60_000],
    ['no', 15 * 60_000],
    [undefined, 15 * 60_000],
  ])('after a limit with the header %s, sending waits %i ms', (header, ms) => {
    expect(regainMs(header)).toBe(ms)
  })
})

describe('errors that a person must fix', () => {
  it.each<[string, PeerAnswer, string]>([
    ['a Custom Audience that is not there', errorOf(400, 100, 'Unsupported', { error_subcode: 33 }), 'does not find'],
    ['a permission that is missing', errorOf(403, 200, 'Permissions error'), 'does not allow it: Permissions error'],
    ['terms that nobody accepted', errorOf(400, 2663, 'Terms of service has not been accepted'), 'Terms of service'],
    [
      'an upload that is blocked',
      errorOf(400, 100, 'Invalid parameter', { error_subcode: 1713230, error_user_msg: 'Go to Audience Manager' }),
      'Go to Audience Manager',
    ],
  ])('the error %s holds rows with the reason', async (_, answer, words) => {
    const { write, asked } = await writer(() => answer)
    const failure = await write([add('a'), add('b')]).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect(String(failure)).toContain(words)
    expect(asked).toHaveLength(1)
  })
})

it.each<[MatchKey, unknown, string]>([
  ['EMAIL', ' Ada@Example.COM ', 'ada@example.com'],
  ['PHONE', '0044 (20) 7946-0000', '442079460000'],
  ['PHONE', 16505551212, '16505551212'],
  ['GEN', 'Female', 'f'],
  ['DOBY', '1990', '1990'],
  ['DOBM', 1, '01'],
  ['DOBD', '31.', '31'],
  ['FN', ' Valéry ', 'valéry'],
  ['LN', "O'Neil-Smith.", 'oneilsmith'],
  ['FI', 'Ada', 'a'],
  ['CT', 'New York', 'newyork'],
  ['ST', 'CA', 'ca'],
  ['ZIP', '94025-1234', '94025'],
  ['ZIP', 'SW1A 1AA', 'sw1a1aa'],
  ['COUNTRY', ' GB', 'gb'],
  ['COUNTRY', 'United States', 'us'],
  ['ST', 'California', 'ca'],
  ['ST', 'Nova Scotia', 'ns'],
  ['ST', 'Bayern', 'bayern'],
  ['GEN', 'Mrs', 'f'],
  ['EMAIL', ['', 'Ada@Example.com', 'b@example.com'], 'ada@example.com'],
])('for %s, the value %j is hashed as %s', (key, value, comparable) => {
  expect(matchValue(key, value)).toBe(sha256(comparable))
})

it('a hashed value is sent unchanged, a device ID is not hashed, and an empty value is never hashed', () => {
  expect(matchValue('EMAIL', sha256('a').toUpperCase())).toBe(sha256('a'))
  expect(matchValue('MADID', 'AECE52E7-03EE-455A-B3C4-E57283966239')).toBe('aece52e7-03ee-455a-b3c4-e57283966239')
  for (const value of ['', ' ', null, undefined, {}, []]) expect(matchValue('EMAIL', value)).toBe('')
})

it("a row sends no gender word outside Meta's list, and no appendix of Meta's Parameter Builder", () => {
  for (const gender of ['weiblich', 'x', 'male or female']) expect(matchValue('GEN', gender)).toBe('')
  expect(matchValue('EMAIL', `${sha256('a').toUpperCase()}.Bg`)).toBe(sha256('a'))
  expect(matchValue('FN', '5d41402abc4b2a76b9719d911017c592.Bg')).toBe('')
})

it('a phone number in national form is completed by the country of the row', async () => {
  const meta = people()
  const { asked, write } = await writer(meta.answer)
  await write([row('upsert', 'a', { phone: '(650)555-1212', country: 'United States' })])
  // The hashes of the examples of "Customer Information Parameters".
  expect(asked.at(-1)?.body).toMatchObject({
    payload: {
      schema: ['EXTERN_ID', 'PHONE', 'COUNTRY'],
      data: [
        [
          'a',
          'e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176',
          '79adb2a2fce5c6ba215fe5f27f532d4e7edbac4b6a5e09e1ef3a08084a904621',
        ],
      ],
    },
  })
})

it('a phone number in national form is completed by the default country, which the delivery names', async () => {
  const { asked, write } = await writer(people().answer, { default_country: 'US' })
  const rows = [
    row('upsert', 'a', { phone: '(650)555-1212', country: ' ' }),
    row('upsert', 'b', { phone: '+1 650 555 1212' }),
    row('upsert', 'c', { phone: '(650)555-1212', email: 'c@example.com', country: 'Germany' }),
  ]
  const outcomes = await write(rows)
  // The hash of the example of "Customer Information Parameters".
  const hash = 'e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176'
  const body = asked.at(-1)?.body as { payload: { schema: string[]; data: string[][] } }
  const { schema, data } = body.payload
  const phones = data.map((values) => values[schema.indexOf('PHONE')])
  expect(phones.slice(0, 2)).toEqual([hash, hash])
  expect(phones[2]).not.toBe(hash)
  expect(outcomes.slice(0, 2)).toEqual([{ kind: 'delivered', note: 'phone: the default US is used' }, delivered])
})

it("fields are matched to Meta's fields by Meta's names and by common names", () => {
  expect(['email', 'FN', 'First Name', 'postal_code', 'user_id', 'countryCode', 'plan'].map(keyOf)).toEqual([
    'EMAIL',
    'FN',
    'FN',
    'ZIP',
    'EXTERN_ID',
    'COUNTRY',
    undefined,
  ])
})

describe('the description of a Custom Audience', () => {
  const meta = people()
  const ask = async (name: string) => {
    const { rebase } = await startVendor({ origins }, meta.answer)
    return runDescribeRows(metaCustomAudiences, settings, { object: 'custom_audience', name }, { rebase })
  }
  const facts = async (name: string) => (await ask(name)).facts.map(({ title, value }) => `${title}: ${value}`)

  it('the description of a Custom Audience has its state, and the number of matched people if there are enough', async () => {
    expect(await facts(' 23847 ')).toEqual([
      'Custom Audience: VIPs',
      'Matched people: Not known yet',
      'Status at Meta: Normal',
      'Use in ads: This audience is ready for use.',
    ])
    const { write } = await writer(meta.answer)
    await write(Array.from({ length: 1234 }, (_, at) => add(`k${at}`)))
    expect(await facts('23847')).toContain('Matched people: 1,200 to 1,300')
  })

  it('the description of a Custom Audience lists the fields that rows can have, also before an audience is chosen', async () => {
    const { fields, facts: none } = await ask('VIPs')
    expect(none).toEqual([])
    for (const { name } of fields) expect(keyOf(name)).toBeDefined()
  })

  it('the description of a Custom Audience is a set-up problem if the audience does not exist', async () => {
    await expect(ask('99999')).rejects.toThrow(ConfigurationError)
  })
})

it('rows of objects other than Custom Audiences are rejected', async () => {
  for (const odd of ['users', 'audiences/a/id', 'audiences/1', 'audiences/12345/%', 'audiences/../email'])
    expect(audienceOf(odd)).toBeUndefined()
  expect(audienceOf(audienceObject({ id: ' 12345 ', identifier: 'ä/b' }))).toEqual({ id: '12345', identifier: 'ä/b' })
  const { write, asked } = await writer(() => answerOf(200, {}))
  expect(await write([{ ...add('a'), object: 'users' }])).toMatchObject([{ kind: 'rejected' }])
  expect(asked).toEqual([])
})

it('the IDs of an ad account and a Custom Audience are numbers', () => {
  expect(check({ ad_account_id: 'act_123456', audience_id: '23847' })).toEqual({})
  expect(Object.keys(check({ ad_account_id: 'shop', audience_id: '../me' }))).toEqual(['ad_account_id', 'audience_id'])
})
