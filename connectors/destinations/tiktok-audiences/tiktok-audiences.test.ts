import { createHash } from 'node:crypto'
import { ConfigurationError, type EventOutcome, type OutgoingRow } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnectorRows, runDescribeRows } from '@tributary/connector-kit/testing'
import { startVendor, testDestination, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { byPresets, receivedEvent, sendTo } from '../../wire/conversions/testing-presets.ts'
import { audienceObject, audienceOf } from './audience-address.ts'
import { tiktokAudiences } from './definition.ts'
import { check } from './settings.ts'
import { advertiser, answerOf, audience, createTikTokAudiences, token } from './testing-tiktok-audiences.ts'

const origins = ['https://business-api.tiktok.com']
const settings = { access_token: token, advertiser_id: advertiser, audience_id: audience }
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const delivered = { kind: 'delivered' }

const event = (messageId: string, action: 'add_person' | 'remove_person', payload: Record<string, unknown>) =>
  outgoingEvent({ messageId }, { action, payload })

testDestination(tiktokAudiences, {
  origins,
  settings: () => settings,
  secrets: [token],
  vendor: (request) => createTikTokAudiences().answer(request),
  events: [
    event('m-1', 'add_person', { email: sha256('ada@example.com') }),
    event('m-2', 'add_person', { phone: sha256('+442079460000') }),
  ],
  requests: [
    {
      method: 'POST',
      host: 'business-api.tiktok.com',
      path: '/open_api/v1.3/segment/mapping/',
      body: {
        advertiser_ids: [advertiser],
        action: 'add',
        id_schema: ['EMAIL_SHA256', 'PHONE_SHA256'],
        batch_data: [
          [{ id: sha256('ada@example.com'), audience_ids: [audience] }, {}],
          [{}, { id: sha256('+442079460000'), audience_ids: [audience] }],
        ],
      },
    },
  ],
  connected: `Connected to the ad account ${advertiser}. People go to the audience VIPs.`,
  badCredentials: {
    settings: () => ({ ...settings, access_token: 'another-token-0123' }),
    message: 'TikTok refuses the access token: Access token is incorrect',
  },
  // "Return codes": 40100, requests made too frequently; the status is 200.
  rateLimit: { answer: answerOf(40_100, 'Too many requests. Please retry in some time.'), retryAfterMs: 60_000 },
  partialFailure: {
    events: [
      event('m-1', 'add_person', { email: sha256('a') }),
      event('m-2', 'add_person', { email: sha256('b'), consent: false }),
      event('m-3', 'add_person', { country: 'DE' }),
      event('m-4', 'add_person', { email: sha256('c'), audience_id: 'VIPs' }),
      event('m-5', 'remove_person', { email: sha256('b') }),
    ],
    outcomes: [
      { kind: 'delivered' },
      { kind: 'skipped', reason: expect.stringContaining('consent') },
      { kind: 'rejected', reason: expect.stringContaining('nothing that TikTok can match') },
      { kind: 'rejected', reason: '"VIPs" is not the ID of an audience' },
      { kind: 'delivered' },
    ],
  },
})

describe('people of events', () => {
  const traits = { email: ' JaneDoe@Gmail.com', phone: '(650) 555-1212', address: { country: 'US' } }
  const audienceEvent = (name: string, messageId: string, more: object = traits) =>
    receivedEvent(name, { messageId, userId: 'u1', context: { traits: more } })

  it('a person who enters an audience is added, and removed by the same data on exit', async () => {
    const tiktok = createTikTokAudiences()
    const send = (name: string) =>
      sendTo({ definition: tiktokAudiences, origin: origins[0] ?? '', settings, answer: tiktok.answer }, [
        byPresets(tiktokAudiences, audienceEvent(name, name)),
      ])
    expect((await send('Audience Entered')).outcomes).toEqual([delivered])
    // The hash of the email is that of TikTok's example for `janedoe@gmail.com`.
    expect(tiktok.idsIn()).toEqual([
      'EMAIL_SHA256 d6117306485ed0e50afab3ac871e98f81699151f30281527d63ff5f233656c69',
      `PHONE_SHA256 ${sha256('+16505551212')}`,
    ])
    expect((await send('Audience Exited')).outcomes).toEqual([delivered])
    expect(tiktok.idsIn()).toEqual([])
  })

  it('events with a wrong audience of their own are refused with one request, and the others arrive', async () => {
    const tiktok = createTikTokAudiences()
    const of = (messageId: string, audience_id?: string) =>
      event(messageId, 'add_person', {
        email: sha256(messageId),
        ...(audience_id === undefined ? {} : { audience_id }),
      })
    const { outcomes, asked } = await sendTo(
      { definition: tiktokAudiences, origin: origins[0] ?? '', settings, answer: tiktok.answer },
      [of('m-1', '999999'), of('m-2', '999999'), of('m-3')],
    )
    const rejected = {
      kind: 'rejected',
      reason: 'TikTok does not take the audience: Parameter error: invalid audience ID',
    }
    expect(outcomes).toEqual([rejected, rejected, delivered])
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['first', ['', audience, audience]],
    ['in the middle', [audience, '', audience]],
    ['last', [audience, audience, '']],
  ])('if the audience of the settings is wrong and comes %s, people of others arrive', async (_, audiences) => {
    const tiktok = createTikTokAudiences()
    const wrong = { ...settings, audience_id: '999999' }
    const { outcomes, asked } = await sendTo(
      { definition: tiktokAudiences, origin: origins[0] ?? '', settings: wrong, answer: tiktok.answer },
      audiences.map((audience_id, at) => event(`m-${at}`, 'add_person', { email: sha256(`${at}`), audience_id })),
    )
    const held = { kind: 'retry', misconfigured: true, ofEvent: true, reason: expect.stringContaining('audience') }
    expect(outcomes).toEqual(audiences.map((id) => (id === '' ? held : delivered)))
    expect(tiktok.idsIn()).toHaveLength(2)
    expect(asked.length).toBeLessThanOrEqual(3)
  })

  it.each([
    ['that is unknown', '999999', 'invalid audience ID'],
    ['that is no number', 'VIPs', 'is not the ID of an audience'],
  ])('events whose mapping names an audience %s wait alone, and the others arrive', async (_, audience_id, words) => {
    const tiktok = createTikTokAudiences()
    const wrong = {
      ...event('m-1', 'add_person', { email: sha256('a'), audience_id }),
      fixedLists: ['audience_id'],
    }
    const { outcomes } = await sendTo(
      { definition: tiktokAudiences, origin: origins[0] ?? '', settings, answer: tiktok.answer },
      [wrong, event('m-2', 'add_person', { email: sha256('b') })],
    )
    const reason = expect.stringMatching(new RegExp(`${words}.*Change it in the mapping`))
    expect(outcomes).toEqual([{ kind: 'retry', misconfigured: true, ofEvent: true, reason }, delivered])
    expect(tiktok.idsIn()).toHaveLength(1)
  })

  it('a wrong audience of the settings is a set-up problem', async () => {
    const answer = createTikTokAudiences().answer
    const wrong = { ...settings, audience_id: '999999' }
    const sent = sendTo({ definition: tiktokAudiences, origin: origins[0] ?? '', settings: wrong, answer }, [
      event('m-1', 'add_person', { email: sha256('a') }),
    ])
    await expect(sent).rejects.toThrow(ConfigurationError)
  })

  it('events without an audience in the settings wait for it', async () => {
    const { access_token, advertiser_id } = settings
    const { outcomes, asked } = await sendTo(
      {
        definition: tiktokAudiences,
        origin: origins[0] ?? '',
        settings: { access_token, advertiser_id },
        answer: createTikTokAudiences().answer,
      },
      [event('m-1', 'add_person', { email: sha256('a') })],
    )
    expect(outcomes).toMatchObject([{ kind: 'retry', misconfigured: true }])
    expect(asked).toEqual([])
  })
})

const rowFor =
  (identifier: string, adds = false) =>
  (operation: OutgoingRow['operation'], key: string, values: object = {}): OutgoingRow => ({
    recordId: `run.${operation}.${key}`,
    operation,
    object: audienceObject({ id: audience, identifier, adds }),
    key,
    json: JSON.stringify({ [identifier]: key, ...values }),
  })

const writer = async (answer: (request: VendorRequest) => PeerAnswer, more: object = {}) => {
  const { asked, rebase } = await startVendor({ origins }, answer)
  const write = async (rows: readonly OutgoingRow[]): Promise<readonly EventOutcome[]> => {
    const { outcomes } = await runConnectorRows(tiktokAudiences, { ...settings, ...more }, rows, { rebase })
    if ('kind' in outcomes) throw new Error('One outcome for all rows')
    return outcomes
  }
  const sizes = () => asked.map(({ body }) => (body as { batch_data: unknown[] }).batch_data.length)
  return { asked, write, sizes }
}

describe('people of rows', () => {
  const byEmail = rowFor('email')
  const add = (at: number) => byEmail('upsert', `k${at}@example.com`)

  it('people are added and removed in order by the identifier alone, also twice', async () => {
    const tiktok = createTikTokAudiences()
    const { write, asked } = await writer(tiktok.answer)
    const rows = [add(1), add(2), byEmail('delete', 'k1@example.com'), byEmail('delete', 'z@example.com'), add(3)]
    expect(await write(rows)).toEqual(rows.map(() => delivered))
    const wanted = [2, 3].map((at) => `EMAIL_SHA256 ${sha256(`k${at}@example.com`)}`)
    expect(tiktok.idsIn()).toEqual(wanted)
    expect(asked.map(({ body }) => (body as { action: string }).action)).toEqual(['add', 'delete', 'add'])
    await write(rows)
    expect(tiktok.idsIn().toSorted()).toEqual(wanted.toSorted())
    for (const { raw } of asked) expect(raw.body).not.toContain('@')
  })

  it('other columns are not sent and named, because a removal does not have them', async () => {
    const tiktok = createTikTokAudiences()
    const { write } = await writer(tiktok.answer)
    const [outcome] = await write([byEmail('upsert', 'a@example.com', { phone: '+442079460000' })])
    expect(outcome).toEqual({
      kind: 'delivered',
      note: 'Sent without phone: people of this object are matched by email alone',
    })
    await write([byEmail('delete', 'a@example.com')])
    expect(tiktok.idsIn()).toEqual([])
  })

  it('an object of additions sends every column, each kind of ID as TikTok names it', async () => {
    const tiktok = createTikTokAudiences()
    const { write } = await writer(tiktok.answer)
    const row = rowFor('email', true)
    const md5 = '5d41402abc4b2a76b9719d911017c592'
    const outcomes = await write([
      row('upsert', 'a@example.com', { 'Phone Number': '020 7946 0000', country: 'GB', idfa: 'AECE52E7-03EE-455A' }),
      row('upsert', 'b@example.com', { gaid: md5, phone: 'none' }),
      row('upsert', 'c@example.com', { advertising_id: '1-2', device_type: 'android', idfa: null }),
      row('upsert', 'nobody', { idfa: '00000000-0000-0000-0000-000000000000' }),
      row('upsert', 'd@example.com', { plan: 'pro' }),
    ])
    expect(outcomes).toEqual([
      delivered,
      { kind: 'delivered', note: expect.stringContaining('phone is not a phone number') },
      delivered,
      { kind: 'rejected', reason: expect.stringContaining('email is not an email address') },
      { kind: 'rejected', reason: expect.stringContaining('does not match people by plan') },
    ])
    expect(tiktok.idsIn().toSorted()).toEqual(
      [
        `EMAIL_SHA256 ${sha256('a@example.com')}`,
        `PHONE_SHA256 ${sha256('+442079460000')}`,
        `IDFA_SHA256 ${sha256('aece52e7-03ee-455a')}`,
        `EMAIL_SHA256 ${sha256('b@example.com')}`,
        `AAID_MD5 ${md5}`,
        `EMAIL_SHA256 ${sha256('c@example.com')}`,
        `AAID_SHA256 ${sha256('1-2')}`,
      ].toSorted(),
    )
  })

  it('a phone number in national form is completed by the default country on addition and removal', async () => {
    const tiktok = createTikTokAudiences()
    const { write } = await writer(tiktok.answer, { default_country: 'US' })
    await write([rowFor('phone')('upsert', '(650)555-1212')])
    expect(tiktok.idsIn()).toEqual([`PHONE_SHA256 ${sha256('+16505551212')}`])
    await write([rowFor('phone')('delete', '650-555-1212')])
    expect(tiktok.idsIn()).toEqual([])
  })

  it('1,000 people are sent in a request', async () => {
    const { write, sizes } = await writer(createTikTokAudiences().answer)
    const outcomes = await write(Array.from({ length: 2001 }, (_, at) => add(at)))
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['delivered']))
    expect(sizes()).toEqual([1000, 1000, 1])
  })

  it('a person that TikTok refuses is found by halving the request', async () => {
    const tiktok = createTikTokAudiences({ bad: sha256('k41@example.com') })
    const { write } = await writer(tiktok.answer)
    const outcomes = await write(Array.from({ length: 90 }, (_, at) => add(at)))
    expect(outcomes.flatMap((outcome, at) => (outcome.kind === 'delivered' ? [] : [[at, outcome]]))).toEqual([
      [41, { kind: 'rejected', reason: 'batch_data: refused id' }],
    ])
    expect(tiktok.idsIn()).toHaveLength(89)
  })

  it('a reason that all people share costs few requests, and people who were not sent alone wait', async () => {
    const { write, sizes } = await writer(() => answerOf(40_002, 'id_schema: not a valid value'))
    const outcomes = await write(Array.from({ length: 1000 }, (_, at) => add(at)))
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map((_, at) => (at < 20 ? 'rejected' : 'retry')))
    expect(sizes().length).toBeLessThan(60)
  })

  it.each([
    ['insert', 'email', 'Choose another mode'],
    ['upsert', 'user_id', 'Make email, phone, idfa, or aaid the identifier'],
    ['upsert', 'country', 'Make email, phone, idfa, or aaid the identifier'],
  ] as const)('a row to %s by %s is rejected before it is sent', async (operation, identifier, reason) => {
    const { write, asked } = await writer(createTikTokAudiences().answer)
    expect(await write([rowFor(identifier)(operation, 'a@example.com')])).toEqual([
      { kind: 'rejected', reason: expect.stringContaining(reason) },
    ])
    expect(asked).toEqual([])
  })

  it('rows of objects other than audiences are rejected', async () => {
    for (const odd of ['users', 'audiences/a/email', 'audiences/12345', 'audiences/12345/%', 'audiences/../email'])
      expect(audienceOf(odd)).toBeUndefined()
    expect(audienceOf(audienceObject({ id: ' 12345 ', identifier: 'ä/b', adds: true }))).toEqual({
      id: '12345',
      identifier: 'ä/b',
      adds: true,
    })
    const { write, asked } = await writer(() => answerOf(0, 'OK'))
    expect(await write([{ ...add(1), object: 'users' }])).toMatchObject([{ kind: 'rejected' }])
    expect(asked).toEqual([])
  })
})

