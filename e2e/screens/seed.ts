import {
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type PostgresPeer,
  type Product,
  type WebhookReceiver,
} from '@tributary/test-kit'
import { addPerson, openDatabase, type Person } from '../browser/people.ts'
import { type OwnSeed, seedOwn } from './own-seed.ts'
import { type SignalSeed, seedSignals } from './signal-seed.ts'
import { type SyncSeed, seedSyncs } from './sync-seed.ts'

/** Resource names of the objects that the screenshots show. */
export type Seed = {
  filled: {
    workspace: string
    source: string
    /** A source of signed webhooks whose secret is not set, and a source of webhooks with a template. */
    payments: string
    tickets: string
    /** Sources of signals: a website with the tag, and the orders of a shop. */
    tag: string
    orders: string
    /** A source with a schema, and events that do not match it. */
    checked: string
    destination: string
    /** A destination with its own mappings, and a Slack channel with its presets. */
    mapped: string
    chat: string
    failing: string
    waiting: string
    paused: string
    /** A destination with replays, one of which is unfinished. */
    replayed: string
    key: string
  }
  empty: { workspace: string; source: string; destination: string }
  synced: SyncSeed
  signals: SignalSeed
  own: OwnSeed
  /** 500 sources and 500 destinations; the first source is connected to three destinations. */
  many: { workspace: string; destination: string }
  /** Path of an onboarding link. */
  onboarding: string
  /** A guest of the organization that most screenshots show. */
  guest: Person
}

/** Creates an API key that is used and being rotated, a key for all areas, and a change made with a key. */
const seedKeys = async ({ api, url }: Product, organization: string): Promise<void> => {
  const path = `/${organization}/apiKeys`
  const areas = ['sources', 'destinations', 'events', 'profiles', 'audiences', 'syncs', 'organization', 'billing']
  await api.ok('POST', path, { title: 'Nightly export', role: 2, areas })
  const given = { title: 'Terraform', role: 0, areas: areas.slice(0, 2).concat('organization') }
  const made = await api.ok('POST', path, {
    ...given,
    expire_time: new Date(Date.now() + 90 * 86_400_000).toISOString(),
  })
  await fetch(`${url}/api/${organization}?update_mask=industry`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${String(made.key)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ industry: 'gaming' }),
  })
  await api.ok('POST', `/${String(made.name)}:rotate`, { overlap_hours: 24 })
}

/** Creates members of every role, invitations (one has expired), and an invitation link. Returns a guest. */
const seedTeam = async (product: Product, organization: string): Promise<Person> => {
  await using database = await openDatabase(product)
  const roles = ['ORG_ADMIN', 'ORG_COLLABORATOR', 'ORG_GUEST'] as const
  const names = ['Grace', 'Alan', 'Bartholomew', 'Katherine', 'Linus', 'Margaret', 'Edsger']
  for (const [index, name] of names.entries())
    await addPerson(database, name, { organization, role: roles[index % roles.length] ?? 'ORG_GUEST' })
  const guest = await addPerson(database, 'Barbara', { organization, role: 'ORG_GUEST' })
  const emails = ['new.colleague@example.com', 'somebody.with.a.rather.long.address@subsidiary.example.com']
  await product.api.ok('POST', `/${organization}/invitations:batchCreate`, { emails, role: 1 })
  const hour = 3_600_000
  await database.db
    .updateTable('invitations')
    .set({ send_time: new Date(Date.now() - 192 * hour), expire_time: new Date(Date.now() - 24 * hour) })
    .where('invitee_email', '=', emails[1] ?? '')
    .execute()
  await product.api.ok('POST', `/${organization}/invitationlinks`, { role: 2 })
  await seedKeys(product, organization)
  return guest
}

const text = { type: 'string' }
const number = { type: 'number' }
const orders = {
  properties: {
    order_id: { ...text, description: 'The number that customers see on the invoice' },
    total: number,
    currency: { ...text, description: 'ISO 4217' },
    products: { type: 'array', items: { properties: { sku: text, quantity: number }, required: ['sku'] } },
  },
  required: ['order_id', 'total'],
  recommended: ['currency'],
}

/**
 * Creates a source whose schema has a few versions and blocks events that do not match, with events for every kind of
 * violation.
 */
