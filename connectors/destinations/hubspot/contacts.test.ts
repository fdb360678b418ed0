import { type OutgoingRow, presetMappings, RetryableError } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnectorRows } from '@tributary/connector-kit/testing'
import { startVendor, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { byPresets, receivedEvent, sendTo } from '../../wire/conversions/testing-presets.ts'
import { hubspot } from './definition.ts'
import { recordsObject } from './object-type.ts'
import { answerOf, createHubspot, errorOf, token } from './testing-hubspot.ts'

const contact = (email: string, payload: Record<string, unknown> = {}, messageId = 'm-1') =>
  outgoingEvent({ messageId, type: 'identify' }, { payload: { email, ...payload }, action: 'upsert_contact' })

const vendorOf = (hubspotStandIn = createHubspot()) => {
  const send = async (
    events: Parameters<typeof sendTo>[1],
    answer: (request: VendorRequest) => PeerAnswer = hubspotStandIn.answer,
  ) => {
    const peer = { definition: hubspot, origin: 'https://api.hubapi.com', settings: { access_token: token }, answer }
    const { asked, outcomes } = await sendTo(peer, events)
    return { outcomes, asked, whats: asked.map(({ path }) => path.split('/').at(-1)) }
  }
  return { ...hubspotStandIn, send }
}
const inputsOf = (request: VendorRequest | undefined) => (request?.body as { inputs: object[] } | undefined)?.inputs

describe('contacts by email', () => {
  // HubSpot, contacts guide: batch/upsert with the email address as idProperty takes no partial updates. Right are
  // batch/read by email, batch/update by record ID, and batch/create.
  it('existing contacts are updated by their HubSpot IDs, and new ones are created', async () => {
    const vendor = vendorOf()
    await vendor.send([contact('ada@example.com', { firstname: 'Ada', city: 'London' })])
    const { whats, asked, outcomes } = await vendor.send([
      contact(' ADA@example.com', { firstname: 'Augusta' }),
      contact('bob@example.com', { firstname: 'Bob' }),
    ])
    expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }])
    expect(whats).toEqual(['read', 'update', 'create'])
    expect(inputsOf(asked[1])).toEqual([{ id: '101', properties: { firstname: 'Augusta' }, objectWriteTraceId: '0' }])
    expect(vendor.read('contacts')).toEqual([
      { email: 'ada@example.com', firstname: 'Augusta', city: 'London' },
      { email: 'bob@example.com', firstname: 'Bob' },
    ])
  })

  it('several events of one contact are applied in their order, with one read', async () => {
    const vendor = vendorOf()
    const events = ['a', 'b', 'c'].map((plan, at) => contact('ada@example.com', { plan, [`p${at}`]: plan }))
    const { whats, outcomes } = await vendor.send(events)
    expect(outcomes).toEqual(events.map(() => ({ kind: 'delivered' })))
    expect(whats).toEqual(['read', 'create', 'update', 'update'])
    expect(vendor.read('contacts')).toEqual([{ email: 'ada@example.com', plan: 'c', p0: 'a', p1: 'b', p2: 'c' }])
  })

  it('an event with the email address only leaves an existing contact as it is, without an update', async () => {
    const vendor = vendorOf()
    await vendor.send([contact('ada@example.com', { plan: 'pro' })])
    const { whats, outcomes } = await vendor.send([contact('ada@example.com')])
    expect([whats, outcomes]).toEqual([['read'], [{ kind: 'delivered' }]])
    expect(vendor.read('contacts')).toEqual([{ email: 'ada@example.com', plan: 'pro' }])
  })

  it('a repeated batch creates nothing again', async () => {
    const vendor = vendorOf()
    const events = Array.from({ length: 100 }, (_, at) => contact(`u${at}@example.com`, { visits: at }))
    for (const whats of [
      ['read', 'create'],
      ['read', 'update'],
    ])
      expect((await vendor.send(events)).whats).toEqual(whats)
    expect(vendor.read('contacts')).toHaveLength(100)
  })

  it('a contact that is created after the read is updated by the ID that HubSpot names with 409', async () => {
    const vendor = vendorOf()
    await vendor.send([contact('ada@example.com', { plan: 'free' })])
    vendor.hide('ada@example.com')
    const events = ['x', 'ada', 'y', 'z'].map((name) => contact(`${name}@example.com`, { plan: 'pro' }))
    const { outcomes } = await vendor.send(events)
    expect(outcomes).toEqual(events.map(() => ({ kind: 'delivered' })))
    expect(vendor.read('contacts').map(({ email, plan }) => [email, plan])).toEqual([
      ['ada@example.com', 'pro'],
      ['x@example.com', 'pro'],
      ['y@example.com', 'pro'],
      ['z@example.com', 'pro'],
    ])
  })

  it('a refusal that repeats a text of the event names no other contact', async () => {
    const vendor = vendorOf()
    const message = 'Property values were not valid: Contact already exists. Existing ID: 101 was not an option'
    const { outcomes, whats } = await vendor.send([contact('eve@example.com')], (request) =>
      request.path.endsWith('create') ? errorOf(400, 'VALIDATION_ERROR', message) : vendor.answer(request),
    )
    expect(outcomes).toEqual([{ kind: 'rejected', reason: message }])
    expect(whats).toEqual(['read', 'create'])
  })

  it('a contact is found by a further email address, which does not become its first one', async () => {
    const vendor = vendorOf()
    await vendor.send([contact('ada@example.com', { hs_additional_emails: 'ada@old.example;a@x.example' })])
    const { outcomes } = await vendor.send([contact('Ada@Old.example', { plan: 'pro' }), contact('ada@example.com')])
    expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }])
    expect(vendor.read('contacts')).toMatchObject([{ email: 'ada@example.com', plan: 'pro' }])
  })

  it('one email address that HubSpot refuses to look up does not stop the others', async () => {
    const vendor = vendorOf()
    const events = ['a@example.com', 'no address', 'b@example.com'].map((email) => contact(email))
    const { outcomes } = await vendor.send(events, (request) =>
      JSON.stringify(request.body).includes('no address')
        ? errorOf(400, 'VALIDATION_ERROR', 'Email address no address is invalid')
        : vendor.answer(request),
    )
    expect(outcomes).toEqual([
      { kind: 'delivered' },
      { kind: 'rejected', reason: 'Email address no address is invalid' },
      { kind: 'delivered' },
    ])
  })

  it.each([
    ['VALIDATION_ERROR', { kind: 'rejected' }],
    ['RATE_LIMITS', { kind: 'retry' }],
    ['OBJECT_NOT_FOUND', { kind: 'retry' }],
    ['MISSING_SCOPES', { kind: 'retry', misconfigured: true }],
  ])('an error of the category %s decides what becomes of its contact only', async (category, outcome) => {
    const vendor = vendorOf()
    const events = ['a@example.com', 'b@example.com'].map((email) => contact(email, { plan: 'pro' }))
    await vendor.send(events)
    const error = { status: 'error', category, message: 'No', context: { ids: ['102'] } }
    const results = [{ id: '101', properties: {} }]
    const { outcomes } = await vendor.send(events, (request) =>
      request.path.endsWith('update')
        ? answerOf(207, { status: 'COMPLETE', results, numErrors: 1, errors: [error] })
        : vendor.answer(request),
    )
    expect(outcomes).toMatchObject([{ kind: 'delivered' }, outcome])
  })

  it('rows of a sync are written the same way, and an update by email keeps the address', async () => {
    const vendor = createHubspot()
    const { asked, rebase } = await startVendor({ origins: ['https://api.hubapi.com'] }, vendor.answer)
    const row = (operation: OutgoingRow['operation'], plan: string): OutgoingRow => ({
      recordId: `run.${plan}`,
      operation,
      object: recordsObject({ type: '0-1', idProperty: 'email' }),
      key: 'Ada@example.com',
      json: JSON.stringify({ email: 'Ada@example.com', plan }),
    })
    const rows = [row('upsert', 'a'), row('update', 'b'), row('insert', 'c')]
    const { outcomes } = await runConnectorRows(hubspot, { access_token: token }, rows, { rebase })
    expect(outcomes).toMatchObject([{ kind: 'delivered' }, { kind: 'delivered' }, { kind: 'skipped' }])
    expect(asked.map(({ path }) => path.split('/').at(-1))).toEqual(['read', 'create', 'read', 'update', 'read'])
    expect(vendor.read('0-1')).toEqual([{ email: 'ada@example.com', plan: 'b' }])
  })
})

