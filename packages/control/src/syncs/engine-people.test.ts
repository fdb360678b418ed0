import { methods, peopleTables, type SyncMode, type SyncRun } from '@tributary/contract'
import { newId, setFaultHandler } from '@tributary/kernel'
import { afterAll, afterEach, expect, inject, test } from 'vitest'
import { idIn } from '../testing/control-harness.ts'
import { receiveEvents } from '../testing/receive-events.ts'
import { trialAudience } from '../testing/requests.ts'
import { startSyncEngine } from '../testing/sync-engine.ts'

const engine = await startSyncEngine(inject('postgresUrl'))
const { peer, harness, organization, delivery } = engine
afterEach(engine.calm)
afterAll(() => engine[Symbol.asyncDispose]())

let workspaces = 0

/** Makes a workspace with an audience of users with an email, and a sync from it to a table of people. */
const openPeople = async (
  mode: SyncMode,
  of: 'audience' | 'all',
  identifier = 'user_id',
  fieldsOf: (audience: string) => { column: string; target: string }[] = () => [],
) => {
  const { administrator, organization: owner } = organization
  const made = await administrator.ok(
    methods.workspaces.create,
    {},
    { body: { title: `People ${++workspaces}`, organization: owner } },
  )
  const workspace = idIn(made.name)
  const table = `members${workspaces}`
  const settings = { ...peer.access, tls: 'off' }
  const people = await administrator.ok(
    methods.dataSources.create,
    { workspace },
    { body: { title: 'People', app: { name: 'catalogDataSources/profiles' } } },
  )
  const destination_ = await administrator.ok(
    methods.destinations.create,
    { workspace },
    {
      body: {
        title: 'Copy',
        app: { name: 'catalogDestinations/postgresql' },
        settings: { ...settings, schema: 'synced' },
      },
    },
  )
  await receiveEvents(harness, workspace, [
    { type: 'identify', userId: 'ada', traits: { email: 'ada@example.com', plan: 'pro', age: 36 } },
    { type: 'identify', userId: 'bob', traits: { email: 'bob@example.com', plan: 'free' } },
    { type: 'identify', userId: 'cyd', traits: { plan: 'free' } },
  ])
  const audience = await administrator.ok(
    methods.audiences.create,
    { workspace },
    { body: { title: 'Reachable', query: trialAudience } },
  )
  const audienceIds = { workspace, audience: idIn(audience.name) }
  const compute = async (): Promise<void> => {
    const { version } = await administrator.ok(methods.audiences.get, audienceIds)
    await harness.computeAudience({ audience: audienceIds.audience, version }, { signal: new AbortController().signal })
  }
  await compute()
  const query =
    of === 'all'
      ? { schema: peopleTables.profiles.schema, table: peopleTables.profiles.name }
      : { schema: peopleTables.audiences, table: audienceIds.audience }
  const model = await administrator.ok(
    methods.models.create,
    { workspace },
    { body: { title: 'Reachable', data_source: people.name, query, primary_key: ['profile_id'] } },
  )
  const fields = [
    ...['user_id', 'email', 'plan', 'age'].map((name) => ({ column: name, target: name })),
    ...fieldsOf(audienceIds.audience),
  ]
  const sync = await administrator.ok(
    methods.syncs.create,
    { workspace },
    {
      body: {
        title: 'Reachable',
        model: model.name,
        destination: destination_.name,
        object: 'table',
        object_name: table,
        mode,
        identifier,
        fields,
        guard_percent: 100,
      },
    },
  )
  const params = { workspace, sync: idIn(sync.name) }
  return {
    workspace,
    people,
    model,
    sync,
    audience,
    audienceIds,
    compute,
    params,
    destination: idIn(destination_.name),
    run: async () => {
      await administrator.ok(methods.syncs.run, params, { body: {} })
      await harness.runSync({ sync: params.sync }, { signal: new AbortController().signal, attempt: 3 })
      return (await administrator.ok(methods.syncRuns.list, params)).runs[0]
    },
    there: () =>
      peer.query<Record<string, unknown>>(`select user_id, email, plan, age from synced.${table} order by user_id`),
    /** Removes a user from the audience. */
    leave: async (user: string) => {
      await harness.db
        .deleteFrom('audience_members')
        .where('audience_id', '=', audienceIds.audience)
        .where('profile_id', 'in', (select) =>
          select
            .selectFrom('profile_identifiers')
            .select('profile_id')
            .where('workspace_id', '=', workspace)
            .where('value', '=', user),
        )
        .execute()
    },
  }
}