const seedChecked = async ({ api, url }: Product, workspace: string): Promise<string> => {
  const { source, key } = await createSource(api, workspace, 'Checked shop')
  const events = { 'Order Completed': orders, 'Product Viewed': { properties: { sku: text } } }
  const user = { properties: { email: text, plan: text }, required: ['email'] }
  for (const schema of [{ events: { 'Order Completed': { properties: { total: text } } } }, { events, user }])
    await api.ok('PATCH', `/${source}?update_mask=schema`, { schema: JSON.stringify(schema) })
  await api.ok('PATCH', `/${source}?update_mask=enforcement`, { enforcement: 'block' })
  const track = (event: string, properties: object) => ({ type: 'track', userId: 'customer-1', event, properties })
  const order = { order_id: 'A-1', total: 19.9 }
  const batch = [
    track('Order Completed', { ...order, total: '19.90' }),
    track('Order Completed', { ...order, total: '9.90' }),
    track('Order Completed', { total: 5, products: [{ sku: 'S1', unit_price_before_discount: 3 }] }),
    track('Product Added to the Very Long Wishlist of a Customer', { sku: 'S1' }),
    { type: 'identify', userId: 'customer-1', traits: { plan: 'team' } },
  ].map((event, index) => ({ ...event, messageId: `misfit-${index}` }))
  await fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch }),
  })
  await eventually(
    'violations are counted',
    async () => ((await api.ok('GET', `/${source}/violations`)).violations as unknown[]).length >= 5,
  )
  // One of the violations is fixed meanwhile.
  const added = { 'Product Added to the Very Long Wishlist of a Customer': { properties: { sku: text } } }
  await api.ok('PATCH', `/${source}?update_mask=schema`, {
    schema: JSON.stringify({ events: { ...events, ...added }, user }),
  })
  return source
}

/** Creates a destination of a source without events, with a completed, a canceled and a paused replay. */
const seedReplays = async ({ api }: Product, workspace: string, source: string, url: string): Promise<string> => {
  const destination = await createWebhook(api, workspace, source, { url }, 'New warehouse')
  const scope = {
    kind: 'history',
    start_time: new Date(Date.now() - 24 * 3_600_000).toISOString(),
    end_time: new Date(Date.now() + 60_000).toISOString(),
  }
  const start = async (more: object): Promise<string> =>
    String((await api.ok('POST', `/${destination}/replays`, { ...scope, ...more })).name)
  const first = await start({})
  await eventually('the replay is delivered', async () => {
    const { state, delivered_count, event_count } = await api.ok('GET', `/${first}`)
    return state === 'done' && delivered_count === event_count
  })
  const second = await start({ event_type: 'track', events_per_second: 1 })
  await api.ok('POST', `/${second}:cancel`, {})
  const conditions = [{ id: 'a1B2', field: 'properties.total', operator: 'greater_than', value: '30' }]
  const third = await start({ event: 'Order Completed', filter: { conditions }, events_per_second: 4 })
  await eventually('some is sent', async () => Number((await api.ok('GET', `/${third}`)).sent_count) > 1)
  await api.ok('POST', `/${third}:pause`, {})
  return destination
}

/**
 * The schema of the source in the screenshots: some of its events match, some lack a property, and some are unknown.
 */
const shopSchema = {
  events: {
    'Order Completed': orders,
    'Product Viewed': {
      properties: {
        sku: text,
        total: text,
        products: { type: 'array', items: { properties: { sku: text, price: number } } },
      },
      required: ['sku'],
    },
    'Checkout Started': { properties: { order_id: text, total: number, currency: text } },
  },
  user: { properties: { email: text, plan: text }, required: ['email'] },
}

