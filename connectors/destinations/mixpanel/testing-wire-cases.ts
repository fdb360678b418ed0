import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { rowsFrom, type WireCases, type WireRow } from '@tributary/connector-kit/testing-wire'
import { mixpanel } from './definition.ts'
import { documented, origins, recordsOf, settings } from './testing-mixpanel.ts'

const importing = 'docs.mixpanel.com/reference/import-events'
const ownProperties = 'docs.mixpanel.com/docs/data-structure/property-reference/default-properties'
const merging = 'docs.mixpanel.com/docs/tracking-methods/id-management/identifying-users-simplified'
const groups = 'docs.mixpanel.com/docs/data-structure/group-analytics'
const profiles = 'docs.mixpanel.com/reference/profile-set'
const profileOf = (operation: string): string => `docs.mixpanel.com/reference/${operation}`

const minuteAgo = new Date(Date.now() - 60_000).toISOString()
const agent =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36'
const page = 'https://shop.example/a'

/** Returns all records by path, and the records of profiles as one. */
const record = (asked: readonly VendorRequest[]) => {
  const of = (path: string) => asked.filter((request) => request.path === path).flatMap(recordsOf)
  return { import: of('/import'), engage: Object.assign({}, ...of('/engage')), groups: of('/groups') }
}

const property = (target: string, name: string, value: unknown) =>
  [target, value, `import.0.properties.${name}`, value] as const

const ofProfile: readonly WireRow[] = [
  ...rowsFrom(profileOf('profile-set-property-once'), [
    ['profile_set_once', { first_plan: 'free' }, 'engage.$set_once', { first_plan: 'free' }],
  ]),
  ...rowsFrom(profileOf('profile-numerical-add'), [['profile_add', { Coins: '12' }, 'engage.$add', { Coins: 12 }]]),
  ...rowsFrom(profileOf('profile-append-to-list-property'), [
    ['profile_append', { 'Items purchased': 'sandwich' }, 'engage.$append', { 'Items purchased': 'sandwich' }],
    ['profile_transaction', 25, 'engage.$append.$transactions.$amount', 25],
  ]),
  ...rowsFrom(profileOf('user-profile-union'), [
    [
      'profile_union',
      { 'Items purchased': ['socks', 'shirts'] },
      'engage.$union',
      { 'Items purchased': ['socks', 'shirts'] },
    ],
  ]),
]

const ofEvent: readonly WireRow[] = [
  ...rowsFrom(importing, [
    ['event', 'Signed up', 'import.0.event', 'Signed up'],
    ['time', minuteAgo, 'import.0.properties.time', Date.parse(minuteAgo)],
    [
      'message_id',
      '5d958f87-542d-4c10-9422-0ed75893dc81',
      'import.0.properties.$insert_id',
      '5d958f87-542d-4c10-9422-0ed75893dc81',
    ],
    ['properties', { Country: 'US' }, 'import.0.properties.Country', 'US'],
    ['plan', 'pro', 'import.0.properties.plan', 'pro'],
  ]),
  ...rowsFrom(merging, [
    ['user_id', 'charlie', 'import.0.properties.$user_id', 'charlie'],
    ['anonymous_id', 'device-1', 'import.0.properties.$device_id', 'device-1'],
    ['anonymous_id', 'device-1', 'import.0.properties.distinct_id', '$device:device-1', { beside: { user_id: '' } }],
    [
      'settings.identity',
      'original',
      'import.0.properties.distinct_id',
      'device-2',
      { beside: { user_id: '', anonymous_id: 'device-2' } },
    ],
  ]),
  ...rowsFrom(groups, [
    ['event_groups', 'acme', 'import.0.properties.company', 'acme'],
    ['event_groups', { team: ['a', 'b'] }, 'import.0.properties.team', ['a', 'b']],
    ['settings.group_key', 'account', 'import.0.properties.account', 'acme', { beside: { event_groups: 'acme' } }],
  ]),
  ...rowsFrom(ownProperties, [
    property('ip', 'ip', '136.24.0.114'),
    property('current_url', '$current_url', page),
    property('referrer', '$referrer', page),
    property('user_agent', 'user_agent', agent),
    ['user_agent', agent, 'import.0.properties.$browser', 'Chrome'],
    property('os', '$os', 'Mac OS X'),
    property('os_version', '$os_version', '14.4'),
    property('device_model', '$model', 'iPhone14,5'),
    property('device_manufacturer', '$manufacturer', 'Apple'),
    property('app_version', '$app_version_string', '1.2.3'),
    property('library', 'mp_lib', 'analytics.js'),
    property('utm_source', 'utm_source', 'google'),
    property('utm_medium', 'utm_medium', 'cpc'),
    property('utm_campaign', 'utm_campaign', 'spring'),
    property('utm_term', 'utm_term', 'shoes'),
    property('utm_content', 'utm_content', 'ad-1'),
  ]),
  ...ofProfile,
]

const products = [{ product_id: 'p1', price: 10 }]
const event = { event: 'Signed in', message_id: 'm-1', time: minuteAgo, user_id: 'u1' }
const person = { message_id: 'm-1', time: minuteAgo, user_id: 'u1' }

