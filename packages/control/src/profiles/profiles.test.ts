import { methods } from '@tributary/contract'
import { newId, noMetrics } from '@tributary/kernel'
import { createLearning } from '@tributary/profiles'
import { EventStoreUnavailable } from '@tributary/storage'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
let workspace: string
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const sourceId = newId()
let serial = 0

/** Puts events into the stream and the event store, each a second after the previous one. */
const receive = async (...events: Record<string, unknown>[]): Promise<string[]> => {
  const made = events.map((given) => {
    const number = ++serial
    const time = new Date(harness.now() - 3_600_000 + number * 1000).toISOString()
    const eventId = `0-${number}-0`
    return {
      eventId,
      messageId: `m-${number}`,
      type: 'track',
      event: 'Seen',
      ...given,
      context: {},
      receivedAt: time,
      timestamp: given['timestamp'] ?? time,
    }
  })
  await createLearning({ db: harness.db, metrics: noMetrics })(
    made.map((event) => ({ workspaceId: workspace, sourceId, eventId: event.eventId, json: JSON.stringify(event) })),
  )
  const rows = made.map((event: Record<string, unknown>) =>
    JSON.stringify({
      workspace_id: workspace,
      source_id: sourceId,
      event_id: event.eventId,
      message_id: event.messageId,
      type: event.type,
      event: event.event,
      user_id: event.userId ?? '',
      anonymous_id: event.anonymousId ?? '',
      status: 'accepted',
      receive_time: String(event.receivedAt).replace('T', ' ').slice(0, 23),
      timestamp: String(event.timestamp).replace('T', ' ').slice(0, 23),
      original: '{}',
    }),
  )
  await harness.eventStore.insert('events', rows.join('\n'), { token: newId() })
  return made.map(({ eventId }) => eventId)
}

beforeEach(async () => {
  const { administrator, organization: of } = organization
  const made = await administrator.ok(methods.workspaces.create, {}, { body: { title: newId(), organization: of } })
  workspace = idIn(made.name)
})

const list = (
  query: { search?: string; page_size?: number; page_token?: string } = {},
  caller = organization.collaborator,
) => caller.ok(methods.profiles.list, { workspace }, { query })
const idOf = async (search: string): Promise<string> => idIn((await list({ search })).profiles[0]?.name ?? '')
const get = (profile: string, caller = organization.collaborator) =>
  caller.ok(methods.profiles.get, { workspace, profile })
const eventsOf = async (profile: string): Promise<string[]> =>
  (await organization.collaborator.ok(methods.profiles.listEvents, { workspace, profile })).events.map(
    ({ event_id }) => event_id,
  )
const split = (profile: string, ...values: string[]) => {
  const identifiers = values.map((value) => ({ type: value.startsWith('u') ? 'user_id' : 'anonymous_id', value }))
  return organization.collaborator.call('POST', `/workspaces/${workspace}/profiles/${profile}:split`, { identifiers })
}