test('a sync of all profiles has memberships of audiences as columns, which change with the members', async () => {
  const columnOf = (audience: string) => `audiences.${audience}`
  const people = await openPeople('UPSERT_ONLY', 'all', 'user_id', (audience) => [
    { column: columnOf(audience), target: 'reachable' },
  ])
  expect(people.model.columns.at(-1)).toEqual({
    name: columnOf(people.audienceIds.audience),
    type: 'boolean',
    title: 'In Reachable',
  })
  const members = async () => {
    const rows = await peer.query<{ user_id: string; reachable: unknown }>(
      `select user_id, reachable from synced.members${workspaces} order by user_id`,
    )
    return rows.map(({ user_id, reachable }) => [user_id, reachable])
  }
  const { administrator } = organization
  await people.run()
  expect(await members()).toEqual([
    ['ada', 'true'],
    ['bob', 'true'],
    ['cyd', 'false'],
  ])
  await people.leave('ada')
  // An audience that no field names changes no row.
  await administrator.ok(
    methods.audiences.create,
    { workspace: people.workspace },
    { body: { title: 'Other', query: trialAudience } },
  )
  expect(await people.run()).toMatchObject({ state: 'succeeded', counts: { read: 3, changed: 1, added: 0 } })
  expect(await members()).toContainEqual(['ada', 'false'])
  await administrator.ok(methods.audiences.delete, people.audienceIds)
  expect(await people.run()).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('has no column audiences.'),
  })
})

/** The rows of the stores of syncs that contain a text. */
const mentions = async (text: string): Promise<string[]> => {
  const found: string[] = []
  for (const table of [
    'sync_staged',
    'sync_listed',
    'sync_changes',
    'sync_outcomes',
    'sync_confirmed',
    'deliveries',
    'erased_events',
  ]) {
    const rows = await harness.eventStore.query(`select * from ${table}`, {}, { owner: 'system' })
    if (rows.some((row) => JSON.stringify(row).includes(text))) found.push(table)
  }
  for (const table of ['sync_dry_runs', 'parked_deliveries', 'privacy_syncs', 'sync_runs'] as const) {
    const rows = await harness.db.selectFrom(table).selectAll().execute()
    if (rows.some((row) => JSON.stringify(row).includes(text))) found.push(table)
  }
  return found
}

/** A deletion of a user of a workspace of people, which is done when its job is. */
const deleteUser = async (workspace: string, value: string) => {
  const { administrator } = organization
  const identifiers = [{ type: 'user_id', value }]
  const made = await administrator.ok(
    methods.privacyRequests.create,
    { workspace },
    { body: { kind: 'delete', identifiers } },
  )
  return {
    work: () => harness.erasePeople({ request: idIn(made.name) }, { signal: new AbortController().signal }),
    deliveries: async () => {
      const ids = { workspace, privacy_request: idIn(made.name) }
      const { places } = await administrator.ok(methods.privacyRequests.get, ids)
      const place = places.find(({ place }) => place === 'deliveries')
      return [place?.state, place?.last_error]
    },
  }
}

/** Puts rows of a sync that were sent together into the log and the failures of deliveries. */
const logDeliveries = async (
  { workspace, params, destination: to }: Awaited<ReturnType<typeof openPeople>>,
  run: SyncRun,
  keys: readonly string[],
) => {
  const rows = keys.map((key, index) => ({
    workspace_id: workspace,
    source_id: params.sync,
    destination_id: to,
    event_id: `${idIn(run.name)}.${1000 + index}`,
    key,
    producer: 'sync',
    time: '2026-01-02 03:04:05.000',
    status: 'dead',
    request: keys.join(),
    response: keys.join(),
  }))
  const lines = rows.map((row) => JSON.stringify(row))
  await harness.eventStore.insert('deliveries', lines, { token: newId() })
  await harness.db
    .insertInto('parked_deliveries')
    .values(
      rows.map(({ event_id, key }, index) => ({
        id: newId(),
        workspace_id: workspace,
        source_id: params.sync,
        destination_id: to,
        log_partition: 0,
        log_offset: 1000 * workspaces + index,
        event_ids: [event_id],
        event_indexes: [0],
        event_count: 1,
        state: 'dead' as const,
        first_time: new Date(),
        next_time: new Date(),
        last_reason: `no ${key}`,
        request: key,
        response: key,
      })),
    )
    .execute()
}

