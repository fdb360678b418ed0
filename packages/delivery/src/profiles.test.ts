import { setTimeout } from 'node:timers/promises'
import { consentNeed, type ProfileConsent, type ProfileValues, profileLacks } from '@tributary/connector-kit'
import { type PeerAnswer, type PeerRequest, startPeer } from '@tributary/connector-kit/testing'
import type { EventMapping, MappingSource } from '@tributary/contract'
import { deadLetterDestination, eraseParked, eraseParkedProfiles } from '@tributary/storage'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { DestinationEntry, ForgottenUsers } from './ports.ts'
import type { DeliverySettings } from './settings.ts'
import { createFixture, type Fixture, sampleEvent } from './testing.ts'
import { relay } from './testing-connector.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let stack: AsyncDisposableStack
/** The email of each user, by workspace and user ID. */
let emails: Map<string, string>
/** The consent of each user, by workspace and user ID. */
let consents: Map<string, ProfileConsent>
/** The offset before which profiles have read every partition. */
let read: number
let looks: { workspaceId: string; users: (string | undefined)[] }[]
/** What each look-up needed. */
let needed: string[][]
/** Runs during each look-up. */
let during: () => Promise<void>
let fails: boolean
/** Events up to this time belong to a deleted user u1, epoch ms; 0 if no user was deleted. */
let deletedAt: number
let suppressions: number

const consentOf = (user: string, needs: readonly string[]): { consent?: ProfileConsent } => {
  const consent = needs.includes(consentNeed) ? consents.get(user) : undefined
  return consent === undefined ? {} : { consent }
}

const profiles: ProfileValues = {
  hasRead: (_, offset) => read > offset,
  look: async (workspaceId, events, needs) => {
    looks.push({ workspaceId, users: events.map(({ userId }) => userId) })
    needed.push([...needs].toSorted())
    await during()
    if (fails) throw new Error('the database is away')
    return events.map(({ userId }) => {
      const email = emails.get(`${workspaceId} ${userId}`)
      return email === undefined
        ? { json: '{}', lacks: profileLacks.unknown }
        : { json: JSON.stringify({ traits: { email } }), lacks: '', ...consentOf(`${workspaceId} ${userId}`, needs) }
    })
  },
}
const forgotten: ForgottenUsers = {
  until: () => deletedAt,
  version: () => (deletedAt + suppressions === 0 ? '' : String(deletedAt + suppressions)),
  isOf: (_, { userId, receivedAt }) => userId === 'u1' && Date.parse(receivedAt) <= deletedAt,
}