describe('the list of profiles', () => {
  test('SEG-11: the list of profiles shows each person once over all pages, the last seen first, with names', async () => {
    await receive({ anonymousId: 'a-1' }, { userId: 'u-1', anonymousId: 'a-1' })
    await receive({ type: 'identify', userId: 'u-2', traits: { name: 'Ada Lovelace', email: 'ada@example.com' } })
    await receive({ anonymousId: 'a-3' })
    const parts = { first_name: 'Grace', last_name: ' Hopper ', email: 'grace@example.com' }
    await receive({ type: 'identify', userId: 'u-4', traits: parts })
    const titles: string[] = []
    let token = ''
    do {
      const page = await list({ page_size: 2, page_token: token })
      titles.push(...page.profiles.map(({ title, email }) => `${title} ${email}`))
      token = page.next_page_token
    } while (token !== '')
    expect(titles).toEqual(['Grace Hopper grace@example.com', 'a-3 ', 'Ada Lovelace ada@example.com', 'u-1 '])
  })

  test('SEG-11: the list of profiles finds a person by any identifier or by the whole latest value of a trait', async () => {
    await receive({
      type: 'identify',
      userId: 'u-1',
      anonymousId: 'a-1',
      traits: { email: 'old@example.com', seats: 12 },
    })
    await receive({ type: 'identify', anonymousId: 'a-1', traits: { email: 'new@example.com', plan: 'team' } })
    await receive({ userId: 'u-2' })
    const found = async (search: string): Promise<string[]> =>
      (await list({ search })).profiles.map(({ name }) => idIn(name))
    const person = await found('u-1')
    expect(person).toHaveLength(1)
    for (const search of ['a-1', 'new@example.com', 'team', '12']) expect(await found(search), search).toEqual(person)
    for (const search of ['old@example.com', 'tea', 'u', "'; select 1", '%'])
      expect(await found(search), search).toEqual([])
  })

  test('the list of profiles is limited to one workspace', async () => {
    await receive({ userId: 'u-1' })
    const id = await idOf('u-1')
    const elsewhere = { workspace: organization.workspaceId }
    expect(
      (await organization.administrator.ok(methods.profiles.list, elsewhere, { query: { search: 'u-1' } })).profiles,
    ).toEqual([])
    const path = `/workspaces/${organization.workspaceId}/profiles/${id}`
    for (const url of [path, `${path}/events`, `${path}/traitHistory?trait=plan`])
      expect((await organization.administrator.call('GET', url)).status).toBe(404)
    const body = { identifiers: [{ type: 'user_id', value: 'u-1' }] }
    expect((await organization.administrator.call('POST', `${path}:split`, body)).status).toBe(404)
  })
})

describe('a profile', () => {
  test('a profile has the latest value of each trait, with its source and event', async () => {
    const [, later] = await receive(
      { type: 'identify', userId: 'u-1', traits: { plan: 'free', age: 1.5 } },
      { type: 'identify', userId: 'u-1', traits: { plan: 'team' } },
    )
    const { traits } = await get(await idOf('u-1'))
    expect(traits.map(({ name, value }) => [name, value])).toEqual([
      ['age', '1.5'],
      ['plan', '"team"'],
    ])
    expect(traits[1]).toMatchObject({
      event: `workspaces/${workspace}/events/${later}`,
      source: `workspaces/${workspace}/sources/${sourceId}`,
    })
  })

  test('a profile was first seen at the earliest event of any of its identifiers, also after a backfill and a merge', async () => {
    await receive({ userId: 'u-1' }, { anonymousId: 'a-1' })
    await receive({ anonymousId: 'a-1', timestamp: '2024-03-01T00:00:00.000Z' }, { userId: 'u-1', anonymousId: 'a-1' })
    await receive({ userId: 'u-1', timestamp: '2025-01-01T00:00:00.000Z' })
    const profile = await get(await idOf('u-1'))
    expect(profile.create_time).toBe('2024-03-01T00:00:00.000Z')
    expect(profile.identifiers.map(({ value, create_time }) => [value, create_time])).toEqual([
      ['u-1', '2025-01-01T00:00:00.000Z'],
      ['a-1', '2024-03-01T00:00:00.000Z'],
    ])
  })

  test('the events of a profile can be listed by the time when they happened', async () => {
    const old = { userId: 'u-1', timestamp: '2024-03-01T00:00:00.000Z' }
    const ids = await receive(
      { userId: 'u-1' },
      old,
      { ...old, timestamp: '2025-01-01T00:00:00.000Z' },
      { userId: 'u-1' },
    )
    const list = async (query: object): Promise<number[]> => {
      const params = { workspace, profile: await idOf('u-1') }
      const { events } = await organization.collaborator.ok(methods.profiles.listEvents, params, { query })
      return events.map(({ event_id }) => ids.indexOf(event_id))
    }
    expect(await list({})).toEqual([3, 2, 1, 0])
    expect(await list({ time_by: 'event_time' })).toEqual([3, 0, 2, 1])
  })

  test('a merged profile returns the profile into which it was merged, whose history names the event', async () => {
    await receive({ anonymousId: 'a-1' }, { userId: 'u-1' })
    const gone = await idOf('u-1')
    const [cause] = await receive({ userId: 'u-1', anonymousId: 'a-1' })
    const profile = await get(gone)
    expect(profile.name).toBe(`workspaces/${workspace}/profiles/${await idOf('a-1')}`)
    expect(profile.history.map(({ change }) => change)).toEqual(['merged', 'created'])
    expect(profile.history[0]).toMatchObject({
      event: `workspaces/${workspace}/events/${cause}`,
      profile: `workspaces/${workspace}/profiles/${gone}`,
      identifiers: [{ type: 'anonymous_id', value: 'a-1' }],
      by: { type: 'user_id', value: 'u-1' },
    })
  })

  test('a profile shows refused identifiers, with the reason', async () => {
    await receive({ userId: 'u-1', anonymousId: 'kiosk' }, { userId: 'u-2', anonymousId: 'kiosk' })
    const { history } = await get(await idOf('u-2'))
    expect(history[0]).toMatchObject({ change: 'refused', reason: 'limit', identifiers: [{ value: 'kiosk' }] })
  })

  test('a profile has the events of its people once each: by user ID, or else by anonymous ID', async () => {
    const [one, two, , four] = await receive(
      { userId: 'u-1', anonymousId: 'kiosk' },
      { anonymousId: 'kiosk' },
      { userId: 'u-2', anonymousId: 'kiosk' },
      { userId: 'null', anonymousId: 'kiosk' },
    )
    expect(await eventsOf(await idOf('u-1'))).toEqual([four, two, one])
    expect(await eventsOf(await idOf('u-2'))).toHaveLength(1)
  })

  test('an unknown profile is 404', async () => {
    for (const id of [newId(), 'x', "'"])
      for (const more of ['', '/events'])
        expect(
          (await organization.administrator.call('GET', `/workspaces/${workspace}/profiles/${id}${more}`)).status,
        ).toBe(404)
  })
})