const ofTarget = { display_name: '', kind: 'custom', is_required: false, is_recommended: false }
const base = { display_name: '', is_event_name_key: false, kind: 'custom' }
const target = (name: string, type = 'any') => ({ ...ofTarget, name, type })
const ordersMapped = [
  { id: 'f001', source: { type: 'FIELD', name: 'properties.order_id', ...base }, target: target('id', 'string') },
  { id: 'f002', source: { type: 'FIELD', name: 'properties.total', ...base }, target: target('amount', 'number') },
  { id: 'f003', source: { type: 'CONSTANT', value: 'web', ...base }, target: target('channel') },
  { id: 'f004', source: { type: 'VARIABLE', name: 'user_key', ...base }, target: target('customer.id') },
  {
    id: 'f005',
    source: { type: 'TEMPLATE', value: 'Order {{ properties.order_id }} of {{ userId | capitalize }}', ...base },
    target: target('label'),
  },
  {
    id: 'f007',
    source: {
      type: 'FIRST',
      sources: [
        { type: 'FIELD', name: 'context.traits.email', ...base },
        { type: 'FIELD', name: 'properties.email', ...base },
        { type: 'PROFILE', name: 'traits.email', ...base },
        { type: 'CONSTANT', value: 'unknown', ...base },
      ],
      ...base,
    },
    target: target('customer.email', 'string'),
    conditions: [{ id: 'c004', field: 'properties.total', operator: 'greater_than', value: '50' }],
    condition_match: 'all',
  },
  {
    id: 'f008',
    source: {
      type: 'LIST',
      list: 'properties.products',
      root: 'properties',
      fields: [
        { name: 'sku', type: 'string', source: { type: 'FIELD', name: 'sku', ...base } },
        { name: 'price', type: 'number', source: { type: 'FIELD', name: 'price', ...base } },
      ],
      ...base,
    },
    target: target('lines', 'array'),
  },
  { id: 'f009', source: { type: 'PROFILE', name: 'traits.plan', ...base }, target: target('customer.plan') },
  { id: 'f006', enabled: false, source: { type: 'CONSTANT', value: 1, ...base }, target: target('version', 'number') },
]

/** Creates a webhook with its own mappings, and a Slack channel that uses its presets. */
const seedMapped = async (
  { api }: Product,
  workspace: string,
  source: string,
  url: string,
): Promise<{ mapped: string; chat: string }> => {
  const mapped = await createWebhook(api, workspace, source, { url }, 'Order service')
  const more = { enabled: true, filter_match: 'all', destination: 'send' }
  await api.ok('PUT', `/${mapped}/mappings`, {
    event_mappings: [
      {
        ...more,
        id: 'm001',
        event_name: 'Order Completed',
        event_type: 'track',
        filters: [{ id: 'c001', field: 'properties.total', operator: 'greater_than', value: '20' }],
        field_mappings: ordersMapped,
      },
      {
        ...more,
        id: 'm002',
        event_name: 'Product Viewed',
        event_type: 'track',
        filter_match: 'any',
        filters: [
          { id: 'c002', field: 'context.page.path', operator: 'starts_with', value: '/outlet/of/last/season' },
          { id: 'c003', field: 'properties.coupon', operator: 'exists', value: '' },
        ],
        field_mappings: ordersMapped.slice(0, 2),
      },
      { ...more, id: 'm003', enabled: false, event_name: '', event_type: '', filters: [], field_mappings: [] },
    ],
  })
  const chat = (await api.ok('POST', `/${workspace}/destinations`, {
    title: 'Sales channel',
    app: { name: 'catalogDestinations/slack' },
    settings: { webhook_url: 'https://hooks.slack.com/services/T0/B0/abcdefghijklmnop' },
  })) as { name: string }
  return { mapped, chat: chat.name }
}

/** Creates as many sources and destinations as a large company has, with a few concurrent calls. */
const seedMany = async ({ api }: Product, url: string): Promise<Seed['many']> => {
  const { workspace } = await createWorkspace(api, 'Large company')
  const { source } = await createSource(api, workspace, 'Source 0', 'javascript')
  const destinations = await Promise.all(
    [0, 1, 2].map((index) => createWebhook(api, workspace, source, { url }, `Destination ${index}`)),
  )
  const apps = ['http', 'javascript', 'node']
  const make = async (from: number): Promise<void> => {
    for (let index = from; index < 500; index += 8) {
      await api.ok('POST', `/${workspace}/sources`, {
        title: `Source ${index}`,
        app: { name: `catalogSources/${apps[index % apps.length]}` },
      })
      if (index < destinations.length) continue
      await api.ok('POST', `/${workspace}/destinations`, {
        title:
          index % 50 === 7 ? `Destination ${index} ${'of a team with a long name '.repeat(3)}` : `Destination ${index}`,
        app: { name: 'catalogDestinations/webhook' },
        settings: { url },
      })
    }
  }
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(make))
  return { workspace, destination: destinations[0] ?? '' }
}

