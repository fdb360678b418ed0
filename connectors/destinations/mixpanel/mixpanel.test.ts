import type { PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { testDestination } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { mixpanel } from './definition.ts'
import { credentials, documented, json, mapped, origins, recordsOf, sent, settings, token } from './testing-mixpanel.ts'

const time = Date.parse('2026-01-02T03:04:05.000Z')
const ada = { userId: 'ada', anonymousId: 'device-1' }
const order = mapped({ ...ada, messageId: 'm-1', properties: { total: 5 } })
const tooMany = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, index]))

testDestination(mixpanel, {
  origins,
  settings: () => settings,
  secrets: [token, credentials],
  vendor: documented,
  events: [
    order,
    mapped({ ...ada, messageId: 'm-2', type: 'identify', traits: { email: 'ada@example.com', plan: 'pro' } }),
  ],
  requests: [
    {
      method: 'POST',
      host: 'api.mixpanel.com',
      path: '/import',
      query: { strict: '1' },
      body: [
        {
          event: 'Order Completed',
          properties: {
            distinct_id: 'ada',
            $user_id: 'ada',
            $device_id: 'device-1',
            time,
            $insert_id: 'm-1',
            total: 5,
          },
        },
        {
          event: '$identify',
          properties: { distinct_id: 'ada', $user_id: 'ada', $device_id: 'device-1', time, $insert_id: 'm-2' },
        },
      ],
    },
    {
      host: 'api.mixpanel.com',
      path: '/engage',
      query: { strict: '1', ip: '0' },
      body: [{ $token: token, $distinct_id: 'ada', $set: { $email: 'ada@example.com', plan: 'pro' } }],
    },
  ],
  connected: 'Mixpanel accepts this project token.',
  badCredentials: {
    settings: () => ({ project_token: 'another-project-token' }),
    message: 'Mixpanel refuses the project token (HTTP 401)',
  },
  partialFailure: {
    events: [
      order,
      mapped({ userId: 'anonymous', messageId: 'm-3' }),
      mapped({ userId: 'bob', messageId: 'm-4', timestamp: '2126-01-01T00:00:00.000Z' }),
    ],
    outcomes: [
      { kind: 'delivered' },
      { kind: 'rejected', reason: "'properties.distinct_id' is invalid: 'anonymous' not allowed" },
      { kind: 'rejected', reason: "'properties.time' is invalid: must not be in the future" },
    ],
  },
  oversize: {
    events: [
      order,
      mapped({ messageId: 'm-5', properties: tooMany }),
      mapped({ messageId: 'm-6', properties: { text: 'x'.repeat(1024 * 1024) } }),
    ],
    outcomes: [
      { kind: 'delivered' },
      { kind: 'rejected', reason: 'The event has 303 properties; Mixpanel allows 254' },
      { kind: 'rejected', reason: expect.stringMatching(/^The event has \d+ bytes; Mixpanel allows 1048575$/) },
    ],
    requests: 1,
  },
})

it.each([
  ['us', 'api.mixpanel.com'],
  ['eu', 'api-eu.mixpanel.com'],
  ['in', 'api-in.mixpanel.com'],
])('a project stored in %s is reached at %s', async (region, host) => {
  const { asked } = await sent([order], { region })
  expect(asked.map((request) => request.host)).toEqual([host])
})

describe('the default mappings', () => {
  it.each([
    ['page', 'Pricing', 'Viewed Pricing Page'],
    ['page', '', 'Page Viewed'],
    ['screen', 'Cart', 'Viewed Cart Screen'],
    ['screen', '', 'Screen Viewed'],
  ] as const)('the default mappings make of a %s call "%s" the event %s', async (type, event, name) => {
    const { records } = await sent([mapped({ ...ada, type, event })])
    expect(records).toMatchObject([['/import', [{ event: name }]]])
  })

  it("the default mappings use Mixpanel's names for page, device, and campaign, and keep properties unchanged", async () => {
    const context = {
      ip: '203.0.113.7',
      page: { url: 'https://shop.example/a', referrer: 'https://search.example' },
      os: { name: 'iOS', version: '19' },
      campaign: { source: 'mail', name: 'spring' },
    }
    const { records } = await sent([mapped({ ...ada, context, properties: { total: 5, items: ['a'], note: null } })])
    expect(records).toEqual([
      [
        '/import',
        [
          {
            event: 'Order Completed',
            properties: {
              ip: '203.0.113.7',
              $current_url: 'https://shop.example/a',
              $referrer: 'https://search.example',
              $os: 'iOS',
              $os_version: '19',
              utm_source: 'mail',
              utm_campaign: 'spring',
              total: 5,
              items: ['a'],
              note: null,
              distinct_id: 'ada',
              $user_id: 'ada',
              $device_id: 'device-1',
              time,
              $insert_id: 'message-1',
            },
          },
        ],
      ],
    ])
  })

  it('the default mappings set the profile of a group, and add its user to the group', async () => {
    const traits = { name: 'Acme', seats: 5 }
    const { records } = await sent([mapped({ ...ada, type: 'group', groupId: 'g-1', traits })], {
      group_key: 'account',
    })
    expect(records).toEqual([
      ['/groups', [{ $token: token, $group_key: 'account', $group_id: 'g-1', $set: { seats: 5, $name: 'Acme' } }]],
      ['/engage', [{ $token: token, $distinct_id: 'ada', $union: { account: ['g-1'] } }]],
    ])
  })

  it("the default mappings merge the IDs of an alias call by the project's ID merge", async () => {
    const event = mapped({ type: 'alias', userId: 'ada', previousId: 'device-1' })
    expect((await sent([event])).records).toMatchObject([
      ['/import', [{ event: '$identify', properties: { $user_id: 'ada', $device_id: 'device-1' } }]],
    ])
    expect((await sent([event], { identity: 'original' })).records).toEqual([
      ['/import', [{ event: '$merge', properties: { $distinct_ids: ['device-1', 'ada'] } }]],
    ])
  })
})