describe('times of contacts', () => {
  const written = async (properties: Record<string, unknown>) => {
    const vendor = vendorOf()
    const { outcomes, whats } = await vendor.send([contact('ada@example.com', properties)])
    const { email: _email, ...rest } = vendor.read('contacts')[0] ?? {}
    return { outcomes, whats, rest }
  }

  // HubSpot, "How should timestamps be formatted for HubSpot's APIs?": a date property takes only midnight UTC, such as
  // 1430438400000 for May 1 2015; a datetime property takes any time.
  it('a date property gets the day, and a property with date and time gets the whole time', async () => {
    const { rest, outcomes, whats } = await written({
      birth: '1990-05-17T10:30:00Z',
      seen: '1990-05-17T10:30:00Z',
      code: '1990-05-17T10:30:00Z',
    })
    expect(outcomes).toEqual([{ kind: 'delivered' }])
    expect(rest).toEqual({ birth: '1990-05-17', seen: '1990-05-17T10:30:00Z', code: '1990-05-17T10:30:00Z' })
    expect(whats).toEqual(['contacts', 'read', 'create'])
  })

  it('properties are read only if a value can be a time', async () => {
    expect((await written({ firstname: 'Ada', visits: 3, phone: '+1 555 0100' })).whats).toEqual(['read', 'create'])
  })

  it.each([
    [errorOf(403, 'MISSING_SCOPES', 'No'), '1990-05-17', { kind: 'delivered' }],
    [errorOf(404, 'OBJECT_NOT_FOUND', 'No'), '1990-05-17', { kind: 'delivered' }],
    [errorOf(400, 'VALIDATION_ERROR', 'No'), '1990-05-17', { kind: 'delivered' }],
    [errorOf(403, 'MISSING_SCOPES', 'No'), '1990-05-17T10:30:00Z', { kind: 'rejected' }],
  ] as const)('without the kinds of properties (%j), %s is sent as it is', async (refusal, birth, outcome) => {
    const vendor = vendorOf()
    const { outcomes } = await vendor.send([contact('ada@example.com', { birth })], (request) =>
      request.path.startsWith('/crm/v3/properties') ? refusal : vendor.answer(request),
    )
    expect(outcomes).toMatchObject([outcome])
  })

  it.each([503, 429])('if HubSpot cannot list the properties now (%i), the contact waits', async (status) => {
    const vendor = vendorOf()
    const answer = (request: VendorRequest): PeerAnswer =>
      request.path.startsWith('/crm/v3/properties')
        ? { status, headers: { 'retry-after': '7' } }
        : vendor.answer(request)
    const failure = await vendor
      .send([contact('a@example.com', { birth: '2026-01-01' })], answer)
      .catch((e: unknown) => e)
    expect(failure).toBeInstanceOf(RetryableError)
    expect(failure).toMatchObject({ retryAfterMs: 7000 })
    expect(vendor.read('contacts')).toEqual([])
  })
})

