import { type ComputedTraitDefinition, computedTraitLimits, methods } from '@tributary/contract'
import { newId, noMetrics, silentLogger } from '@tributary/kernel'
import { createComputedChanges, createLearning, createOwnersProjection } from '@tributary/profiles'
import { EventStoreLimitExceeded, EventStoreUnavailable } from '@tributary/storage'
import { eventually } from '@tributary/test-kit'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { compileAudience } from '../../../audiences/src/compile.ts'
import { type ComputedTraitWorker, createComputedTraitWorker } from '../../../audiences/src/computed-traits/worker.ts'
import { noSets, profilesQuery } from '../../../audiences/src/evaluate.ts'
import {
  type ComputedTraitCache,
  createComputedTraitCache,
} from '../../../configuration/src/caches/computed-trait-cache.ts'
import { readPersonTraits } from '../profile-api/read-person.ts'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { trialAudience, trialComputedTrait } from '../testing/requests.ts'

let harness: Harness
let organization: Organization
let workspace: string
let cache: ComputedTraitCache
let worker: ComputedTraitWorker
let owners: ReturnType<typeof createOwnersProjection>
/** How far the worker's clock is ahead of the API's, ms. Sessions expire by the API's clock. */
let ahead = 0
/** The error that the event store returns, if set. */
let broken: Error | undefined
/** The workspaces of the queries that the event store received, in their order. */
let askedFor: string[] = []
/** The profiles whose computed values changed, as the worker noted them; 'all' if any may have. */
let changed: string[] = []
/** The offset below which requests are stored. */
let storedUpTo = Number.POSITIVE_INFINITY

beforeAll(async () => {
  harness = await startControl()
  const { db, eventStore, database } = harness
  const { query } = eventStore
  eventStore.query = (...call) => {
    askedFor.push(call[2]?.owner ?? '')
    return broken === undefined ? query(...call) : Promise.reject(broken)
  }
  organization = await startOrganization(harness)
  cache = createComputedTraitCache({ db, pool: database.pool, logger: silentLogger })
  await cache.start()
  owners = createOwnersProjection({ db, eventStore, logger: silentLogger })
  worker = createComputedTraitWorker(workerDeps())
})
const workerDeps = () => ({
  db: harness.db,
  eventStore: harness.eventStore,
  cache,
  ends: async () => [1_000_000],
  isStored: (_: number, offset: number) => offset <= storedUpTo,
  bringOwners: () => owners.catchUp(),
  changes: { note: (ids: readonly string[]) => void changed.push(...ids), noteAll: () => void changed.push('all') },
  clock: () => harness.now() + ahead,
  logger: silentLogger,
  metrics: noMetrics,
})
afterAll(async () => {
  await worker.stop()
  await owners.stop()
  await cache.stop()
  await harness[Symbol.asyncDispose]()
})
beforeEach(async () => {
  broken = undefined
  changed = []
  ahead = 0
  storedUpTo = Number.POSITIVE_INFINITY
  await makeWorkspace()
})
const makeWorkspace = async (): Promise<void> => {
  const { administrator, organization: of } = organization
  const made = await administrator.ok(methods.workspaces.create, {}, { body: { title: newId(), organization: of } })
  workspace = idIn(made.name)
}

/** The number of requests so far. It is the offset in the IDs of events. */
let serial = 0

/** Puts an event into the stream and the event store, received a minute ago. */
const receive = async (given: {
  userId: string
  event?: string
  properties?: object
  traits?: object
}): Promise<void> => {
  const { userId, event = '', properties = {}, traits = {} } = given
  const type = event === '' ? 'identify' : 'track'
  const [eventId, at] = [`0-${++serial}-0`, new Date(harness.now() - 60_000).toISOString()]
  const stored = at.replace('T', ' ').slice(0, 23)
  const row = {
    workspace_id: workspace,
    source_id: newId(),
    event_id: eventId,
    message_id: eventId,
    type,
    event,
    user_id: userId,
    status: 'accepted',
    properties,
    traits,
    receive_time: stored,
    timestamp: stored,
    original: '{}',
  }
  await harness.eventStore.insert('events', JSON.stringify(row), { token: newId() })
  const json = JSON.stringify({
    eventId,
    messageId: eventId,
    type,
    event,
    userId,
    properties,
    traits,
    context: {},
    receivedAt: at,
    timestamp: at,
  })
  const accepted = [{ workspaceId: workspace, sourceId: row.source_id, eventId, json }]
  await createLearning({ db: harness.db, metrics: noMetrics })(accepted)
  await createComputedChanges({ db: harness.db, computed: cache })(accepted, 0)
}