/** Waits until the events of the first workspace are stored, delivered, refused, held and counted. */
const untilSeeded = async (
  api: Product['api'],
  {
    source,
    destination,
    failing,
    waiting,
    paused,
  }: Record<'source' | 'destination' | 'failing' | 'waiting' | 'paused', string>,
): Promise<void> => {
  await eventually(
    'events are stored',
    async () => ((await api.ok('GET', `/${source}/events`)).events as unknown[]).length >= 42,
  )
  await eventually(
    'deliveries are logged',
    async () => ((await api.ok('GET', `/${destination}/deliveries`)).deliveries as unknown[]).length >= 42,
  )
  await eventually(
    'refusals are counted',
    async () => ((await api.ok('GET', `/${source}/refusedRequests`)).refused_requests as unknown[]).length >= 3,
  )
  for (const [name, state] of [
    [failing, 'dead'],
    [waiting, 'waiting'],
    [paused, 'waiting'],
  ])
    await eventually(
      `events are held as ${state}`,
      async () =>
        ((await api.ok('GET', `/${name}/parkedDeliveries?state=${state}`)).parked_deliveries as unknown[]).length > 0,
    )
  await eventually(
    'repetitions are counted',
    async () => ((await api.ok('GET', `/${source}/droppedEvents`)).dropped_events as unknown[]).length >= 2,
  )
}

/** Creates an audience with profiles. */
const seedAudience = async ({ api }: Product, workspace: string): Promise<void> => {
  const attribute = { id: 'aaaa', name: 'total', valueType: 'number', operator: 'greater_than', value: '20' }
  const query = { id: 'bbbb', type: 'event', selectedEvent: 'Order Completed', selectedAttributes: [attribute] }
  const groups = { cccc: { segments: [{ id: 'dddd', queries: [query] }] } }
  const made = await api.ok('POST', `/${workspace}/audiences`, { title: 'Repeat customers', query: { groups } })
  await eventually('an audience has profiles', async () => {
    const { state, size } = await api.ok('GET', `/${String(made.name)}`)
    if (state === 'live' && size === 0) await api.ok('POST', `/${String(made.name)}:compute`, {})
    return state === 'live' && size !== 0
  })
}

/** Creates an audience that is a list, and changes the list. */
const seedList = async ({ api }: Product, workspace: string): Promise<void> => {
  const values = Array.from({ length: 12 }, (_, index) => `customer-${index}`)
  const list = { title: 'Invited customers', kind: 'user_id', values: [...values, 'somebody-else'] }
  const made = await api.ok('POST', `/${workspace}/audiences:importList`, list)
  const added = { operation: 'add', kind: 'email', values: ['ada@example.com', 'nobody@example.com'] }
  await api.ok('POST', `/${String(made.name)}:changeList`, added)
  await eventually('a list has profiles', async () => {
    const { state, size } = await api.ok('GET', `/${String(made.name)}`)
    return state === 'live' && size !== 0
  })
}

/** Creates a computed trait that some profiles have. */
const seedComputedTrait = async ({ api }: Product, workspace: string): Promise<void> => {
  const definition = { event: 'Order Completed', operation: 'sum', property: 'total', window_days: 30 }
  const made = await api.ok('POST', `/${workspace}/computedTraits`, { trait: 'revenue_30_days', definition })
  await eventually('a computed trait has values', async () => {
    const { state, profile_count } = await api.ok('GET', `/${String(made.name)}`)
    return state === 'live' && profile_count !== 0
  })
}

/** Creates the sources of signals: a website with the tag, and the orders of a shop. */
const seedSignalSources = async (api: Product['api'], workspace: string) => ({
  tag: (await createSource(api, workspace, 'Shop website', 'tag')).source,
  orders: (await createSource(api, workspace, 'Shop orders', 'shopify-orders')).source,
})