export const wireCases: WireCases = {
  definition: mixpanel,
  origins,
  settings,
  vendor: () => documented,
  record,
  actions: {
    track: { base: event, rows: ofEvent },
    track_purchase: {
      base: event,
      rows: [
        ...ofEvent,
        ...rowsFrom('segment.com/docs/connections/destinations/catalog/actions-mixpanel, Track Purchase', [
          ['products', products, 'import.1.event', 'Product Purchased'],
          ['products', products, 'import.1.properties.product_id', 'p1'],
        ]),
      ],
    },
    identify: {
      type: 'identify',
      base: { ...person, traits: { plan: 'free' } },
      rows: [
        ...rowsFrom(profiles, [
          ['user_id', '13793', 'engage.$distinct_id', '13793'],
          ['traits', { Address: '1313 Mockingbird Lane' }, 'engage.$set.Address', '1313 Mockingbird Lane'],
          ['traits', { email: 'ada@example.com' }, 'engage.$set.$email', 'ada@example.com'],
          ['plan', 'pro', 'engage.$set.plan', 'pro'],
          ['ip', '136.24.0.114', 'engage.$ip', '136.24.0.114'],
        ]),
        ...rowsFrom(merging, [
          ['anonymous_id', 'device-1', 'import.0.properties.$device_id', 'device-1'],
          ['message_id', 'm-2', 'import.0.properties.$insert_id', 'm-2', { beside: { anonymous_id: 'device-1' } }],
          [
            'time',
            minuteAgo,
            'import.0.properties.time',
            Date.parse(minuteAgo),
            { beside: { anonymous_id: 'device-1' } },
          ],
        ]),
        ...ofProfile,
      ],
    },
    group: {
      type: 'group',
      base: { group_id: 'mixpanel', user_id: 'u1', traits: { plan: 'free' } },
      rows: [
        ...rowsFrom(profileOf('group-set-property'), [
          ['group_id', 'acme', 'groups.0.$group_id', 'acme'],
          ['traits', { Address: '1313 Mockingbird Lane' }, 'groups.0.$set.Address', '1313 Mockingbird Lane'],
          ['traits', { name: 'Acme' }, 'groups.0.$set.$name', 'Acme'],
          ['plan', 'pro', 'groups.0.$set.plan', 'pro'],
          ['settings.group_key', 'account', 'groups.0.$group_key', 'account'],
        ]),
        ...rowsFrom(profileOf('user-profile-union'), [
          ['user_id', 'u2', 'engage.$distinct_id', 'u2'],
          ['anonymous_id', 'device-1', 'engage.$distinct_id', '$device:device-1', { beside: { user_id: '' } }],
        ]),
      ],
    },
    alias: {
      type: 'alias',
      base: { ...person, previous_id: 'device-1' },
      rows: rowsFrom(merging, [
        ['user_id', 'charlie', 'import.0.properties.$user_id', 'charlie'],
        ['previous_id', 'device-2', 'import.0.properties.$device_id', 'device-2'],
        ['message_id', 'm-2', 'import.0.properties.$insert_id', 'm-2'],
        ['time', minuteAgo, 'import.0.properties.time', Date.parse(minuteAgo)],
      ]),
    },
  },
  common: {
    event: {
      timestamp: minuteAgo,
      anonymousId: 'device-1',
      properties: { order_id: 'o-1', products },
      context: {
        groupId: 'acme',
        ip: '136.24.0.114',
        userAgent: agent,
        page: { url: page, referrer: page },
        os: { name: 'Mac OS X', version: '14.4' },
        device: { model: 'MacBookPro18,3', manufacturer: 'Apple' },
        app: { version: '1.2.3' },
        library: { name: 'analytics.js' },
        campaign: { source: 'google', medium: 'cpc', name: 'spring', term: 'shoes', content: 'ad-1' },
      },
    },
    places: { properties: 'import.0.properties.order_id' },
    sent: {
      user_id: 'u1',
      anonymous_id: 'device-1',
      message_id: 'm-1',
      time: Date.parse(minuteAgo),
      properties: 'o-1',
      event_groups: 'acme',
      ip: '136.24.0.114',
      current_url: page,
      referrer: page,
      user_agent: agent,
      os: 'Mac OS X',
      os_version: '14.4',
      device_model: 'MacBookPro18,3',
      device_manufacturer: 'Apple',
      app_version: '1.2.3',
      library: 'analytics.js',
      utm_source: 'google',
      utm_medium: 'cpc',
      utm_campaign: 'spring',
      utm_term: 'shoes',
      utm_content: 'ad-1',
    },
  },
  presets: {
    'Order Completed': { sent: { event: 'Order Completed' } },
    '(track)': { event: { event: 'Article Read' }, sent: { event: 'Article Read' } },
    '(page)': { event: { event: 'Home' }, sent: { event: 'Viewed Home Page' } },
    '(screen)': { event: { event: 'Home' }, sent: { event: 'Viewed Home Screen' } },
    '(identify)': {
      event: { traits: { email: 'ada@example.com' } },
      places: { traits: 'engage.$set.$email' },
      sent: { traits: 'ada@example.com' },
    },
    '(group)': {
      event: { groupId: 'acme', traits: { name: 'Acme' } },
      places: { traits: 'groups.0.$set.$name' },
      sent: { group_id: 'acme', traits: 'Acme' },
      apart: { anonymous_id: 'the profile is that of the user, if there is one' },
    },
    '(alias)': { event: { previousId: 'device-2' }, sent: { previous_id: 'device-2' } },
  },
}