beforeEach(() => {
  stack = new AsyncDisposableStack()
  emails = new Map()
  consents = new Map()
  looks = []
  needed = []
  during = async () => {}
  read = Number.POSITIVE_INFINITY
  fails = false
  deletedAt = 0
  suppressions = 0
})
afterEach(async () => {
  await stack.disposeAsync()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

const open = async (settings: Partial<DeliverySettings> = {}): Promise<void> => {
  const deps = { db: database.db, eventStore: store, connector: relay, forgotten, profiles }
  fixture = stack.adopt(await createFixture({ ...deps, settings: { maintenanceMs: 50, ...settings } }), (made) =>
    made.close(),
  )
}
const say = (userId: string, time: string, ...granted: string[]): void =>
  void consents.set(`${fixture.workspaceId} ${userId}`, { time, granted })
const know = (userId: string, email: string): void => void emails.set(`${fixture.workspaceId} ${userId}`, email)
const peerOf = async (answer: (request: PeerRequest, index: number) => PeerAnswer | Promise<PeerAnswer>) =>
  stack.adopt(await startPeer(answer), (peer) => peer.close())

const base = { display_name: '', is_event_name_key: false, kind: 'custom' } as const
const mappingOf = (source: MappingSource): EventMapping[] => [
  {
    id: 'aaaa',
    enabled: true,
    event_name: '',
    event_type: '',
    filters: [],
    filter_match: 'all',
    destination: 'send',
    field_mappings: [
      {
        id: 'bbbb',
        enabled: true,
        source,
        target: {
          name: 'email',
          display_name: 'Email',
          is_required: false,
          is_recommended: false,
          type: 'any',
          kind: 'custom',
        },
      },
    ],
  },
]
const withProfile: Partial<DestinationEntry> = {
  mappings: mappingOf({ type: 'PROFILE', name: 'traits.email', ...base }),
}
/** The parked rows, without ranges that wait for their profiles. */
const parked = () => database.db.selectFrom('parked_deliveries').selectAll().where('log_end', 'is', null).execute()
type Sent = { messageId: string; payload: { email?: string } }
const sentTo = (peer: { requests: readonly PeerRequest[] }): (string | undefined)[] =>
  peer.requests.flatMap(({ body }) => (JSON.parse(body) as Sent[]).map(({ payload }) => payload.email))
const reasons = async () => (await fixture.attempts()).map(({ status, reason }) => ({ status, reason }))
const later = { retry: { baseMs: 600_000, capMs: 600_000, maxElapsedMs: 4 * 3_600_000 } }
const dueNow = async (id: string): Promise<void> => {
  await database.db.updateTable('parked_deliveries').set({ next_time: new Date() }).execute()
  await fixture.delivery.retryNow(id)
}

it('an email that only the profile has is sent, with one look-up for a batch, of this workspace only', async () => {
  await open()
  know('u1', 'one@example.com')
  know('u2', 'two@example.com')
  emails.set('another u3', 'three@example.com')
  const peer = await peerOf(() => ({ status: 200 }))
  const id = fixture.destination({ url: peer.url, batch: 3 }, withProfile)
  await fixture.append([id], 3, 3, {}, (number) => ({ userId: `u${number + 1}` }))
  await peer.until((requests) => requests.length === 1)
  await fixture.delivery.idle()
  expect(sentTo(peer)).toEqual(['one@example.com', 'two@example.com', undefined])
  expect(looks).toEqual([{ workspaceId: fixture.workspaceId, users: ['u1', 'u2', 'u3'] }])
  expect(await reasons()).toContainEqual({
    status: 'delivered',
    reason: '"Email" (email) is not sent: the profile is not known',
  })
})

it('a destination whose mappings use no profile looks nothing up, and waits for nothing', async () => {
  await open()
  read = 0
  const peer = await peerOf(() => ({ status: 200 }))
  const mappings = mappingOf({ type: 'FIELD', name: 'properties.number', ...base })
  const ids = [fixture.destination({ url: peer.url }, { mappings }), fixture.destination({ url: peer.url })]
  await fixture.append(ids, 5)
  await peer.until((requests) => requests.length === 10)
  expect(looks).toEqual([])
})

it('an event waits until profiles have read it, and another destination of its partition does not', async () => {
  await open()
  know('u1', 'old@example.com')
  read = 0
  const [slow, fast] = [await peerOf(() => ({ status: 200 })), await peerOf(() => ({ status: 200 }))]
  const ids = [fixture.destination({ url: slow.url }, withProfile), fixture.destination({ url: fast.url })]
  const positions = await fixture.append(ids, 3)
  await fast.until((requests) => requests.length === 3)
  expect(slow.requests).toHaveLength(0)
  know('u1', 'new@example.com')
  read = (positions[1]?.offset ?? 0) + 1
  await slow.until((requests) => requests.length === 2)
  expect(sentTo(slow)).toEqual(['new@example.com', 'new@example.com'])
  read++
  await slow.until((requests) => requests.length === 3)
})

it('positions that advance during a look-up do not send later events without the profile', async () => {
  await open()
  know('u1', 'one@example.com')
  read = 0
  const peer = await peerOf(() => ({ status: 200 }))
  const positions = await fixture.append([fixture.destination({ url: peer.url }, withProfile)], 6)
  during = async () => {
    await setTimeout(20)
    read = Number.POSITIVE_INFINITY
  }
  read = (positions[1]?.offset ?? 0) + 1
  await peer.until((requests) => requests.length === 6)
  expect(sentTo(peer)).toEqual(Array.from({ length: 6 }, () => 'one@example.com'))
})

it('mappings that change during a look-up get the values that they need', async () => {
  await open()
  know('u1', 'one@example.com')
  const peer = await peerOf(() => ({ status: 200 }))
  const id = fixture.destination({ url: peer.url }, withProfile)
  let changed = false
  during = async () => {
    if (changed) return
    changed = true
    const value = '{{ profile.traits.name }}-{{ profile.traits.email }}'
    fixture.change(id, { mappings: mappingOf({ type: 'TEMPLATE', value, ...base }) })
    await setTimeout(20)
  }
  await fixture.append([id], 1)
  await peer.until((requests) => requests.length === 1)
  expect(needed).toEqual([['traits.email'], ['traits.email', 'traits.name']])
})

it('the next profiles are looked up before the events of the first look-up are taken', async () => {
  await open()
  const second = Promise.withResolvers<void>()
  during = async () => {
    if (looks.length === 2) second.resolve()
    await second.promise
  }
  const peer = await peerOf(() => ({ status: 200 }))
  const id = fixture.destination({ url: peer.url, batch: 100 }, withProfile)
  for (let number = 0; number < 400; number++) know(`u${number}`, `u${number}@example.com`)
  await fixture.append([id], 400, 100, {}, (number) => ({ userId: `u${number}` }))
  await eventually('all are sent', () => sentTo(peer).length === 400)
  expect(new Set(sentTo(peer)).size).toBe(400)
  expect(looks.slice(0, 2).map(({ users }) => users.length)).toEqual([200, 200])
})

it('a suppression between look-up and sending leaves no values of before it', async () => {
  await open()
  know('u1', 'one@example.com')
  const peer = await peerOf(() => ({ status: 200 }))
  const id = fixture.destination({ url: peer.url }, withProfile)
  during = async () => {
    // Only the first look-up finds the email. The second one runs after the suppression.
    if (looks.length === 1) setImmediate(() => suppressions++)
    await setTimeout(20)
    if (looks.length > 1) emails.clear()
  }
  await fixture.append([id], 1)
  await peer.until((requests) => requests.length === 1)
  expect(sentTo(peer)).toEqual([undefined])
})

it('only events that a mapping with the profile may match are looked up, and wait', async () => {
  await open()
  know('u1', 'one@example.com')
  const peer = await peerOf(() => ({ status: 200 }))
  const [ofOrder] = withProfile.mappings ?? []
  const [ofAll] = mappingOf({ type: 'FIELD', name: 'properties.email', ...base })
  if (ofOrder === undefined || ofAll === undefined) throw new Error('no mappings')
  const mappings = [{ ...ofOrder, event_name: 'Known' }, ofAll]
  const id = fixture.destination({ url: peer.url }, { mappings })
  read = 0
  await fixture.append([id], 3, 1, {}, (number) => ({ event: number === 2 ? 'Known' : 'Page' }))
  await peer.until((requests) => requests.length === 2)
  expect(looks).toEqual([])
  read = Number.POSITIVE_INFINITY
  await peer.until((requests) => requests.length === 3)
  expect(sentTo(peer)).toEqual([undefined, undefined, 'one@example.com'])
  expect(looks.map(({ users }) => users)).toEqual([['u1']])
})

it('an event is sent with the values before it when its wait is over, and says that profiles were behind', async () => {
  await open({ profileWaitMs: 300 })
  know('u1', 'one@example.com')
  read = 0
  const peer = await peerOf(() => ({ status: 200 }))
  const id = fixture.destination({ url: peer.url }, withProfile)
  const began = Date.now()
  await fixture.append([id], 2, 1, {}, (number) => ({ userId: `u${number + 1}` }))
  await peer.until((requests) => requests.length === 2)
  expect(Date.now() - began).toBeGreaterThanOrEqual(290)
  await fixture.delivery.idle()
  expect(sentTo(peer).toSorted()).toEqual(['one@example.com', undefined])
  const reason = '"Email" (email) is not sent: profiles were behind'
  expect((await reasons()).map((each) => each.reason).toSorted()).toEqual(['', reason])
})

it('a store that is away delays events only until their wait is over', async () => {
  await open({ profileWaitMs: 500 })
  fails = true
  const peer = await peerOf(() => ({ status: 200 }))
  await fixture.append([fixture.destination({ url: peer.url }, withProfile)], 1)
  await peer.until((requests) => requests.length === 1)
  expect(sentTo(peer)).toEqual([undefined])
})

const onlyKnown: Partial<DestinationEntry> = {
  mappings: mappingOf({ type: 'CONSTANT', value: 'known', ...base }).map((mapping) => ({
    ...mapping,
    filters: [{ id: 'c001', field: 'profile.traits.email', operator: 'ends_with', value: '@example.com' }],
  })),
}

it('conditions filter events by the profile, and a filtered delivery says why there are no values', async () => {
  await open({ profileWaitMs: 300 })
  know('u1', 'one@example.com')
  know('u2', 'two@example.org')
  const peer = await peerOf(() => ({ status: 200 }))
  const id = fixture.destination({ url: peer.url, batch: 3 }, onlyKnown)
  await fixture.append([id], 3, 3, {}, (number) => ({ userId: `u${number + 1}` }))
  await fixture.delivery.idle()
  expect(sentTo(peer)).toEqual(['known'])
  expect(looks).toHaveLength(1)
  expect((await reasons()).toSorted((a, b) => a.reason.length - b.reason.length)).toEqual([
    { status: 'delivered', reason: '' },
    { status: 'filtered', reason: 'No mapping matches' },
    { status: 'filtered', reason: 'No mapping matches: the profile is not known' },
  ])
})

it('an event waits until profiles have read it if only conditions use the profile', async () => {
  await open()
  read = 0
  const peer = await peerOf(() => ({ status: 200 }))
  const [position] = await fixture.append([fixture.destination({ url: peer.url }, onlyKnown)], 1)
  know('u1', 'one@example.com')
  read = (position?.offset ?? 0) + 1
  await peer.until((requests) => requests.length === 1)
})

it('conditions see the first values in each retry, and none of a user who was suppressed since', async () => {
  await open(later)
  know('u1', 'one@example.com')
  know('u2', 'two@example.com')
  let status = 503
  const peer = await peerOf(() => ({ status }))
  const id = fixture.destination({ url: peer.url, batch: 2 }, onlyKnown)
  await fixture.append([id], 2, 2, {}, (number) => ({ userId: `u${number + 1}` }))
  await eventually('both wait', async () => (await parked()).some(({ event_count }) => event_count === 2))
  emails.delete(`${fixture.workspaceId} u1`)
  know('u2', 'two@example.org')
  suppressions = 1
  const before = peer.requests.length
  status = 200
  await dueNow(id)
  await eventually('nothing is parked', async () => (await parked()).length === 0)
  expect(sentTo({ requests: peer.requests.slice(before) })).toEqual(['known'])
  await fixture.delivery.idle()
  expect(await reasons()).toContainEqual({
    status: 'filtered',
    reason: 'No mapping matches: the profile is not known',
  })
})

it('a destination that requires consent filters by the profile only with the consent of the event', async () => {
  await open()
  know('u1', 'one@example.com')
  const peer = await peerOf(() => ({ status: 200 }))
  const id = fixture.destination({ url: peer.url, batch: 2 }, { ...onlyKnown, consentCategories: ['ads'] })
  await fixture.append([id], 2, 2, {}, (number) => ({
    context: number === 0 ? { consent: { categoryPreferences: { ads: true } } } : {},
  }))
  await fixture.delivery.idle()
  expect(sentTo(peer)).toEqual(['known'])
  expect((await reasons()).map(({ reason }) => reason).toSorted()).toEqual([
    'No mapping matches: no consent allows values of the profile',
    "values of the profile by the event's consent",
  ])
})

it('a replay without the profile waits for nothing and looks nothing up, also in a retry', async () => {
  await open(later)
  know('u1', 'one@example.com')
  read = 0
  let status = 503
  const peer = await peerOf(() => ({ status }))
  const id = fixture.destination({ url: peer.url }, withProfile)
  const replayId = '0198c5f2-0000-7000-8000-000000000001'
  await fixture.append([id], 1, 1, { p: replayId, u: true })
  await eventually('it waits', async () => (await parked()).some(({ attempts }) => attempts === 1))
  expect((await parked()).map(({ profile }) => profile)).toEqual([null])
  status = 200
  await dueNow(id)
  await eventually('nothing is parked', async () => (await parked()).length === 0)
  await fixture.delivery.idle()
  expect(sentTo(peer)).toEqual([undefined, undefined])
  expect(looks).toEqual([])
  expect(await reasons()).toContainEqual({
    status: 'delivered',
    reason: '"Email" (email) is not sent: the replay uses no profile',
  })
  const filtering = fixture.destination({ url: peer.url }, onlyKnown)
  await fixture.append([filtering], 1, 1, { p: replayId, u: true })
  const filtered = { status: 'filtered', reason: 'No mapping matches: the replay uses no profile' }
  await eventually('it is filtered', async () => (await reasons()).some(({ reason }) => reason === filtered.reason))
})

it('each retry sends the first values, also after a restart, although the profile changed', async () => {
  await open(later)
  know('u1', 'first@example.com')
  let status = 503
  const peer = await peerOf(() => ({ status }))
  const id = fixture.destination({ url: peer.url }, withProfile)
  await fixture.append([id], 1)
  await eventually('it waits', async () => (await parked()).some(({ attempts }) => attempts === 1))
  expect((await parked()).map(({ profile }) => profile)).toEqual([
    {
      [sampleEvent(0).eventId]: {
        json: '{"traits":{"email":"first@example.com"}}',
        lacks: '',
        needs: ['traits.email'],
        version: '',
      },
    },
  ])
  know('u1', 'second@example.com')
  await dueNow(id)
  await eventually('it waits again', async () => (await parked()).some(({ attempts }) => attempts === 2))
  await fixture.restart()
  status = 200
  await dueNow(id)
  await eventually('nothing is parked', async () => (await parked()).length === 0)
  expect(sentTo(peer)).toEqual(['first@example.com', 'first@example.com', 'first@example.com'])
  expect(looks).toHaveLength(1)
})

it('a mapping that needs more of the profile looks it up again for a retry', async () => {
  await open(later)
  know('u1', 'first@example.com')
  let status = 503
  const peer = await peerOf(() => ({ status }))
  const id = fixture.destination({ url: peer.url }, withProfile)
  await fixture.append([id], 1)
  await eventually('it waits', async () => (await parked()).some(({ attempts }) => attempts === 1))
  know('u1', 'second@example.com')
  const value = '{{ profile.traits.name | default: profile.traits.email }}'
  fixture.change(id, { mappings: mappingOf({ type: 'TEMPLATE', value, ...base }) })
  status = 200
  await dueNow(id)
  await eventually('nothing is parked', async () => (await parked()).length === 0)
  expect(sentTo(peer).at(-1)).toBe('second@example.com')
})

it('values of a deleted user are not sent, and leave the parked row', async () => {
  await open(later)
  know('u1', 'one@example.com')
  know('u2', 'two@example.com')
  let status = 503
  const peer = await peerOf(() => ({ status }))
  const id = fixture.destination({ url: peer.url, batch: 2 }, withProfile)
  await fixture.append([id], 2, 2, {}, (number) => ({ userId: `u${number + 1}` }))
  await eventually('both wait', async () => (await parked()).some(({ event_count }) => event_count === 2))
  await eraseParked(database.db, fixture.workspaceId, [sampleEvent(0).eventId])
  expect((await parked()).map(({ profile }) => Object.keys(profile ?? {}))).toEqual([[sampleEvent(1).eventId]])
  deletedAt = Date.parse('2026-01-02T00:00:00.000Z')
  await fixture.delivery.forget()
  const before = peer.requests.length
  know('u1', 'returned@example.com')
  know('u2', 'changed@example.com')
  status = 200
  await dueNow(id)
  await eventually('nothing is parked', async () => (await parked()).length === 0)
  expect(sentTo({ requests: peer.requests.slice(before) })).toEqual(['two@example.com'])
})

it('values of a suppressed user are not sent by a retry, and others keep the first values', async () => {
  await open(later)
  know('u1', 'one@example.com')
  know('u2', 'two@example.com')
  let status = 503
  const peer = await peerOf(() => ({ status }))
  const id = fixture.destination({ url: peer.url, batch: 2 }, withProfile)
  await fixture.append([id], 2, 2, {}, (number) => ({ userId: `u${number + 1}` }))
  await eventually('both wait', async () => (await parked()).some(({ event_count }) => event_count === 2))
  emails.delete(`${fixture.workspaceId} u1`)
  know('u2', 'changed@example.com')
  suppressions = 1
  const before = peer.requests.length
  status = 200
  await dueNow(id)
  await eventually('nothing is parked', async () => (await parked()).length === 0)
  expect(sentTo({ requests: peer.requests.slice(before) })).toEqual([undefined, 'two@example.com'])
})

it('dead letters and erased rows of producers have no values of profiles', async () => {
  await open(later)
  know('u1', 'one@example.com')
  const peer = await peerOf(() => ({ status: 503 }))
  const ids = [fixture.destination({ url: peer.url }, withProfile), fixture.destination({ url: peer.url }, withProfile)]
  await fixture.append(ids, 1, 1, { b: { k: 'trait', n: 'traits', e: ['u1'] } })
  await eventually('both wait', async () => (await parked()).length === 2)
  const profilesOf = async () => (await parked()).map(({ profile }) => profile !== null)
  expect(await profilesOf()).toEqual([true, true])
  await deadLetterDestination(database.db, ids[0] ?? '', 'The destination was deleted')
  expect((await profilesOf()).toSorted()).toEqual([false, true])
  await eraseParkedProfiles(database.db, fixture.workspaceId)
  expect(await profilesOf()).toEqual([false, false])
})

it('a destination that requires consent gets values of the profile by the consent of the event or of the profile', async () => {
  await open()
  const users = ['u1', 'u2', 'u3', 'u4', 'u5']
  for (const user of users) know(user, `${user}@example.com`)
  const [before, after] = ['2025-12-31T00:00:00.000Z', '2099-01-01T00:00:00.000Z']
  say('u2', before, 'ads')
  say('u4', after)
  say('u5', before)
  const peer = await peerOf(() => ({ status: 200 }))
  const id = fixture.destination({ url: peer.url, batch: 4 }, { ...withProfile, consentCategories: ['ads'] })
  const given = [{ ads: true }, undefined, { ads: false }, { ads: true }, undefined]
  await fixture.append([id], 5, 5, {}, (number) => {
    const categoryPreferences = given[number]
    const context = categoryPreferences === undefined ? {} : { consent: { categoryPreferences } }
    return { userId: users[number] ?? '', context }
  })
  await eventually('all are delivered', async () => sentTo(peer).length === 4)
  await fixture.delivery.idle()
  expect(sentTo(peer)).toEqual(['u1@example.com', 'u2@example.com', undefined, undefined])
  expect(looks).toHaveLength(1)
  expect((await reasons()).map(({ reason }) => reason).toSorted()).toEqual(
    [
      "values of the profile by the event's consent",
      `values of the profile by the profile's consent of ${before}`,
      'No consent for ads',
      `"Email" (email) is not sent: the profile's consent of ${after} allows no values of it`,
      `"Email" (email) is not sent: the profile's consent of ${before} allows no values of it`,
    ].toSorted(),
  )
})

it('a retry uses the latest consent of the profile, with the values of the first attempt', async () => {
  await open(later)
  for (const user of ['u1', 'u2']) {
    know(user, `${user}@example.com`)
    say(user, '2025-12-31T00:00:00.000Z', 'ads')
  }
  let status = 503
  const peer = await peerOf(() => ({ status }))
  const id = fixture.destination({ url: peer.url, batch: 2 }, { ...withProfile, consentCategories: ['ads'] })
  await fixture.append([id], 2, 2, {}, (number) => ({ userId: `u${number + 1}` }))
  await eventually('it waits', async () => (await parked()).some(({ attempts }) => attempts === 1))
  say('u1', '2026-02-01T00:00:00.000Z')
  know('u2', 'changed@example.com')
  const before = peer.requests.length
  status = 200
  await dueNow(id)
  await eventually('nothing is parked', async () => (await parked()).length === 0)
  expect(sentTo({ requests: peer.requests.slice(before) })).toEqual([undefined, 'u2@example.com'])
})