const order = (userId: string, total: number) => receive({ userId, event: 'Order Completed', properties: { total } })
const totals: ComputedTraitDefinition = { ...trialComputedTrait, operation: 'sum', property: 'total' }

const create = (trait: string, definition = trialComputedTrait) =>
  organization.collaborator.ok(methods.computedTraits.create, { workspace }, { body: { trait, definition } })
const get = (name: string) =>
  organization.guest.ok(methods.computedTraits.get, { workspace, computed_trait: idIn(name) })
const compute = async (): Promise<void> => {
  await cache.refresh()
  await worker.catchUp()
}
const profileOf = async (search: string, caller = organization.collaborator) => {
  // A guest cannot find a profile by a value, so a collaborator searches.
  const { profiles } = await organization.collaborator.ok(methods.profiles.list, { workspace }, { query: { search } })
  return await caller.ok(methods.profiles.get, { workspace, profile: idIn(profiles[0]?.name ?? '') })
}
const traitsOf = async (search: string): Promise<Record<string, unknown>> =>
  Object.fromEntries((await profileOf(search)).traits.map(({ name, value }) => [name, value]))

test('a computed trait is created, listed, changed, and deleted with its values; each change leaves an audit record', async () => {
  const { collaborator, guest } = organization
  await order('ada', 20)
  const made = await create('orders')
  expect(made).toMatchObject({
    trait: 'orders',
    definition: trialComputedTrait,
    version: 1,
    state: 'computing',
    as_of: null,
  })
  await compute()
  expect(await get(made.name)).toMatchObject({ state: 'live', profile_count: 1, progress: null, failure: '' })
  expect((await get(made.name)).as_of).not.toBeNull()
  const { computed_traits } = await guest.ok(methods.computedTraits.list, { workspace })
  expect(computed_traits.map(({ name }) => name)).toEqual([made.name])
  const params = { workspace, computed_trait: idIn(made.name) }
  const body = { definition: totals, version: 1 }
  const mask = { query: { update_mask: 'definition' }, body }
  expect(await collaborator.ok(methods.computedTraits.update, params, mask)).toMatchObject({
    version: 2,
    state: 'computing',
  })
  // Another member has changed it meanwhile.
  const late = await collaborator.call('PATCH', `/${made.name}?update_mask=definition`, {
    ...body,
    definition: trialComputedTrait,
  })
  expect(late).toMatchObject({ status: 409, body: { reason: 'COMPUTED_TRAIT_CHANGED' } })
  await compute()
  expect(await traitsOf('ada')).toEqual({ orders: '20' })
  await collaborator.ok(methods.computedTraits.delete, params)
  expect((await collaborator.call('GET', `/${made.name}`)).status).toBe(404)
  const again = { trait: 'orders', definition: totals }
  expect(await collaborator.call('POST', `/workspaces/${workspace}/computedTraits`, again)).toMatchObject({
    status: 409,
  })
  await compute()
  expect(await traitsOf('ada')).toEqual({})
  expect((await create('orders')).state).toBe('computing')
  const records = (await harness.audits()).filter(({ resource }) => resource === made.name)
  expect(records.map(({ action }) => action)).toEqual([
    'computedTraits.create',
    'computedTraits.update',
    'computedTraits.delete',
  ])
})

test('a definition without a property to sum, with a name that events use, or beyond the maximum is refused with advice', async () => {
  const path = `/workspaces/${workspace}/computedTraits`
  const post = (trait: string, definition: object) =>
    organization.collaborator.call('POST', path, { trait, definition })
  expect(await post('total', { ...totals, property: '' })).toMatchObject({ status: 400 })
  expect(await post('total', { ...totals, window_days: 8 })).toMatchObject({ status: 400 })
  expect(await post('to[t]al', totals)).toMatchObject({ status: 400 })
  const moving = { id: 'aaaa', name: 'due', valueType: 'date', operator: 'within_last', value: '3', values: [] }
  expect(await post('total', { ...totals, conditions: [moving] })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('Choose a comparison that does not depend on the current date') },
  })
  await receive({ userId: 'ada', traits: { plan: 'team' } })
  const taken = await post('plan', totals)
  expect(taken).toMatchObject({
    status: 409,
    body: { message: 'Events already send the trait plan. Choose another name' },
  })
  for (let n = 0; n < computedTraitLimits.traits; n++) await create(`trait ${n}`)
  expect(await post('total', totals)).toMatchObject({
    status: 400,
    body: { reason: 'LIMIT_REACHED', message: 'A workspace can have at most 25 computed traits' },
  })
  expect(await post('trait 0', totals)).toMatchObject({ status: 400 })
})