describe('errors of TikTok', () => {
  const add = rowFor('email')('upsert', 'a@example.com')

  it.each<[string, PeerAnswer, string]>([
    ['an audience that is not there', answerOf(40_002, 'Parameter error: invalid audience ID'), 'take the audience'],
    ['an ad account of others', answerOf(40_001, 'No permission to operate advertiser'), 'No permission'],
    ['an ended token', answerOf(40_105, 'Access token is incorrect or has been revoked'), 'refuses the access token'],
  ])('for %s, rows wait with the reason', async (_, answer, words) => {
    const { write, asked } = await writer(() => answer)
    const failure = await write([add, add]).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect(String(failure)).toContain(words)
    expect(asked).toHaveLength(1)
  })

  it.each<[string, PeerAnswer]>([
    ['a fault of TikTok', answerOf(50_000, 'Service error')],
    ['too many requests', answerOf(40_133, 'Too many requests')],
    ['a response without a code', { status: 200, body: '{"message":"OK"}' }],
  ])('after %s, the rest is sent again and nothing more is sent before', async (_, answer) => {
    const tiktok = createTikTokAudiences()
    let requests = 0
    const { write, asked } = await writer((request) => (++requests === 2 ? answer : tiktok.answer(request)))
    const row = rowFor('email')
    const outcomes = await write([add, row('delete', 'b@example.com'), row('upsert', 'c@example.com')])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['delivered', 'retry', 'retry'])
    expect(asked).toHaveLength(2)
  })
})

