import { methods } from '@tributary/contract'
import { newId, noMetrics } from '@tributary/kernel'
import { createLearning } from '@tributary/profiles'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { trialAudience } from '../testing/requests.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const time = '2026-01-02 00:00:00.000'

test('an export is recorded, and contains the profile, its history, audiences, and events with deliveries, of no other user', async () => {
  const { administrator, workspaceId: workspace } = organization
  const receivedAt = new Date(harness.now()).toISOString()
  const events = Array.from({ length: 5 }, (_, index) => ({
    eventId: `0-${index}-0`,
    type: 'identify',
    userId: index === 3 ? 'u-2' : 'u-1',
    anonymousId: 'a-1',
    traits: { number: index },
    context: { consent: { categoryPreferences: { ads: index < 3, email: true } } },
    receivedAt,
    timestamp: new Date(harness.now() - 10 + index).toISOString(),
  }))
  await createLearning({ db: harness.db, metrics: noMetrics })(
    events.map((each) => ({
      workspaceId: workspace,
      sourceId: newId(),
      eventId: each.eventId,
      json: JSON.stringify(each),
    })),
  )
  const rows = events.map(({ eventId: event_id, userId: user_id, traits }) => ({
    workspace_id: workspace,
    source_id: workspace,
    event_id,
    type: 'identify',
    user_id,
    anonymous_id: 'a-1',
    status: 'accepted',
    receive_time: time,
    timestamp: time,
    original: JSON.stringify({ traits }),
  }))
  await harness.eventStore.insert('events', rows.map((row) => JSON.stringify(row)).join('\n'), { token: newId() })
  const ids = { workspace_id: workspace, source_id: workspace, destination_id: workspace, event_id: '0-1-0' }
  const attempt = { ...ids, time, status: 'dead', request: 'sent', attempt: 1 }
  const together = { ...attempt, time: '2026-01-02 00:00:01.000', request: 'with an event of u-2', attempt: 2 }

  const list = await administrator.ok(methods.profiles.list, { workspace }, { query: { search: 'u-1' } })
  const profile = idIn(list.profiles[0]?.name ?? '')
  const entered = {
    ...attempt,
    producer: 'audience',
    operation: 'event',
    event: 'Audience Entered',
    event_id: 'entered',
    key: profile,
    time: '2026-01-02 00:00:02.000',
    request: 'u-1 entered',
  }
  const deliveries = [attempt, together, { ...together, event_id: '0-3-0' }, entered, { ...entered, key: newId() }]
  await harness.eventStore.insert('deliveries', deliveries.map((each) => JSON.stringify(each)).join('\n'), {
    token: newId(),
  })
  const body = { title: 'Seen', query: trialAudience }
  const audience = (await administrator.ok(methods.audiences.create, { workspace }, { body })).name
  const enter_time = new Date(harness.now())
  await harness.db
    .insertInto('audience_members')
    .values({ audience_id: idIn(audience), profile_id: profile, enter_time })
    .execute()
  const read = (page_token: string) =>
    administrator.ok(methods.profileExports.get, { workspace, profile }, { query: { page_size: 3, page_token } })
  const first = await read('')
  const second = await read(first.next_page_token)
  expect(second.next_page_token).toBe('')
  expect(first.profile).toEqual(await administrator.ok(methods.profiles.get, { workspace, profile }))
  expect(second).toMatchObject({
    profile: null,
    earlier_traits: [],
    audiences: [],
    consents: [],
    audience_deliveries: [],
  })
  expect(first.earlier_traits).toMatchObject([
    { name: 'number', values: [{ value: '2' }, { value: '1' }, { value: '0' }] },
  ])
  expect(first.audiences).toEqual([{ name: audience, title: 'Seen', enter_time: enter_time.toISOString() }])
  const identifier = { type: 'user_id', value: 'u-1' }
  expect(first.consents).toEqual([{ identifier, granted_categories: ['email'], time: events[4]?.timestamp }])
  expect(first.audience_deliveries).toMatchObject([{ event_title: 'Audience Entered', request: '' }])
  const all = [...first.events, ...second.events]
  expect(all.map(({ event_id }) => event_id).toSorted()).toEqual(['0-0-0', '0-1-0', '0-2-0', '0-4-0'])
  const one = all.find(({ event_id }) => event_id === '0-1-0')
  expect(one).toMatchObject({
    payload: { traits: { number: 1 } },
    deliveries: [{ request: 'sent' }, { attempt: 2, request: '' }],
  })
  const records = (await harness.audits()).filter(({ action }) => action === 'profileExports.get')
  expect(records).toMatchObject([{ resource: `workspaces/${workspace}/profiles/${profile}`, workspace_id: workspace }])
})