test('a preview shows the values that saving will store, for the profiles with the latest matching events', async () => {
  await order('ada', 20)
  await order('grace', 5)
  await order('ada', 0.1)
  await receive({ userId: 'bob', event: 'Order Completed', properties: { total: 'none' } })
  await receive({ userId: 'eve', event: 'Seen', properties: { total: 7 } })
  const { sample } = await organization.collaborator.ok(
    methods.computedTraits.preview,
    { workspace },
    { body: { definition: totals } },
  )
  expect(
    new Map(sample.map(({ profile, value, has_value }) => [profile.title, has_value ? value : undefined])),
  ).toEqual(
    new Map([
      ['ada', '20.1'],
      ['grace', '5'],
      ['bob', undefined],
    ]),
  )
  await create('revenue', totals)
  await compute()
  for (const { profile, value, has_value } of sample)
    expect(await traitsOf(profile.title)).toEqual(has_value ? { revenue: value } : {})
})

test('a computed value works as a trait in search, audiences, and the Profile API, is marked computed, and is masked', async () => {
  const made = await create('revenue', totals)
  await compute()
  await order('ada', 20)
  await order('ada', 22.5)
  await compute()
  const { traits } = await profileOf('42.5')
  expect(traits).toMatchObject([{ name: 'revenue', value: '42.5', source: made.name, event: '', changed: false }])
  expect((await profileOf('ada', organization.guest)).traits).toMatchObject([{ name: 'revenue', value: '"•••"' }])
  const asked = { type: 'user_id', value: 'ada' }
  expect(await readPersonTraits(harness.database.pool, workspace, asked, null)).toEqual([
    { name: 'revenue', value: '42.5' },
  ])
  const query = structuredClone(trialAudience)
  const [attribute] = query.groups.aaaa?.segments[0]?.queries[0]?.selectedAttributes ?? []
  Object.assign(attribute ?? {}, { name: 'revenue', valueType: 'number', operator: 'greater_than', value: '42' })
  const { profiles } = compileAudience(query, { workspaceId: workspace, asOf: harness.now(), queryOf: () => undefined })
  const { rows } = await harness.db.executeQuery(profilesQuery(profiles, noSets, { text: 'select id from members' }))
  expect(rows).toHaveLength(1)
  // A value that an event sends later under the name is not shown instead.
  await receive({ userId: 'ada', traits: { revenue: 1 } })
  expect(await traitsOf('ada')).toEqual({ revenue: '42.5' })
})

test('audiences evaluate the profiles whose computed value changed, also when a computed trait is deleted', async () => {
  const { collaborator } = organization
  await collaborator.ok(methods.audiences.create, { workspace }, { body: { title: 'Anyone', query: trialAudience } })
  await order('ada', 20)
  const made = await create('revenue', totals)
  const heard = async (): Promise<number> => {
    const { numDeletedRows } = await harness.db
      .deleteFrom('audience_touches')
      .where('workspace_id', '=', workspace)
      .executeTakeFirst()
    return Number(numDeletedRows)
  }
  await heard()
  await compute()
  expect(await heard()).toBe(1)
  ahead += 25 * 3_600_000
  await compute()
  expect(await heard()).toBe(0)
  await collaborator.ok(methods.computedTraits.delete, { workspace, computed_trait: idIn(made.name) })
  await compute()
  expect(await heard()).toBe(1)
})

test('the worker notes the profiles whose computed value changed, and no others, and all of a deleted trait', async () => {
  await order('ada', 20)
  await order('bob', 30)
  const ids = new Map<string, string>()
  for (const who of ['ada', 'bob']) ids.set(who, idIn((await profileOf(who)).name))
  const made = await create('revenue', totals)
  await compute()
  expect(changed.toSorted()).toEqual([...ids.values()].toSorted())
  changed = []
  await order('ada', 1)
  await order('bob', 0)
  await compute()
  expect(changed).toEqual([ids.get('ada')])
  changed = []
  await organization.collaborator.ok(methods.computedTraits.delete, { workspace, computed_trait: idIn(made.name) })
  await compute()
  expect(changed).toContain('all')
})