describe('the description of an audience', () => {
  const describeAudience = async (name: string, answer = createTikTokAudiences().answer) => {
    const { rebase } = await startVendor({ origins }, answer)
    return runDescribeRows(tiktokAudiences, settings, { object: 'custom_audience', name }, { rebase })
  }

  it('has its name, the number of matched people, and its state', async () => {
    const tiktok = createTikTokAudiences()
    const facts = async () => (await describeAudience(` ${audience} `, tiktok.answer)).facts.map(({ value }) => value)
    expect(await facts()).toEqual(['VIPs', '0', 'Not ready: TikTok still computes it, or it has expired'])
    const { write } = await writer(tiktok.answer)
    await write(Array.from({ length: 1200 }, (_, at) => rowFor('email')('upsert', `k${at}@example.com`)))
    expect(await facts()).toEqual(['VIPs', '1,200', 'Ready'])
  })

  it('lists the columns that identify people, also before an audience is chosen', async () => {
    const { fields, facts } = await describeAudience('VIPs')
    expect(facts).toEqual([])
    expect(fields.map(({ name }) => name)).toEqual(['email', 'phone', 'idfa', 'aaid'])
  })

  it('is a set-up problem if the audience does not exist', async () => {
    await expect(describeAudience('99999')).rejects.toThrow(ConfigurationError)
  })
})

it('the IDs of an ad account and an audience are numbers', () => {
  expect(check(settings)).toEqual({})
  expect(Object.keys(check({ advertiser_id: 'shop', audience_id: '../me', default_country: 'XX' }))).toEqual([
    'advertiser_id',
    'audience_id',
    'default_country',
  ])
})