it.each([
  ['simplified', { distinct_id: '$device:device-1', $device_id: 'device-1' }],
  ['original', { distinct_id: 'device-1' }],
])('an anonymous event belongs to its device: %s ID merge', async (identity, person) => {
  const { records } = await sent([mapped({ anonymousId: 'device-1' })], { identity })
  expect(records).toEqual([
    ['/import', [{ event: 'Order Completed', properties: { ...person, time, $insert_id: 'message-1' } }]],
  ])
})

it('Mixpanel stores an event without a person, and refuses a profile without one', async () => {
  const { result, records } = await sent([mapped({}), mapped({ type: 'identify', traits: { plan: 'pro' } })])
  expect(records).toMatchObject([['/import', [{ properties: { distinct_id: '' } }]]])
  expect(result.outcomes).toEqual([
    { kind: 'delivered' },
    { kind: 'rejected', reason: 'The event has no user ID and no anonymous ID' },
  ])
})

it('a message ID that Mixpanel would refuse is replaced by a hash, the same each time', async () => {
  const event = mapped({ ...ada, messageId: 'a message id: with spaces, and longer than Mixpanel allows' })
  const ids = [await sent([event]), await sent([event])].map(({ asked: [request] }) =>
    request === undefined ? undefined : recordsOf(request)[0]?.properties?.['$insert_id'],
  )
  expect(ids[0]).toMatch(/^[a-f0-9]{36}$/)
  expect(ids[1]).toBe(ids[0])
})

it('an event with records at two endpoints is delivered when both have accepted their record', async () => {
  const events = [mapped({ ...ada, type: 'identify', traits: { plan: 'pro' } }), order]
  const busy = ({ path }: VendorRequest, answer: PeerAnswer) =>
    path === '/engage' ? answer : json(200, { code: 200, status: 'OK' })
  const later = await sent(events, {}, (request) => busy(request, { status: 503 }))
  expect(later.result.outcomes).toEqual([{ kind: 'retry', reason: 'HTTP 503' }, { kind: 'delivered' }])
  const failed_records = [{ index: 0, message: 'the profile is too large' }]
  const refused = await sent(events, {}, (request) => busy(request, json(200, { code: 200, failed_records })))
  expect(refused.result.outcomes).toEqual([
    { kind: 'rejected', reason: 'the profile is too large' },
    { kind: 'delivered' },
  ])
  expect(refused.result.response).toContain('the profile is too large')
})

it('a request that is refused without a name is sent again in halves', async () => {
  const refusal = json(413, { code: 413, error: 'request exceeds max limit of 10485760 bytes' })
  const both = await sent([order, mapped({ messageId: 'm-2' })], {}, () => refusal)
  expect(both.result.outcomes).toEqual({
    kind: 'split',
    reason: 'HTTP 413: request exceeds max limit of 10485760 bytes',
  })
  expect((await sent([order], {}, () => refusal)).result.outcomes).toMatchObject([{ kind: 'rejected' }])
})

it('a success status with a failure in the body is not a success', async () => {
  const unconfirmed = json(200, { status: 0, error: 'token, missing or empty' })
  expect((await sent([order], {}, () => unconfirmed)).result.outcomes).toEqual([
    {
      kind: 'rejected',
      reason: 'Mixpanel did not confirm the request (HTTP 200: token, missing or empty)',
    },
  ])
})

it('the request is recorded as it was sent, without the token', async () => {
  const { result } = await sent([order], {}, () => ({ status: 503 }))
  expect(result.request).toContain('"event":"Order Completed"')
  expect(result.request).toContain('authorization: [redacted]')
  expect(result.request).not.toContain(token)
})

it.each([
  ['first', '/import', ['retry', 'delivered', 'retry']],
  ['in the middle', '/groups', ['delivered', 'retry', 'delivered']],
  ['last', '/engage', ['delivered', 'retry', 'retry']],
])('if the request that Mixpanel refuses for the set-up is %s, the others are sent', async (_, wrong, kinds) => {
  const paths: string[] = []
  const { result } = await sent(
    [
      mapped({ ...ada, messageId: 'm-1', properties: {} }),
      mapped({ ...ada, messageId: 'm-2', type: 'group', groupId: 'acme', traits: { name: 'Acme' } }),
      mapped({ ...ada, messageId: 'm-3', type: 'identify', traits: { plan: 'pro' } }),
    ],
    {},
    (request) => {
      paths.push(request.path)
      return request.path === wrong ? json(403, { code: 403, error: 'No', status: 'Forbidden' }) : documented(request)
    },
  )
  expect(new Set(paths)).toEqual(new Set(['/import', '/groups', '/engage']))
  const held = { kind: 'retry', misconfigured: true, ofEvent: true }
  expect(result.outcomes).toMatchObject(kinds.map((kind) => (kind === 'retry' ? held : { kind })))
})