/** Users with devices, who have been known by another email. */
const know = async (workspace: string, users: readonly string[]): Promise<void> => {
  for (const user of users)
    await receiveEvents(harness, workspace, [
      { anonymousId: `${user}-device` },
      { type: 'identify', userId: user, traits: { email: `${user}@old.example`, plan: 'pro' } },
      { type: 'identify', userId: user, anonymousId: `${user}-device`, traits: { email: `${user}@new.example` } },
    ])
}

test("after a deletion, a sync keeps only the user's mirrored key until the next run removes the row", async () => {
  const people = await openPeople('FULL_SYNC', 'all')
  const { administrator } = organization
  await know(people.workspace, ['zoe', 'yan'])
  const run = await people.run()
  if (run === undefined) throw new Error('There is no run')
  await logDeliveries(people, run, ['zoe', 'yan'])
  const dry = await administrator.ok(methods.syncDryRuns.createForSync, people.params, { body: { resync: true } })
  await harness.dryRunSync({ dry_run: idIn(dry.name) }, { signal: new AbortController().signal, attempt: 1 })
  const stores = ['sync_staged', 'sync_changes', 'sync_confirmed', 'deliveries', 'sync_dry_runs', 'parked_deliveries']
  expect(await mentions('zoe')).toEqual(stores)
  const deletion = await deleteUser(people.workspace, 'zoe')
  for (const point of ['erasure.before-sync-rows', 'erasure.after-sync-rows']) {
    setFaultHandler((name) => {
      if (name !== point) return
      setFaultHandler(undefined)
      throw new Error(`broken off at ${point}`)
    })
    await expect(deletion.work()).rejects.toThrow(point)
  }
  await deletion.work()
  expect(await mentions('zoe')).toEqual(['sync_confirmed', 'privacy_syncs'])
  expect(await mentions('yan')).toEqual(stores.filter((store) => store !== 'sync_dry_runs'))
  expect(await deletion.deliveries()).toEqual(['running', 'Waiting for a run of Reachable'])
  const there = async () => (await people.there()).map(({ user_id }) => user_id)
  expect(await there()).toContain('zoe')
  expect(await people.run()).toMatchObject({ state: 'succeeded', counts: { read: 4, removed: 1 } })
  expect(await there()).toEqual(['ada', 'bob', 'cyd', 'yan'])
  expect(await mentions('zoe')).toContain('sync_changes')
  await harness.finishPrivacyRequests()
  expect(await mentions('zoe')).toEqual([])
  expect(await mentions('yan')).toContain('sync_confirmed')
  expect(await deletion.deliveries()).toEqual(['done', ''])
})

test('a running sync does not send a user deleted meanwhile, and all stored keys of the user are removed afterwards', async () => {
  const people = await openPeople('UPSERT_ONLY', 'all', 'email')
  const { administrator } = organization
  await know(people.workspace, ['xia', 'wim'])
  const known = { sync_id: people.params.sync, key: 'xia@old.example', hash: 'x'.repeat(16), held: 1, version: 1 }
  await harness.eventStore.insert('sync_confirmed', [JSON.stringify(known)], { token: newId() })
  await administrator.ok(methods.syncs.run, people.params, { body: {} })
  setFaultHandler((name) => {
    if (name === 'sync.after-plan') throw new Error('broken off')
  })
  const job = { sync: people.params.sync }
  const run = { signal: new AbortController().signal, attempt: 1 }
  await expect(harness.runSync(job, run)).rejects.toThrow('broken off')
  setFaultHandler(undefined)
  const [first] = (await administrator.ok(methods.syncRuns.list, people.params)).runs
  const id = idIn(first?.name ?? '')
  const { n } = (
    await harness.eventStore.query<{ n: number }>(
      "select countIf(operation != '') as n from sync_changes where run_id = {id:String}",
      { id },
      { owner: 'system' },
    )
  )[0] ?? { n: 0 }
  await harness.db.updateTable('sync_runs').set({ state: 'sending', plan_size: n }).where('id', '=', id).execute()
  const deletion = await deleteUser(people.workspace, 'xia')
  await deletion.work()
  expect(await deletion.deliveries()).toEqual(['running', 'Waiting for a run of Reachable'])
  await harness.runSync(job, run)
  expect(delivery.state.sent.join()).toContain('wim')
  expect(delivery.state.sent.join()).not.toContain('xia')
  await harness.finishPrivacyRequests()
  expect(await mentions('xia')).toEqual([])
  expect(await mentions('wim')).toEqual(['sync_staged', 'sync_changes', 'sync_confirmed'])
  expect(await deletion.deliveries()).toEqual(['done', ''])
})