describe('events of a profile', () => {
  test('events of a profile show their outcome at every destination, by the last attempt', async () => {
    const [first = '', second = ''] = await receive({ userId: 'u-1' }, { userId: 'u-1' })
    const [webhook, store] = [newId(), newId()]
    const time = (seconds: number): number => harness.now() + seconds * 1000
    const attempts = [
      { event_id: first, destination_id: webhook, attempt: 1, status: 'retry', time: time(1) },
      { event_id: first, destination_id: webhook, attempt: 2, status: 'delivered', time: time(2) },
      { event_id: first, destination_id: store, attempt: 1, status: 'dead', time: time(1) },
      { event_id: first, destination_id: newId(), attempt: 1, status: 'delivered', time: time(1), producer: 'sync' },
      { event_id: 'another', destination_id: webhook, attempt: 1, status: 'delivered', time: time(1) },
    ]
    const rows = attempts.map((each) => JSON.stringify({ workspace_id: workspace, source_id: sourceId, ...each }))
    await harness.eventStore.insert('deliveries', rows, { token: newId() })
    const profile = await idOf('u-1')
    const { events } = await organization.guest.ok(methods.profiles.listEvents, { workspace, profile })
    expect(events.map(({ event_id }) => event_id)).toEqual([second, first])
    expect(events[0]?.outcomes).toEqual([])
    const outcomeOf = (destination: string, status: string, attempt: number, at = 0) => ({
      destination: `workspaces/${workspace}/destinations/${destination}`,
      status,
      attempt,
      time: new Date(at).toISOString(),
    })
    const wanted = [
      outcomeOf(webhook, 'delivered', 2, attempts[1]?.time),
      outcomeOf(store, 'dead', 1, attempts[2]?.time),
    ]
    expect(events[1]?.outcomes).toEqual(wanted.toSorted((a, b) => (a.destination < b.destination ? -1 : 1)))
  })
})