/** Creates a workspace with events, deliveries, failures and refused requests, and an empty workspace. */
export const seedWorkspaces = async (
  product: Product,
  receiver: WebhookReceiver,
  refusing: WebhookReceiver,
  busy: WebhookReceiver,
  peer: PostgresPeer,
): Promise<Seed> => {
  refusing.behave({ status: 404, body: '{"error":"no such hook"}' })
  busy.behave({ status: 503, headers: { 'retry-after': '3600' }, body: '{"error":"back in an hour"}' })
  const { api, url } = product
  const { workspace, organization } = await createWorkspace(api, 'Northwind Traders')
  const guest = await seedTeam(product, organization)
  const { source, key } = await createSource(api, workspace, 'Online shop', 'javascript')
  await api.ok('PATCH', `/${source}?update_mask=schema`, { schema: JSON.stringify(shopSchema) })
  await createSource(api, workspace, 'Billing service with quite a long name for a source', 'node')
  const { source: payments } = await createSource(api, workspace, 'Payments', 'stripe')
  const { source: tickets } = await createSource(api, workspace, 'Tickets', 'webhook')
  await api.ok('POST', `/${tickets}/app:updateSetting`, {
    name: 'template',
    value: '{\n  "event": "Ticket {{ body.state }}",\n  "userId": "{{ body.customer.id }}"\n}',
  })
  const ofSignals = await seedSignalSources(api, workspace)
  const destination = await createWebhook(api, workspace, source, { url: receiver.url }, 'Data team webhook')
  const failing = await createWebhook(api, workspace, source, { url: refusing.url }, 'Archive')
  const waiting = await createWebhook(api, workspace, source, { url: busy.url }, 'Nightly import')
  const paused = await createWebhook(api, workspace, source, { url: receiver.url }, 'Partner feed')
  await api.ok('PATCH', `/${paused}?update_mask=enabled`, { enabled: false })
  const send = (path: string, body: unknown, writeKey = key): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${writeKey}:`)}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const names = ['Order Completed', 'Product Viewed', 'Product Added to the Very Long Wishlist', 'Checkout Started']
  await send('/v1/batch', {
    batch: [
      ...Array.from({ length: 40 }, (_, index) => ({
        type: 'track',
        event: names[index % names.length],
        userId: `customer-${index}`,
        messageId: `seed-${index}`,
        properties: {
          order_id: `A-${1000 + index}`,
          total: 19.9 + index,
          currency: 'EUR',
          products: [{ sku: 'S1', quantity: 2 }],
        },
        context: { test: index % 3 === 0 },
      })),
      {
        type: 'identify',
        userId: 'customer-1',
        messageId: 'seed-first-plan',
        traits: { plan: 'free' },
        timestamp: new Date(Date.now() - 86_400_000).toISOString(),
      },
      {
        type: 'identify',
        userId: 'customer-1',
        // The device is only used by this user, so that the profile has two identifiers.
        anonymousId: 'anon-1',
        messageId: 'seed-identify',
        traits: { email: 'ada@example.com', plan: 'team' },
      },
      { type: 'page', anonymousId: 'anon-1', messageId: 'seed-page', name: 'Home' },
      { type: 'track', userId: 'customer-1', messageId: 'seed-rejected', properties: {} },
    ],
  })
  const again = { type: 'track', event: 'Order Completed', userId: 'customer-0', messageId: 'seed-0' }
  await send('/v1/batch', {
    batch: [again, again, { type: 'track', userId: 'customer-1', messageId: 'seed-rejected', properties: {} }],
  })
  await send('/v1/track', '{"event": ')
  await send('/v1/batch', { batch: [] })
  await send('/v1/track', { event: 'No ids' })
  await untilSeeded(api, { source, destination, failing, waiting, paused })
  const checked = await seedChecked(product, workspace)
  const replayed = await seedReplays(product, workspace, tickets, receiver.url)
  const { mapped, chat } = await seedMapped(product, workspace, source, receiver.url)
  const many = await seedMany(product, receiver.url)
  await seedAudience(product, workspace)
  await seedList(product, workspace)
  await seedComputedTrait(product, workspace)
  const bare = await createWorkspace(api, 'Fresh start')
  const quiet = await createWorkspace(api, 'Quiet company')
  const quietSource = await createSource(api, quiet.workspace, 'Silent source', 'http')
  const settings = { url: receiver.url }
  const quietDestination = await createWebhook(api, quiet.workspace, quietSource.source, settings, 'Waiting webhook')
  const onboarding = (await api.ok('POST', '/users:onboard', {
    email: 'grace.hopper@contoso.example',
    first_name: 'Grace',
    last_name: 'Hopper',
    organization_title: 'Contoso Retail Group',
  })) as { user: { id: string }; onboarding_token: string }
  return {
    many,
    synced: await seedSyncs(product, peer),
    signals: await seedSignals(product),
    own: await seedOwn(product, workspace),
    guest,
    onboarding: `/users/${onboarding.user.id}/onboarding/complete?token=${onboarding.onboarding_token}`,
    filled: {
      workspace,
      source,
      checked,
      payments,
      tickets,
      ...ofSignals,
      destination,
      mapped,
      chat,
      failing,
      waiting,
      paused,
      replayed,
      key,
    },
    empty: { workspace: bare.workspace, source: quietSource.source, destination: quietDestination },
  }
}
