import { methods } from '@tributary/contract'
import { newId, noMetrics, silentLogger } from '@tributary/kernel'
import { createLearning, createOwnersProjection } from '@tributary/profiles'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const sourceId = newId()
let serial = 0

const received = '2026-03-01T00:00:00.000Z'

/** Stores an event; profiles receive the accepted ones. */
const receive = async (
  workspaceId: string,
  ids: { userId?: string; anonymousId?: string },
  row: Record<string, unknown> = {},
): Promise<string> => {
  const eventId = `0-${++serial}-0`
  const stored = {
    workspace_id: workspaceId,
    source_id: sourceId,
    event_id: eventId,
    message_id: newId(),
    type: 'track',
    user_id: ids.userId ?? '',
    anonymous_id: ids.anonymousId ?? '',
    status: 'accepted',
    receive_time: received.replace('T', ' ').slice(0, 23),
    original: '{}',
    ...row,
  }
  await harness.eventStore.insert('events', JSON.stringify(stored), { token: newId() })
  const json = JSON.stringify({
    eventId,
    type: 'track',
    ...ids,
    context: {},
    receivedAt: received,
    timestamp: received,
  })
  if (stored.status === 'accepted')
    await createLearning({ db: harness.db, metrics: noMetrics })([{ workspaceId, sourceId, eventId, json }])
  return eventId
}

const settle = async (): Promise<void> => {
  const projection = createOwnersProjection({ db: harness.db, eventStore: harness.eventStore, logger: silentLogger })
  await projection.catchUp()
  await projection.stop()
}

/** Profiles as usage counts them, and as home and the page of a source do for the same time. */
const counts = async (): Promise<{ usage: number; home: number; source: number }> => {
  const { guest, organizationId, workspaceId } = organization
  await settle()
  const { profiles } = await guest.ok(methods.organizations.getUsage, { organization: organizationId })
  const totalOf = async (of: { source?: string }): Promise<number> => {
    const query = {
      metric: 'profiles',
      granularity: 'total',
      'start_date.seconds': Date.parse(received) / 1000 - 86_400,
      'end_date.seconds': Date.parse(received) / 1000 + 10 * 86_400,
      ...of,
    } as const
    return (await guest.ok(methods.metrics.get, { workspace: workspaceId }, { query }))['total'] ?? -1
  }
  const [home, source] = await Promise.all([totalOf({}), totalOf({ source: sourceName })])
  return { usage: profiles, home, source }
}

let sourceName = ''