describe('the history of a trait', () => {
  const historyOf = async (search: string, trait: string, caller = organization.collaborator) => {
    const params = { workspace, profile: await idOf(search) }
    return (await caller.ok(methods.profiles.getTraitHistory, params, { query: { trait } })).values
  }
  const valuesOf = async (search: string, trait: string): Promise<string[]> =>
    (await historyOf(search, trait)).map(({ value }) => value ?? 'too large')
  const identify = (userId: string, traits: object) => ({ type: 'identify', userId, traits })

  test('the history of a trait has each change, the latest first, with its source and its last event', async () => {
    await receive(identify('u-1', { plan: 'free' }), identify('u-1', { plan: 'team' }))
    const [last] = await receive(identify('u-1', { plan: 'team', seats: 3 }))
    await receive(identify('u-1', { plan: 'free' }))
    expect(await valuesOf('u-1', 'plan')).toEqual(['"free"', '"team"', '"free"'])
    expect(await valuesOf('u-1', 'nothing')).toEqual([])
    const { traits } = await get(await idOf('u-1'))
    expect(traits.map(({ name, changed }) => [name, changed])).toEqual([
      ['plan', true],
      ['seats', false],
    ])
    const masked = await historyOf('u-1', 'plan', organization.guest)
    expect(masked.map(({ value }) => value)).toEqual(['"•••"', '"•••"', '"•••"'])
    expect(masked[1]).toMatchObject({
      event: `workspaces/${workspace}/events/${last}`,
      source: `workspaces/${workspace}/sources/${sourceId}`,
    })
  })

  test('the history of a trait keeps ten earlier values, and a large value only as a note', async () => {
    await receive(...Array.from({ length: 8 }, (_, n) => identify('u-1', { n })))
    for (let n = 8; n < 16; n++) await receive(identify('u-1', { n }))
    expect(await valuesOf('u-1', 'n')).toEqual(Array.from({ length: 11 }, (_, n) => String(15 - n)))
    for (const bio of ['a'.repeat(2000), 'b', 'b']) await receive(identify('u-1', { bio }))
    expect(await valuesOf('u-1', 'bio')).toEqual(['"b"', 'too large'])
  })

  test('the history of a trait covers all identifiers of the profile', async () => {
    await receive({ type: 'identify', anonymousId: 'a-1', traits: { plan: 'free' } })
    await receive(identify('u-1', { plan: 'team' }))
    expect(await valuesOf('u-1', 'plan')).toEqual(['"team"'])
    await receive({ userId: 'u-1', anonymousId: 'a-1' })
    expect(await valuesOf('u-1', 'plan')).toEqual(['"team"', '"free"'])
    expect((await get(await idOf('u-1'))).traits).toMatchObject([{ name: 'plan', changed: true }])
  })
})

describe('events without a profile', () => {
  const coverage = (caller = organization.guest) => caller.ok(methods.profiles.getCoverage, { workspace })

  test('accepted events without a profile are counted by reason, each event once', async () => {
    expect(await coverage()).toMatchObject({ event_count: 0, without_profile: [], reading: null })
    const [, , blocked] = await receive(
      { userId: 'u-1', anonymousId: 'null' },
      { userId: 'null', anonymousId: 'a-1' },
      { userId: '0000', anonymousId: 'anonymous' },
      {},
      {},
      { anonymousId: 'x'.repeat(513) },
      { userId: 'a\ufffdb' },
    )
    const rejected = { workspace_id: workspace, event_id: newId(), status: 'rejected', receive_time: harness.now() }
    await harness.eventStore.insert('events', JSON.stringify(rejected), { token: newId() })
    expect(await coverage()).toMatchObject({
      event_count: 7,
      without_profile: [
        { reason: 'missing', event_count: 2 },
        { reason: 'blocked', event_count: 1 },
        { reason: 'too_long', event_count: 1 },
        { reason: 'not_text', event_count: 1 },
      ],
    })
    const { events } = await organization.guest.ok(methods.events.list, { workspace }, { query: { profile: 'none' } })
    expect(events).toHaveLength(5)
    expect(events.map(({ event_id }) => event_id)).toContain(blocked)
  })
})

