import { ConfigurationError, compileMappings, type OutgoingEvent, presetMappings } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { receivedEvent, sendTo } from '../../wire/conversions/testing-presets.ts'
import { fullNameOf, uuidOf } from './custom-event.ts'
import { hubspot } from './definition.ts'
import { createHubspot, errorOf, token } from './testing-hubspot.ts'

const place = { workspaceId: 'w', destinationId: 'd' }
const settings = { access_token: token }

/** Returns an event as the presets map it after a user has turned them on. */
const mapped = (action: string, event: Parameters<typeof receivedEvent>[1] & { event?: string }): OutgoingEvent => {
  const mappings = presetMappings(hubspot).map((mapping) => ({ ...mapping, enabled: mapping.destination === action }))
  const received = receivedEvent(event.event ?? '', event)
  const made = compileMappings(hubspot, mappings, place)(received, 's')
  if (made.kind !== 'mapped') throw new Error(JSON.stringify(made))
  return outgoingEvent(received, { action: made.action, payload: made.payload ?? {} })
}

const direct = (action: string, payload: Record<string, unknown>, messageId = 'm-1') =>
  outgoingEvent({ messageId }, { action, payload })

const vendorOf = () => {
  const standIn = createHubspot()
  const send = async (
    events: readonly OutgoingEvent[],
    answer: (request: VendorRequest) => PeerAnswer = standIn.answer,
  ) => {
    const { asked, outcomes } = await sendTo(
      { definition: hubspot, origin: 'https://api.hubapi.com', settings, answer },
      events,
    )
    return { outcomes, asked, paths: asked.map(({ path }) => path) }
  }
  return { ...standIn, send }
}
const refusing =
  (standIn: Pick<ReturnType<typeof createHubspot>, 'answer'>, part: string, refusal: PeerAnswer) =>
  (request: VendorRequest): PeerAnswer =>
    request.path.includes(part) ? refusal : standIn.answer(request)

it('track and group calls are left out until a user turns their mappings on', () => {
  const map = compileMappings(hubspot, undefined, place)
  for (const event of [receivedEvent('Order Completed'), receivedEvent('', { type: 'group', groupId: 'g' })])
    expect(map(event, 's').kind).toBe('unmapped')
})