test('a profile whose event is not stored yet is computed after the event is stored, without delaying other profiles', async () => {
  await create('revenue', totals)
  await order('ada', 20)
  await order('grace', 5)
  await compute()
  await order('ada', 1)
  storedUpTo = serial + 1
  await order('grace', 1)
  await worker.catchUp()
  expect([await traitsOf('ada'), await traitsOf('grace')]).toEqual([{ revenue: '21' }, { revenue: '5' }])
  storedUpTo = serial + 1
  await worker.catchUp()
  expect(await traitsOf('grace')).toEqual({ revenue: '6' })
})

test('a new definition is computed for all profiles once all earlier events are stored', async () => {
  await order('ada', 20)
  storedUpTo = 999_999
  const { name } = await create('revenue', totals)
  await compute()
  expect(await get(name)).toMatchObject({ state: 'computing', progress: { done_count: 0 } })
  storedUpTo = 1_000_000
  await worker.catchUp()
  expect(await traitsOf('ada')).toEqual({ revenue: '20' })
})

test('workspaces with much to compute take turns', async () => {
  const own: string[] = []
  for (let n = 0; n < 2; n++) {
    if (n > 0) await makeWorkspace()
    own.push(workspace)
    for (const trait of ['a', 'b', 'c']) await create(trait, { ...totals, window_days: null })
  }
  await compute()
  for (workspace of own) await order('ada', 1)
  askedFor = []
  const other = createComputedTraitWorker({ ...workerDeps(), everyMs: 10, turnMs: 0 })
  other.start()
  await eventually('all to be computed', async () => {
    const { rows } = await sql`select from computed_trait_changes c join computed_traits t on t.id = c.trait_id
      where t.workspace_id = any(${own}::uuid[])`.execute(harness.db)
    return rows.length === 0
  })
  await other.stop()
  const turns = askedFor.filter((id) => own.includes(id))
  expect(turns).toHaveLength(6)
  expect(turns.some((id, index) => id === turns[index - 1])).toBe(false)
})

test('an event that leaves the time window stops counting at that time, without another event', async () => {
  await order('ada', 20)
  await create('orders', { ...trialComputedTrait, window_days: 7 })
  await compute()
  const later = async (ms: number): Promise<Record<string, unknown>> => {
    ahead = ms
    // The daily computation of all profiles is prevented.
    await harness.db
      .updateTable('computed_traits')
      .set({ compute_time: new Date(harness.now() + ms) })
      .execute()
    await worker.catchUp()
    return await traitsOf('ada')
  }
  const week = 7 * 86_400_000
  expect(await later(week - 120_000)).toEqual({ orders: '1' })
  expect(await later(week)).toEqual({})
})

test('while the event store is unavailable, values stay and show their time; then they are recomputed', async () => {
  const made = await create('revenue', totals)
  await order('ada', 20)
  await compute()
  const { as_of } = await get(made.name)
  harness.advance(60_000)
  await order('ada', 1)
  broken = new EventStoreUnavailable('away')
  await expect(worker.catchUp()).rejects.toThrow('away')
  expect(await traitsOf('ada')).toEqual({ revenue: '20' })
  expect((await get(made.name)).as_of).toBe(as_of)
  broken = undefined
  await worker.catchUp()
  expect(await traitsOf('ada')).toEqual({ revenue: '21' })
  expect(Date.parse((await get(made.name)).as_of ?? '')).toBeGreaterThan(Date.parse(as_of ?? ''))
})

test('a too expensive definition shows advice, does not block other definitions, and is retried', async () => {
  await order('ada', 20)
  const made = await create('revenue', totals)
  broken = new EventStoreLimitExceeded('bytes', 'too much')
  await compute()
  expect(await get(made.name)).toMatchObject({
    state: 'failed',
    failure: 'Computing it reads too many events. Choose a shorter window or a rarer event',
  })
  broken = undefined
  await worker.catchUp()
  expect((await get(made.name)).state).toBe('failed')
  harness.advance(11 * 60_000)
  await worker.catchUp()
  expect(await get(made.name)).toMatchObject({ state: 'live', failure: '' })
  expect(await traitsOf('ada')).toEqual({ revenue: '20' })
})

test('events after a suppression do not count; they count within a day after the suppression is lifted', async () => {
  const { administrator } = organization
  await order('ada', 20)
  await create('revenue', totals)
  await compute()
  harness.advance(120_000)
  const body = { kind: 'suppress' as const, identifiers: [{ type: 'user_id', value: 'ada' }] }
  await administrator.ok(methods.privacyRequests.create, { workspace }, { body })
  harness.advance(120_000)
  await order('ada', 1)
  ahead += 25 * 3_600_000
  await worker.catchUp()
  expect(await traitsOf('ada')).toEqual({ revenue: '20' })
  const { suppressions } = await administrator.ok(methods.suppressions.list, { workspace })
  await administrator.ok(methods.suppressions.delete, { workspace, suppression: idIn(suppressions[0]?.name ?? '') })
  ahead += 25 * 3_600_000
  await worker.catchUp()
  expect(await traitsOf('ada')).toEqual({ revenue: '21' })
})