test('ORG-05, NAV-05: usage and home count each profile with an accepted event exactly once, after merges and splits', async () => {
  const { administrator, collaborator, workspaceId: workspace } = organization
  const made = await administrator.ok(
    methods.sources.create,
    { workspace },
    { body: { title: 'Shop', app: { name: 'catalogSources/http' } } },
  )
  sourceName = made.name
  const ofSource = { source_id: idIn(made.name) }
  expect(await counts()).toEqual({ usage: 0, home: 0, source: 0 })
  /** The events without a profile, which are those that are counted. */
  const listed = async () =>
    (await collaborator.ok(methods.events.list, { workspace }, { query: { profile: 'none' } })).events
  const total = ({ without_profile: reasons }: { without_profile: readonly { event_count: number }[] }): number =>
    reasons.reduce((sum, { event_count }) => sum + event_count, 0)

  await receive(workspace, { anonymousId: 'a' }, ofSource)
  await receive(workspace, { userId: 'u' })
  expect(await counts()).toEqual({ usage: 2, home: 2, source: 1 })
  await receive(workspace, { userId: 'u', anonymousId: 'a' })
  expect(await counts(), 'the device became the user').toEqual({ usage: 1, home: 1, source: 1 })

  await receive(workspace, { userId: 'test' }, { test: true })
  await receive(workspace, { userId: 'rejected' }, { status: 'rejected' })
  await receive(workspace, { userId: 'blocked' }, { status: 'blocked' })
  const replayed = await receive(workspace, { userId: 'replayed' }, { status: 'blocked', message_id: 'm-replayed' })
  await receive(workspace, { userId: 'replayed' }, { message_id: 'm-replayed' })
  await harness.eventStore.insert(
    'replayed_events',
    JSON.stringify({
      workspace_id: workspace,
      source_id: sourceId,
      event_id: replayed,
      time: '2026-03-01 00:00:00.000',
    }),
    { token: newId() },
  )
  await receive(workspace, { userId: 'null', anonymousId: '0' })
  await receive(workspace, {})
  await receive(organization.otherWorkspaceId, { userId: 'somebody else' })
  expect(await counts(), 'nothing of these counts').toEqual({ usage: 1, home: 1, source: 1 })

  const { profiles } = await collaborator.ok(methods.profiles.list, { workspace }, { query: { search: 'u' } })
  const profile = idIn(profiles[0]?.name ?? '')
  const identifiers = [{ type: 'anonymous_id', value: 'a' }]
  await collaborator.ok(methods.profiles.split, { workspace, profile }, { body: { identifiers } })
  expect(await counts(), 'split').toEqual({ usage: 2, home: 2, source: 1 })

  const people = ['u', 'w'].map((value) => ({ type: 'user_id', value }))
  await administrator.ok(
    methods.privacyRequests.create,
    { workspace },
    { body: { kind: 'suppress', identifiers: people } },
  )
  const later = new Date(harness.now() + 1000).toISOString().replace('T', ' ').slice(0, 23)
  for (const { value } of people) await receive(workspace, { userId: value }, { receive_time: later })
  expect(await counts(), 'what came after a suppression').toEqual({ usage: 2, home: 2, source: 1 })
  const coverage = await collaborator.ok(methods.profiles.getCoverage, { workspace })
  expect(coverage.without_profile).toContainEqual({ reason: 'suppressed', event_count: 2 })
  expect(await listed()).toHaveLength(total(coverage))
  const { suppressions } = await administrator.ok(methods.suppressions.list, { workspace }, { query: { search: 'w' } })
  const suppression = idIn(suppressions[0]?.name ?? '')
  await administrator.ok(methods.suppressions.delete, { workspace, suppression })
  expect(await counts(), 'a suppression that was lifted').toEqual({ usage: 3, home: 3, source: 1 })

  const block = (values: string[]) =>
    collaborator.call('PATCH', `/workspaces/${workspace}/identitySettings?update_mask=blocked_values`, {
      blocked_values: values,
    })
  expect((await block(['Kiosk', 'null'])).status).toBe(200)
  for (const userId of ['kiosk', ' KIOSK ']) await receive(workspace, { userId, anonymousId: 'a' })
  await receive(workspace, { userId: 'null', anonymousId: 'a' })
  await receive(workspace, { userId: 'u', anonymousId: 'kiosk' })
  expect(await counts(), 'a value that the workspace blocks').toEqual({ usage: 3, home: 3, source: 1 })
  const blocking = await collaborator.ok(methods.profiles.getCoverage, { workspace })
  expect(blocking.without_profile).toContainEqual({ reason: 'blocked', event_count: 3 })
  expect(await listed()).toHaveLength(total(blocking))
  await block([])
  expect(await counts(), 'and no longer does').toEqual({ usage: 4, home: 4, source: 1 })

  harness.advance(2000)
  const [, deleted] = people
  await administrator.ok(
    methods.privacyRequests.create,
    { workspace },
    { body: { kind: 'delete', identifiers: deleted === undefined ? [] : [deleted] } },
  )
  expect(await counts(), 'a deletion, before its job').toEqual({ usage: 3, home: 3, source: 1 })

  await harness.eventStore.command(
    `insert into events (workspace_id, event_id, type, user_id, status, receive_time)
     select {workspace:String}, concat('many-', toString(number)), 'track', concat('many-', toString(number % 20000)),
       'accepted', {time:DateTime64(3)} from numbers(40000)`,
    { workspace, time: received.slice(0, 19) },
  )
  expect(await counts(), 'no estimate').toEqual({ usage: 20_003, home: 20_003, source: 1 })
})