test('a call whose queries fail while another query is awaited ends with its error, and the process continues', async () => {
  const { query } = harness.eventStore
  harness.eventStore.query = () => Promise.reject(new EventStoreUnavailable('away'))
  try {
    const { status } = await organization.guest.call('GET', `/workspaces/${workspace}/profileCoverage`)
    expect(status).toBe(503)
  } finally {
    harness.eventStore.query = query
  }
})

describe('a split', () => {
  test('a split makes a profile of the removed identifiers with their events and traits, and the same event does not rejoin', async () => {
    const visit = { userId: 'u-1', anonymousId: 'a-1' }
    await receive(visit, { type: 'identify', anonymousId: 'a-1', traits: { plan: 'free' } })
    const id = await idOf('u-1')
    const reply = await split(id, 'a-1')
    expect(reply).toMatchObject({ status: 200, body: { identifiers: [{ value: 'u-1' }], traits: [] } })
    await receive(visit)
    const made = await idOf('a-1')
    expect(made).not.toBe(id)
    expect(await get(made)).toMatchObject({
      traits: [{ name: 'plan', value: '"free"' }],
      history: [{ change: 'split' }],
    })
    expect(await eventsOf(made)).toHaveLength(1)
    expect(await eventsOf(id)).toHaveLength(2)
    expect((await get(id)).history.slice(0, 2)).toMatchObject([
      { change: 'refused', reason: 'split' },
      { change: 'split', profile: `workspaces/${workspace}/profiles/${made}`, identifiers: [{ value: 'a-1' }] },
    ])
  })

  test('a split is recorded without the values of identifiers', async () => {
    await receive({ userId: 'u-secret', anonymousId: 'a-secret' })
    await split(await idOf('u-secret'), 'a-secret')
    const last = (await harness.audits()).at(-1)
    expect(last).toMatchObject({ action: 'profiles.split', detail: { types: ['anonymous_id'] } })
    expect(JSON.stringify(last)).not.toContain('secret')
  })

  test.each([
    ['of all identifiers', ['u-1', 'a-1'], 'Leave at least one identifier in the profile'],
    ['of somebody else', ['u-2'], 'Choose identifiers of this profile'],
    ['of nothing', [], 'Choose at least one identifier'],
    ['of what no table keeps', ['u\0'], 'Control characters are not allowed'],
  ])('a split %s is rejected, and changes nothing', async (_, values, text) => {
    await receive({ userId: 'u-1', anonymousId: 'a-1' }, { userId: 'u-2' })
    const id = await idOf('u-1')
    const before = await get(id)
    const reply = await split(id, ...values)
    expect(reply.status).toBe(400)
    expect(String(reply.body.message)).toContain(text)
    expect(await get(id)).toEqual(before)
  })
})

test('guests see that profiles exist, and no personal data, wherever profiles are shown', async () => {
  const { guest } = organization
  await receive({
    type: 'identify',
    userId: 'u-personal-1',
    anonymousId: 'a-personal-1',
    traits: { email: 'personal@example.com', name: 'Personal Name' },
  })
  await receive({ userId: 'u-personal-2', anonymousId: 'a-personal-1' })
  const profile = await idOf('u-personal-2')
  const answers = [
    await list({}, guest),
    await get(profile, guest),
    await get(await idOf('u-personal-1'), guest),
    await guest.ok(methods.profiles.listEvents, { workspace, profile }),
    await guest.ok(
      methods.profiles.getTraitHistory,
      { workspace, profile: await idOf('u-personal-1') },
      { query: { trait: 'email' } },
    ),
  ]
  expect(answers[1]).toMatchObject({ masked: true, identifiers: [{ type: 'user_id', value: 'u-•••' }] })
  expect(JSON.stringify(answers).toLowerCase()).not.toContain('personal')
})