test.each([
  ['FULL_SYNC', ['ada']],
  ['UPSERT_ONLY', ['ada', 'bob']],
  ['INSERT_ONLY', ['ada', 'bob']],
] as const)(
  'an audience is synced with its traits; in %s, a former member is kept or removed as the mode defines',
  async (mode, left) => {
    const people = await openPeople(mode, 'audience')
    expect(people.model).toMatchObject({ audience: { name: people.audience.name, title: 'Reachable', state: 'live' } })
    expect(await people.run()).toMatchObject({ state: 'succeeded', counts: { read: 2, added: 2 } })
    const [ada] = await people.there()
    expect({ ...ada, age: Number(ada?.age) }).toEqual({
      user_id: 'ada',
      email: 'ada@example.com',
      plan: 'pro',
      age: 36,
    })
    await people.leave('bob')
    expect(await people.run()).toMatchObject({ state: 'succeeded', counts: { read: 1 } })
    expect((await people.there()).map(({ user_id }) => user_id)).toEqual(left)
  },
)

test('all profiles except suppressed users are synced, and tables of another workspace are not found', async () => {
  const people = await openPeople('FULL_SYNC', 'all')
  expect(await people.run()).toMatchObject({ counts: { read: 3, added: 3 } })
  const { administrator } = organization
  const { workspace } = people
  await administrator.ok(
    methods.privacyRequests.create,
    { workspace },
    { body: { kind: 'suppress', identifiers: [{ type: 'user_id', value: 'bob' }] } },
  )
  expect(await people.run()).toMatchObject({ state: 'succeeded', counts: { read: 2, removed: 1 } })
  expect((await people.there()).map(({ user_id }) => user_id)).toEqual(['ada', 'cyd'])
  const listed_ = await administrator.ok(methods.dataSources.listTables, {
    workspace,
    data_source: idIn(people.people.name),
  })
  expect(listed_.tables.map(({ title }) => title)).toEqual(['All profiles', 'Reachable'])
  const other = await openPeople('FULL_SYNC', 'all')
  const query = { schema: peopleTables.audiences, table: other.audienceIds.audience }
  const path = `/${people.people.name}:preview`
  expect(await administrator.call('POST', path, { query })).toMatchObject({
    status: 400,
    body: { message: 'There is no such audience' },
  })
})

test('a failed audience fails its run with the reason, a paused one keeps members, and deletion removes model and sync', async () => {
  const people = await openPeople('FULL_SYNC', 'audience')
  const { administrator } = organization
  await people.run()
  const set = (state: 'failed' | 'paused') =>
    harness.db
      .updateTable('audiences')
      .set({ state, failure: state === 'failed' ? 'Too many profiles.' : '' })
      .where('id', '=', people.audienceIds.audience)
      .execute()
  await set('failed')
  delivery.state.sent.length = 0
  expect(await people.run()).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('The audience Reachable failed. Too many profiles.'),
  })
  expect(delivery.state.sent).toEqual([])
  await set('paused')
  expect(await people.run()).toMatchObject({ state: 'succeeded', counts: { unchanged: 2 } })
  expect(people.sync.model.audience).toBe(people.audience.name)
  expect(await administrator.ok(methods.audiences.get, people.audienceIds)).toMatchObject({
    destination_count: 0,
    sync_count: 1,
  })
  await administrator.ok(methods.audiences.delete, people.audienceIds)
  expect(await administrator.call('GET', `/${people.model.name}`)).toMatchObject({ status: 404 })
  expect(await administrator.call('GET', `/${people.sync.name}`)).toMatchObject({ status: 404 })
})