describe('custom events', () => {
  const signedUp = {
    event: 'Signed Up',
    messageId: 'm-1',
    timestamp: '2026-01-20T21:14:16.512Z',
    properties: { plan: 'pro', Seats: 5, 'Has Trial': true, tags: ['a', 'b'], hubspotutk: 'utk-1' },
    context: { traits: { email: 'Ada@Example.com' } },
  }

  // HubSpot, "Send a batch of event completions": eventName pe{HubID}_{name}, email, objectId, utk, occurredAt, uuid, and
  // properties as texts. The account ID of the stand-in is 4711.
  it('every mapped field of the preset arrives in the form of HubSpot', async () => {
    const vendor = vendorOf()
    const { outcomes, paths } = await vendor.send([mapped('send_event', signedUp)])
    expect(outcomes).toEqual([{ kind: 'delivered' }])
    expect(paths).toEqual(['/account-info/v3/details', '/events/v3/send/batch'])
    expect(vendor.occurrences).toEqual([
      {
        eventName: 'pe4711_signed_up',
        email: 'ada@example.com',
        utk: 'utk-1',
        occurredAt: '2026-01-20T21:14:16.512Z',
        properties: { plan: 'pro', seats: '5', has_trial: 'true', tags: 'a;b', hubspotutk: 'utk-1' },
        uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
      },
    ])
  })

  const common = { message_id: 'm-1', time: '2026-01-20T21:14:16.512Z' }
  const custom = (payload: Record<string, unknown>, messageId = 'm-1') =>
    direct('send_event', { event_name: 'pe4711_x', ...common, message_id: messageId, ...payload }, messageId)

  it('the internal name of an event needs no other request, and a record ID is sent', async () => {
    const vendor = vendorOf()
    const { paths } = await vendor.send([custom({ object_id: ' 512 ' })])
    expect(paths).toEqual(['/events/v3/send/batch'])
    expect(vendor.occurrences).toMatchObject([{ eventName: 'pe4711_x', objectId: '512' }])
  })

  it.each([
    ['Signed Up', 'pe1_signed_up'],
    ['pe99_signed_up', 'pe99_signed_up'],
    ['PE99_Signed', 'pe99_signed'],
    ['a.b-c', 'pe1_a_b-c'],
    ['会员', ''],
    ['🦊', ''],
    [' ', ''],
    ['x'.repeat(5000), `pe1_${'x'.repeat(200)}`],
  ])('the event %.40s is known to HubSpot as %.40s', (given, name) => {
    expect(fullNameOf(given, '1')).toBe(name)
  })

  it('a message ID has always the same UUID, which is the message ID if that is one', () => {
    expect(uuidOf('B2C3D4E5-0000-4000-8000-0123456789ab')).toBe('b2c3d4e5-0000-4000-8000-0123456789ab')
    expect(uuidOf('m-1')).toBe(uuidOf('m-1'))
    expect(uuidOf('m-1')).not.toBe(uuidOf('m-2'))
  })

  it.each([
    [{}, 'The event has no email, no user token, and no record ID'],
    [{ email: ' ' }, 'The event has no email, no user token, and no record ID'],
    [{ email: 'a@b.c', event_name: '???' }, 'The name of the event has no letters from a to z and no digits'],
  ])('an event that HubSpot could not assign is rejected without a request for it: %j', async (payload, reason) => {
    const vendor = vendorOf()
    const { outcomes } = await vendor.send([custom(payload)])
    expect(outcomes).toEqual([{ kind: 'rejected', reason }])
    expect(vendor.occurrences).toEqual([])
  })

  // HubSpot, changelog "New property limits for the Custom Behavioural Events API": 50 properties, names of at most 50
  // characters that begin with a letter.
  it('properties beyond the limits of HubSpot are left out, and the delivery says so', async () => {
    const vendor = vendorOf()
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`p${at}`, at]))
    const properties = { '1st': 1, [`a${'x'.repeat(50)}`]: 1, nothing: null, ...many }
    const { outcomes } = await vendor.send([custom({ email: 'a@b.c', properties })])
    expect(outcomes).toEqual([
      {
        kind: 'delivered',
        note: `Sent without 1st: not a name of a property in HubSpot; a${'x'.repeat(50)}: not a name of a property in HubSpot; 10 properties: more than 50`,
      },
    ])
    expect(Object.keys((vendor.occurrences[0] as { properties: object }).properties)).toHaveLength(50)
  })

  it.each([400, 404])(
    'one event that HubSpot refuses with %i is found, and the others are sent once',
    async (status) => {
      const vendor = vendorOf()
      const events = ['a', 'b', 'bad', 'c'].map((name) => custom({ email: 'a@b.c', event_name: `pe1_${name}` }, name))
      const { outcomes } = await vendor.send(events, (request) =>
        JSON.stringify(request.body).includes('pe1_bad')
          ? errorOf(status, 'VALIDATION_ERROR', 'No event pe1_bad')
          : vendor.answer(request),
      )
      const delivered = { kind: 'delivered' }
      expect(outcomes).toEqual([delivered, delivered, { kind: 'rejected', reason: 'No event pe1_bad' }, delivered])
      expect(vendor.occurrences).toMatchObject([{ eventName: 'pe1_a' }, { eventName: 'pe1_b' }, { eventName: 'pe1_c' }])
    },
  )

  it('a token without the scope holds custom events, and contacts of the same batch arrive', async () => {
    const vendor = vendorOf()
    const refusal = errorOf(403, 'MISSING_SCOPES', 'This app needs analytics.behavioral_events.send')
    const contact = direct('upsert_contact', { email: 'a@b.c' }, 'm-2')
    const answer = refusing(vendor, '/events/', refusal)
    const { outcomes } = await vendor.send([custom({ email: 'a@b.c' }), contact], answer)
    expect(outcomes).toMatchObject([{ kind: 'retry', misconfigured: true }, { kind: 'delivered' }])
    await expect(vendor.send([custom({ email: 'a@b.c' })], answer)).rejects.toThrow(ConfigurationError)
  })

  it('contacts of a batch are written before its events', async () => {
    const vendor = vendorOf()
    const { paths } = await vendor.send([
      custom({ email: 'a@b.c' }),
      direct('upsert_contact', { email: 'a@b.c' }, 'm-2'),
    ])
    expect(paths.map((path) => path.split('/').at(-1))).toEqual(['read', 'create', 'batch'])
  })
})

