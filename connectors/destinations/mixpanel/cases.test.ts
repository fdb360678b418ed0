import { mappingProblems, presetMappings } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import type { PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { mixpanel } from './definition.ts'
import { documented, json, mapped, recordsOf, sent, token } from './testing-mixpanel.ts'

const ada = { userId: 'ada', anonymousId: 'device-1' }
const time = '2026-01-02T03:04:05.000Z'
const common = { message_id: 'm-1', time, user_id: 'ada' }

/** Returns the events that Mixpanel receives for events of the default mappings. */
const eventsOf = async (...events: Partial<PipelineEvent>[]) => {
  const { asked } = await sent(events.map((event) => mapped({ ...ada, ...event })))
  return asked.filter(({ path }) => path === '/import').flatMap(recordsOf)
}
const propertiesOf = async (event: Partial<PipelineEvent>) => (await eventsOf(event))[0]?.properties ?? {}

const track = (payload: Record<string, unknown>, action = 'track') => {
  const named = action === 'identify' ? {} : { event: 'Paid' }
  return outgoingEvent({ messageId: 'm-1' }, { action, payload: { ...named, ...common, ...payload } })
}

const profilesOf = async (payload: Record<string, unknown>, action = 'track') => {
  const { asked, result } = await sent([track(payload, action)])
  return { profiles: asked.filter(({ path }) => path === '/engage').flatMap(recordsOf), outcomes: result.outcomes }
}

const macSafari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15'

describe('browser and system of a server event', () => {
  // docs.mixpanel.com, "Server-Side Best Practices": Mixpanel does not parse user agents of server events. The names are
  // those of mixpanel-js 2.82.1, src/utils.js.
  it('come from the user agent', async () => {
    expect(await propertiesOf({ context: { userAgent: macSafari } })).toMatchObject({
      user_agent: macSafari,
      $browser: 'Safari',
      $browser_version: 17.4,
      $os: 'Mac OS X',
    })
  })

  it('are those of the event, if it has them', async () => {
    const context = { userAgent: macSafari, os: { name: 'iPadOS' } }
    expect(await propertiesOf({ context, properties: { $browser: 'Kiosk' } })).toMatchObject({
      $browser: 'Kiosk',
      $os: 'iPadOS',
    })
  })

  it('are left out of an event that has no room for them', async () => {
    // The largest event of before: 245 properties, five for person and time, and four of the mapping.
    const properties = Object.fromEntries(Array.from({ length: 248 }, (_, at) => [`p${at}`, at]))
    const { result, asked } = await sent([
      mapped({ ...ada, properties, context: { userAgent: macSafari, groupId: 'acme' } }),
    ])
    expect(result.outcomes).toEqual([
      { kind: 'delivered', note: expect.stringContaining('Sent without groups, browser') },
    ])
    expect(Object.keys(asked.flatMap(recordsOf)[0]?.properties ?? {})).toHaveLength(254)
  })
})

describe('groups of an event', () => {
  // docs.mixpanel.com, "Group Analytics Implementation Guide": the group key is a property of the event.
  it('context.groupId becomes the group key of the settings', async () => {
    expect(await propertiesOf({ context: { groupId: 'acme' } })).toMatchObject({ company: 'acme' })
  })

  it.each([
    ['acme', { account: 'acme' }],
    [42, { account: '42' }],
    [['acme', 'beta'], { account: ['acme', 'beta'] }],
    [['acme'], { account: 'acme' }],
    [
      { company: 'acme', team: ['a', 'b'] },
      { company: 'acme', team: ['a', 'b'] },
    ],
    [{ company: null, team: [] }, {}],
    ['', {}],
    [true, {}],
    [null, {}],
  ])('groups %j become %j', async (groups, expected) => {
    const { asked } = await sent([track({ event_groups: groups })], { group_key: 'account' })
    const { distinct_id, $user_id, time: at, $insert_id, ...rest } = asked.flatMap(recordsOf)[0]?.properties ?? {}
    expect([distinct_id, $user_id, at, $insert_id]).toEqual(['ada', 'ada', Date.parse(time), 'm-1'])
    expect(rest).toEqual(expected)
  })

  it('a property of the event with the name of the group key stays', async () => {
    expect(await propertiesOf({ context: { groupId: 'acme' }, properties: { company: 'Acme Ltd' } })).toMatchObject({
      company: 'Acme Ltd',
    })
  })
})

const order = {
  order_id: 'o-1',
  revenue: 25,
  currency: 'EUR',
  products: [
    { product_id: 'p1', name: 'Shoe', price: 10, quantity: 2 },
    { product_id: 'p2', name: 'Sock', price: 5, quantity: 1 },
  ],
}

describe('products of an order', () => {
  // Segment, "Mixpanel (Actions)", Track Purchase: one event Product Purchased for each product, with the properties of
  // the product and the order ID.
  it('each product is an event of its own', async () => {
    const [whole, ...products] = await eventsOf({ properties: order })
    expect(whole).toMatchObject({ event: 'Order Completed', properties: { ...order, $insert_id: 'message-1' } })
    expect(products).toMatchObject([
      {
        event: 'Product Purchased',
        properties: { product_id: 'p1', name: 'Shoe', price: 10, quantity: 2, order_id: 'o-1', distinct_id: 'ada' },
      },
      { event: 'Product Purchased', properties: { product_id: 'p2', price: 5, order_id: 'o-1', currency: 'EUR' } },
    ])
    for (const { properties = {} } of products) {
      expect(properties['time']).toBe(Date.parse(time))
      expect(properties).not.toHaveProperty('revenue')
      expect(properties).not.toHaveProperty('products')
    }
  })

  it('a mapped list comes before the products of the properties', async () => {
    const { asked } = await sent([track({ properties: order, products: [{ sku: 'own' }] }, 'track_purchase')])
    const [, ...products] = asked.flatMap(recordsOf)
    expect(products).toMatchObject([{ properties: { sku: 'own', order_id: 'o-1' } }])
  })

  it('a retry repeats the insert IDs, and each product has another one', async () => {
    const ids = async () => (await eventsOf({ properties: order })).map(({ properties }) => properties?.['$insert_id'])
    const first = await ids()
    expect(new Set(first).size).toBe(3)
    expect(await ids()).toEqual(first)
    for (const id of first) expect(id).toMatch(/^[A-Za-z0-9-]{1,36}$/)
  })

  it.each([
    [undefined, 0],
    [[], 0],
    [[null, 'shoe', 7], 0],
    [[{ name: 'Shoe' }, 'x'], 1],
    [{ product_id: 'p1' }, 0],
  ])('products %j become %d events', async (products, count) => {
    expect(await eventsOf({ properties: { order_id: 'o-1', products } })).toHaveLength(1 + count)
  })

  it('10,000 products become 200 events, and the delivery says so', async () => {
    const products = Array.from({ length: 10_000 }, (_, at) => ({ product_id: `p${at}` }))
    const { result, asked } = await sent([mapped({ ...ada, properties: { products } })])
    expect(asked.flatMap(recordsOf)).toHaveLength(201)
    expect(result.outcomes).toEqual([
      { kind: 'delivered', note: 'Sent without 9800 of 10000 products: more than 200, or no objects' },
    ])
  })

  it('products that repeat too many bytes are left out, and the order is sent', async () => {
    const products = Array.from({ length: 100 }, () => ({ text: 'x'.repeat(10_000) }))
    const { result, asked } = await sent([mapped({ ...ada, properties: { products: products.slice(0, 50) } })])
    expect(asked.flatMap(recordsOf).length).toBeLessThan(30)
    expect(result.outcomes).toMatchObject([{ kind: 'delivered', note: expect.stringContaining('too large') }])
  })

  it('a product cannot change person, time, or insert ID', async () => {
    const products = [{ distinct_id: 'eve', $user_id: 'eve', time: 1, $insert_id: 'x', __proto__: { a: 1 } }]
    const [, product] = await eventsOf({ properties: { products } })
    expect(product?.properties).toMatchObject({ distinct_id: 'ada', $user_id: 'ada', time: Date.parse(time) })
  })

  it('more records than a request allows are sent in several requests', async () => {
    const products = Array.from({ length: 200 }, (_, at) => ({ product_id: `p${at}` }))
    const events = Array.from({ length: 12 }, (_, at) =>
      mapped({ ...ada, messageId: `m-${at}`, properties: { products } }),
    )
    const { asked, result } = await sent(events)
    expect(asked.map((request) => recordsOf(request).length)).toEqual([2000, 412])
    expect(result.outcomes).toEqual(events.map(() => ({ kind: 'delivered' })))
  })
})

describe('changes of a profile', () => {
  // docs.mixpanel.com, "User Profiles": $set_once, $add, $append, $union. A transaction has the form of mixpanel-node's
  // tests (test/people.js, track_charge): {"$append": {"$transactions": {"$amount": 50, "$time": …}}}.
  it.each([
    [{ profile_add: { counter: 3 } }, { $add: { counter: 3 } }],
    [{ profile_add: { counter: '-2.5' } }, { $add: { counter: -2.5 } }],
    [{ profile_set_once: { first: 'a' } }, { $set_once: { first: 'a' } }],
    [{ profile_append: { orders: 'o-1' } }, { $append: { orders: 'o-1' } }],
    [{ profile_union: { tags: 'a', more: ['b', 'c'] } }, { $union: { tags: ['a'], more: ['b', 'c'] } }],
    [{ profile_transaction: 50 }, { $append: { $transactions: { $amount: 50, $time: time } } }],
  ])('%j becomes %j', async (payload, change) => {
    for (const action of ['track', 'track_purchase'])
      expect(await profilesOf(payload, action)).toEqual({
        profiles: [{ $token: token, $distinct_id: 'ada', ...change }],
        outcomes: [{ kind: 'delivered' }],
      })
  })

  it('a trait that a user maps to the field counter of Increment is added', async () => {
    const mappings = presetMappings(mixpanel).filter(({ event_type: type }) => type === 'identify')
    const [preset] = mappings
    const [base] = preset?.field_mappings ?? []
    if (preset === undefined || base === undefined) throw new Error('There is no preset')
    const increment = {
      ...base,
      id: 'x001',
      source: { ...base.source, type: 'FIELD', name: 'traits.counter' },
      target: { ...base.target, name: 'profile_add.counter', type: 'any' },
    } as typeof base
    const own = [{ ...preset, field_mappings: [...preset.field_mappings, increment] }]
    expect(mappingProblems(mixpanel, own)).toEqual({})
    const event = mapped({ ...ada, type: 'identify', traits: { plan: 'pro', counter: 3 } }, own)
    const { asked } = await sent([event])
    expect(asked.filter(({ path }) => path === '/engage').flatMap(recordsOf)).toEqual([
      { $token: token, $distinct_id: 'ada', $set: { plan: 'pro', counter: 3 } },
      { $token: token, $distinct_id: 'ada', $add: { counter: 3 } },
    ])
  })

  it('an identify call sets traits and increments others', async () => {
    const { profiles } = await profilesOf({ traits: { plan: 'pro' }, profile_add: { logins: 1 } }, 'identify')
    expect(profiles).toEqual([
      { $token: token, $distinct_id: 'ada', $set: { plan: 'pro' } },
      { $token: token, $distinct_id: 'ada', $add: { logins: 1 } },
    ])
  })

  it.each([
    [{ profile_add: { counter: 'many' } }, 'Sent without profile_add.counter: not a number'],
    [{ profile_add: { counter: Number.POSITIVE_INFINITY } }, 'Sent without profile_add.counter: not a number'],
    [{ profile_add: { a: null, b: {} } }, 'Sent without profile_add.a: not a number; profile_add.b: not a number'],
  ])('a value that cannot be added is left out, and the event is sent: %j', async (payload, note) => {
    expect(await profilesOf(payload)).toEqual({ profiles: [], outcomes: [{ kind: 'delivered', note }] })
  })

  it('an event without a person is sent without changes of a profile', async () => {
    const { profiles, outcomes } = await profilesOf({ user_id: '', profile_add: { counter: 1 } })
    expect(profiles).toEqual([])
    expect(outcomes).toEqual([
      { kind: 'delivered', note: 'Sent without the changes of the profile: neither user ID nor anonymous ID' },
    ])
  })

  const unavailable = (path: string) => (request: VendorRequest) =>
    request.path === path ? { status: 503 } : documented(request)

  it('an increment waits while the event itself is retried, so that the retry does not add twice', async () => {
    const { asked, result } = await sent([track({ profile_add: { counter: 1 } })], {}, unavailable('/import'))
    expect(asked.map(({ path }) => path)).toEqual(['/import'])
    expect(result.outcomes).toEqual([{ kind: 'retry', reason: 'HTTP 503' }])
  })

  it('a failed group profile does not repeat the increment of another event', async () => {
    const group = mapped({ ...ada, type: 'group', groupId: 'g-1', traits: {} })
    const { result } = await sent([track({ profile_add: { counter: 1 } }), group], {}, unavailable('/groups'))
    expect(result.outcomes).toMatchObject([{ kind: 'delivered' }, { kind: 'retry' }])
  })

  it.each([
    [
      { status: 401, body: '{}' },
      { kind: 'retry', misconfigured: true },
    ],
    ['reset', { kind: 'retry' }],
    [
      { status: 429, headers: { 'retry-after': '7' } },
      { kind: 'retry', retryAfterMs: 7000 },
    ],
  ] as [PeerAnswer, object][])(
    'after the events have arrived, the answer %j concerns only the profiles',
    async (answer, outcome) => {
      const events = [track({}), track({ profile_add: { counter: 1 } })]
      const { result } = await sent(events, {}, (request) =>
        request.path === '/engage' ? answer : documented(request),
      )
      expect(result.outcomes).toMatchObject([{ kind: 'delivered' }, outcome])
    },
  )

  it('one refused profile of several is found, and the others are not repeated', async () => {
    const engaged: unknown[] = []
    const vendor = (request: VendorRequest): PeerAnswer => {
      if (request.path !== '/engage') return documented(request)
      const records = recordsOf(request)
      if (records.some((record) => JSON.stringify(record).includes('bad'))) return json(400, { error: 'bad profile' })
      engaged.push(...records)
      return documented(request)
    }
    const events = ['a', 'b', 'bad', 'c'].map((name) => track({ message_id: name, profile_add: { [name]: 1 } }))
    const { result } = await sent(events, {}, vendor)
    expect(result.outcomes).toMatchObject([
      { kind: 'delivered' },
      { kind: 'delivered' },
      { kind: 'rejected', reason: expect.stringContaining('bad profile') },
      { kind: 'delivered' },
    ])
    expect(engaged).toHaveLength(3)
  })
})

describe('the presets', () => {
  const context = {
    ip: '203.0.113.7',
    userAgent: macSafari,
    groupId: 'acme',
    page: { url: 'https://shop.example/a', referrer: 'https://search.example' },
    os: { name: 'iOS', version: '19' },
    device: { model: 'Watch', manufacturer: 'Maker' },
    app: { version: '1.2' },
    library: { name: 'lib' },
    campaign: { source: 's', medium: 'm', name: 'c', term: 't', content: 'x' },
  }
  const base = { ...ada, context, properties: order, traits: { plan: 'pro' }, groupId: 'acme', previousId: 'device-0' }
  /** What Mixpanel receives for each mapped field of a preset. */
  const arrived: Readonly<Record<string, string>> = {
    user_id: 'ada',
    anonymous_id: 'device-1',
    message_id: 'message-1',
    time: String(Date.parse(time)),
    properties: '"order_id":"o-1"',
    event_groups: '"company":"acme"',
    ip: '203.0.113.7',
    current_url: '"$current_url":"https://shop.example/a"',
    referrer: '"$referrer":"https://search.example"',
    user_agent: '"user_agent":"Mozilla/5.0',
    os: '"$os":"iOS"',
    os_version: '"$os_version":"19"',
    device_model: '"$model":"Watch"',
    device_manufacturer: '"$manufacturer":"Maker"',
    app_version: '"$app_version_string":"1.2"',
    library: '"mp_lib":"lib"',
    utm_source: '"utm_source":"s"',
    utm_medium: '"utm_medium":"m"',
    utm_campaign: '"utm_campaign":"c"',
    utm_term: '"utm_term":"t"',
    utm_content: '"utm_content":"x"',
    traits: '"plan":"pro"',
    group_id: '"$group_id":"acme"',
    previous_id: 'device-0',
  }
  const names = { track: 'Order Completed', page: 'Home', screen: 'Home' } as const

  it.each(presetMappings(mixpanel).map((mapping) => [mapping.event_name || mapping.event_type, mapping] as const))(
    'every mapped field of the preset for %s arrives',
    async (_, mapping) => {
      const type = mapping.event_type as keyof typeof names
      const event = mapping.event_name === '' && type === 'track' ? 'Paid' : (names[type] ?? '')
      const { asked } = await sent([mapped({ ...base, type, event })])
      const text = JSON.stringify(asked.map(({ body }) => body))
      // An event of a group needs only one of the two IDs of its user.
      for (const { target } of mapping.field_mappings)
        if (target.name !== 'event' && !((type as string) === 'group' && target.name === 'anonymous_id'))
          expect(text).toContain(arrived[target.name])
    },
  )
})