describe('the presets for identify calls', () => {
  const traits = {
    email: 'ada@example.com',
    phone: '+1 555 0100',
    mobilePhone: '+1 555 0199',
    company: { name: 'Analytical Engines' },
    title: 'Countess',
    website: 'https://ada.example',
    address: { street: '12 St James’s Square', city: 'London', state: 'England', postalCode: 'SW1Y', country: 'UK' },
  }
  /** HubSpot's names, as Segment (upsertContact) and RudderStack send them. */
  const properties = {
    email: 'ada@example.com',
    phone: '+1 555 0100',
    mobilephone: '+1 555 0199',
    company: 'Analytical Engines',
    jobtitle: 'Countess',
    website: 'https://ada.example',
    address: '12 St James’s Square',
    city: 'London',
    state: 'England',
    zip: 'SW1Y',
    country: 'UK',
  }
  const [snake, camel] = presetMappings(hubspot)
  const stored = async (given: Record<string, unknown>) => {
    const vendor = vendorOf()
    await vendor.send([byPresets(hubspot, receivedEvent('', { type: 'identify', traits: given }))])
    return vendor.read('contacts')[0]
  }

  it.each([
    ['camelCase', { ...traits, firstName: 'Ada', lastName: 'Lovelace' }, camel],
    ['snake_case', { ...traits, first_name: 'Ada', last_name: 'Lovelace' }, snake],
  ] as const)('every mapped field arrives under HubSpot’s name: %s', async (_, given, mapping) => {
    const all = { ...properties, firstname: 'Ada', lastname: 'Lovelace' }
    expect(await stored(given)).toEqual(all)
    expect(mapping?.field_mappings.map(({ target }) => target.name).toSorted()).toEqual(Object.keys(all).toSorted())
  })

  it.each([
    [
      { company: 'Engines', city: 'Paris', zip: 75001 },
      { company: 'Engines', city: 'Paris', zip: '75001' },
    ],
    [
      { address: { postal_code: '1' }, job_title: 'Head' },
      { zip: '1', jobtitle: 'Head' },
    ],
    [{ company: { id: '1' }, city: 'Paris' }, { city: 'Paris' }],
    [{ company: { name: { en: 'Engines' } }, city: 'Paris' }, { city: 'Paris' }],
    [{ company: ['Engines'], website: null, city: null, zip: '1' }, { zip: '1' }],
    [{ firstName: 'Ada', first_name: 'X' }, { firstname: 'Ada' }],
    [{ firstName: null, first_name: 'X' }, { firstname: 'X' }],
    [{ firstName: null }, { firstname: '' }],
    [
      { city: '東京', company: 'Ünï 🦊' },
      { city: '東京', company: 'Ünï 🦊' },
    ],
  ])('traits %j become %j', async (given, expected) => {
    expect(await stored({ email: 'a@example.com', ...given })).toEqual({ email: 'a@example.com', ...expected })
  })

  it('a destination of version 0.2.0 writes only the properties of that version', () => {
    const [identify, ...others] = presetMappings(hubspot, 1)
    expect(others).toEqual([])
    expect(identify?.field_mappings.map(({ target }) => target.name)).toEqual([
      'email',
      'firstname',
      'lastname',
      'phone',
    ])
    expect(identify?.field_mappings.map(({ id }) => id)).toEqual(camel?.field_mappings.slice(0, 4).map(({ id }) => id))
    expect(identify?.id).toBe(camel?.id)
  })
})