describe('companies and deals', () => {
  const group = {
    type: 'group' as const,
    groupId: 'acme',
    context: { traits: { email: 'ada@example.com' } },
    traits: {
      name: 'Acme',
      domain: 'acme.example',
      website: 'https://acme.example',
      phone: '+1 555 0100',
      description: 'Makes things',
      employees: '42',
      address: { street: 'Main St 1', city: 'Reno', state: 'NV', postalCode: '89501', country: 'US' },
    },
  }
  const order = {
    event: 'Order Completed',
    timestamp: '2026-01-20T21:14:16.512Z',
    properties: { order_id: 'o-1', revenue: 25, email: 'ada@example.com' },
    context: { groupId: 'acme' },
  }
  const ada = direct('upsert_contact', { email: 'ada@example.com' })

  // HubSpot's names of company properties, as Segment's upsertCompany sends them.
  it('every mapped field of the preset for group calls arrives, and the contact is associated', async () => {
    const vendor = vendorOf()
    const { outcomes } = await vendor.send([ada, mapped('upsert_company', group)])
    expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }])
    expect(vendor.read('companies')).toEqual([
      {
        tributary_company_id: 'acme',
        name: 'Acme',
        domain: 'acme.example',
        website: 'https://acme.example',
        phone: '+1 555 0100',
        description: 'Makes things',
        numberofemployees: '42',
        address: 'Main St 1',
        city: 'Reno',
        state: 'NV',
        zip: '89501',
        country: 'US',
      },
    ])
    expect(vendor.associations).toEqual(['companies 102 contacts 101'])
  })

  it('every mapped field of the preset for orders arrives, with contact and company', async () => {
    const vendor = vendorOf()
    const { outcomes } = await vendor.send([mapped('upsert_deal', order), mapped('upsert_company', group), ada])
    expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }, { kind: 'delivered' }])
    expect(vendor.read('deals')).toEqual([
      {
        tributary_deal_id: 'o-1',
        dealname: 'Order o-1',
        amount: '25',
        closedate: '2026-01-20T21:14:16.512Z',
        dealstage: 'closedwon',
        pipeline: 'default',
      },
    ])
    expect(vendor.associations).toEqual([
      'companies 102 contacts 101',
      'deals 103 contacts 101',
      'deals 103 companies 102',
    ])
  })

  it('a retry creates nothing twice', async () => {
    const vendor = vendorOf()
    for (let attempt = 0; attempt < 2; attempt++) await vendor.send([ada, mapped('upsert_company', group)])
    expect([vendor.read('contacts').length, vendor.read('companies').length]).toEqual([1, 1])
    expect(new Set(vendor.associations).size).toBe(1)
  })

  it('without a contact to associate, the company is written, and the delivery says so', async () => {
    const vendor = vendorOf()
    expect((await vendor.send([mapped('upsert_company', group)])).outcomes).toEqual([
      { kind: 'delivered', note: 'Sent without the association with contacts: there is no such record' },
    ])
    expect(vendor.associations).toEqual([])
  })

  it.each([
    [{ status: 503 }, { kind: 'retry' }],
    ['reset', { kind: 'retry' }],
    [errorOf(403, 'MISSING_SCOPES', 'No'), { kind: 'retry', misconfigured: true }],
    [errorOf(400, 'VALIDATION_ERROR', 'Limit'), { kind: 'delivered', note: expect.stringContaining('Limit') }],
  ] as [PeerAnswer, object][])(
    'the answer %j to the association decides for its company only',
    async (answer, outcome) => {
      const vendor = vendorOf()
      const { outcomes } = await vendor.send(
        [ada, mapped('upsert_company', group)],
        refusing(vendor, '/associations/', answer),
      )
      expect(outcomes).toMatchObject([{ kind: 'delivered' }, outcome])
    },
  )

  it('a missing property for IDs holds companies, and contacts arrive', async () => {
    const vendor = vendorOf()
    const unknown = errorOf(400, 'VALIDATION_ERROR', 'Unable to perform update/upsert by non-unique 0-2 property x')
    const answer = refusing(vendor, '/companies/', unknown)
    const { outcomes } = await vendor.send([ada, mapped('upsert_company', group)], answer)
    expect(outcomes).toMatchObject([{ kind: 'delivered' }, { kind: 'retry', misconfigured: true }])
  })
})