test('a deleted profile loses its computed values, and gets no new ones', async () => {
  await order('ada', 20)
  await order('grace', 5)
  const made = await create('revenue', totals)
  await compute()
  harness.advance(120_000)
  const body = { kind: 'delete' as const, identifiers: [{ type: 'user_id', value: 'ada' }] }
  await organization.administrator.ok(methods.privacyRequests.create, { workspace }, { body })
  await worker.catchUp()
  ahead += 25 * 3_600_000
  await worker.catchUp()
  expect((await get(made.name)).profile_count).toBe(1)
  expect(await traitsOf('grace')).toEqual({ revenue: '5' })
})

test('a new computed trait is suggested for audience conditions before it has values; a deleted one is not', async () => {
  await receive({ userId: 'u-1', traits: { plan: 'team' } })
  const { name } = await create('revenue', totals)
  const suggested = async () => {
    const query = { kind: 'trait' } as const
    return (await organization.collaborator.ok(methods.audiences.suggest, { workspace }, { query })).suggestions
  }
  expect(await suggested()).toEqual([
    { text: 'revenue', type: 'number' },
    { text: 'plan', type: 'text' },
  ])
  await order('u-1', 12)
  await compute()
  expect((await suggested()).filter(({ text }) => text === 'revenue')).toEqual([{ text: 'revenue', type: 'number' }])
  const params = { workspace, computed_trait: idIn(name) }
  await organization.collaborator.ok(methods.computedTraits.delete, params)
  await compute()
  expect(await suggested()).toEqual([{ text: 'plan', type: 'text' }])
})

test.each<[string, readonly (object | undefined)[], { first?: unknown; last?: unknown; unique?: string }]>([
  [
    'passed over where it is missing',
    [{}, { plan: 'a' }, { plan: 'b' }, {}],
    { first: '"a"', last: '"b"', unique: '2' },
  ],
  [
    'passed over where it is null',
    [{ plan: null }, { plan: 'a' }, { plan: null }],
    { first: '"a"', last: '"a"', unique: '1' },
  ],
  [
    'a value where it is empty, false, or zero',
    [{ plan: '' }, { plan: 'a' }, { plan: false }, { plan: 0 }],
    { first: '""', last: '0', unique: '4' },
  ],
  [
    'a value where it is a list, of which null is one',
    [{ plan: ['a'] }, { plan: 'b' }, { plan: ['a', null] }],
    { first: '["a"]', last: '["a",null]', unique: '3' },
  ],
  ['no value where no event has it', [{}, { plan: null }], {}],
])('for first, last, and distinct values, a property is %s', async (_, events, expected) => {
  for (const properties of events)
    await receive({ userId: 'ada', event: 'Plan Seen', properties: { n: 1, ...properties } })
  const definition = { ...trialComputedTrait, event: 'Plan Seen', property: 'plan', conditions: [] }
  for (const [trait, operation] of [
    ['first', 'first'],
    ['last', 'last'],
    ['unique', 'unique_count'],
  ] as const)
    await create(trait, { ...definition, operation })
  await compute()
  expect(await traitsOf('ada')).toEqual(expected)
})

test('an unreadable definition of a later version is skipped, and other computed traits stay known', async () => {
  const { administrator } = organization
  const body = (trait: string) => ({ body: { trait, definition: trialComputedTrait } })
  const strange = await administrator.ok(methods.computedTraits.create, { workspace }, body('strange'))
  const own = await administrator.ok(methods.computedTraits.create, { workspace }, body('own'))
  const definition = JSON.stringify({ ...trialComputedTrait, operation: 'of_a_later_version' })
  await harness.db.updateTable('computed_traits').set({ definition }).where('id', '=', idIn(strange.name)).execute()
  const later = createComputedTraitCache({ db: harness.db, pool: harness.database.pool, logger: silentLogger })
  await later.start()
  try {
    expect(later.knows(workspace, idIn(own.name), 1)).toBe(true)
    expect(later.knows(workspace, idIn(strange.name), 1)).toBe(false)
  } finally {
    await later.stop()
    await harness.db.deleteFrom('computed_traits').where('id', '=', idIn(strange.name)).execute()
  }
})
