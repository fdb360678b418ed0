import { type DeliveryMeta, methods, type OutboundRow, type PrivacyKind } from '@tributary/contract'
import { newId, noMetrics, setFaultHandler } from '@tributary/kernel'
import { createLearning, rebuildProfiles } from '@tributary/profiles'
import { EventStoreUnavailable } from '@tributary/storage'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createErasure } from '../../../privacy/src/erase.ts'
import { createDestinationNotices } from '../../../privacy/src/notify-destinations.ts'
import {
  type Harness,
  idIn,
  listed,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
  testDestination,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
let workspace: string
/** Replaces parts of the event store that the deletion job uses. */
const stored = {
  fails: false,
  commands: [] as string[],
  /** Functions that run while deliveries learn of deleted users, and after events were removed. */
  delivering: async (): Promise<void> => {},
  removing: async (): Promise<void> => {},
}
/** The workspace in which deleting profiles fails. */
let refusing = ''
beforeAll(async () => {
  const eraser = { ...testDestination, slug: 'eraser', title: 'Eraser', deletesUsers: true as const }
  const lacking = { ...eraser, slug: 'lacking', title: 'Lacking', deletesUsers: () => 'no access token' }
  harness = await startControl({ catalog: { ...testCatalog, destinations: listed(testDestination, eraser, lacking) } })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const makeWorkspace = async (): Promise<string> => {
  const { administrator, organization: of } = organization
  return idIn(
    (await administrator.ok(methods.workspaces.create, {}, { body: { title: newId(), organization: of } })).name,
  )
}
beforeEach(async () => {
  stored.fails = false
  stored.commands = []
  stored.delivering = stored.removing = async () => {}
  refusing = ''
  workspace = await makeWorkspace()
})

afterEach(() => setFaultHandler(undefined))
/** Interrupts the next work that reaches this point, once. */
const breakAt = (point: string): void =>
  setFaultHandler((name) => {
    if (name !== point) return
    setFaultHandler(undefined)
    throw new Error(`broken off at ${point}`)
  })

type Given = Record<string, unknown>
let serial = 0
/** The rows in the stream. */
const streamed: { meta: DeliveryMeta; rows: OutboundRow[] }[] = []
const textOf = (time: number): string => new Date(time).toISOString()
const columnTime = (time: number): string => textOf(time).replace('T', ' ').slice(0, 23)

/** Events as stream and event store have them. */
const make = (events: readonly Given[], time = harness.now()) =>
  events.map((given): Given & { eventId: string; receivedAt: string } => {
    const number = ++serial
    return {
      eventId: `0-${number}-0`,
      messageId: `m-${number}`,
      type: 'track',
      event: 'Seen',
      ...given,
      context: {},
      receivedAt: textOf(time),
      timestamp: textOf(time),
    }
  })
const learn = (made: ReturnType<typeof make>, of = workspace) =>
  createLearning({ db: harness.db, metrics: noMetrics })(
    made.map((event) => ({ workspaceId: of, sourceId: of, eventId: event.eventId, json: JSON.stringify(event) })),
  )
const store = async (made: ReturnType<typeof make>, of = workspace): Promise<void> => {
  const rows = made.map((event) => ({
    workspace_id: of,
    source_id: of,
    event_id: event.eventId,
    message_id: event['messageId'],
    type: event['type'],
    event: event['event'],
    user_id: event['userId'] ?? '',
    anonymous_id: event['anonymousId'] ?? '',
    status: event['status'] ?? 'accepted',
    receive_time: columnTime(Date.parse(event.receivedAt)),
    timestamp: columnTime(Date.parse(event.receivedAt)),
    original: JSON.stringify({ userId: event['userId'], traits: event['traits'] }),
  }))
  await harness.eventStore.insert('events', rows.map((row) => JSON.stringify(row)).join('\n'), { token: newId() })
}
/** Receives events. */
const receive = async (...events: Given[]): Promise<string[]> => {
  const made = make(events)
  await learn(made)
  await store(made)
  return made.map(({ eventId }) => eventId)
}

const asked = (kind: PrivacyKind, ...values: string[]) => ({
  kind,
  identifiers: values.map((value) => ({ type: value.startsWith('a-') ? 'anonymous_id' : 'user_id', value })),
})
const request = (kind: PrivacyKind, ...values: string[]) =>
  organization.administrator.ok(methods.privacyRequests.create, { workspace }, { body: asked(kind, ...values) })
const get = (name: string) =>
  organization.administrator.ok(methods.privacyRequests.get, { workspace, privacy_request: idIn(name) })
/** Does what the job of a request does. */
const erase = (name: string): Promise<void> => {
  const { db, eventStore } = harness
  const failing = {
    ...eventStore,
    command(text: string, params?: Record<string, unknown>) {
      stored.commands.push(text)
      if (stored.fails) return Promise.reject(new EventStoreUnavailable('away'))
      const done = eventStore.command(text, params)
      return text.startsWith('alter table events') ? done.then(() => stored.removing()) : done
    },
  }
  const job = createErasure({
    db,
    eventStore: failing,
    profileLedger: {
      ...harness.profileLedger,
      forgetValues: (of, request) =>
        of === refusing ? Promise.reject(new Error('refused')) : harness.profileLedger.forgetValues(of, request),
    },
    whenStored: async () => {},
    forgetInDeliveries: () => stored.delivering(),
    notifyDestinations: createDestinationNotices({
      db,
      stream: {
        async appendGroup(entries) {
          for (const { meta, body } of entries)
            streamed.push({ meta: JSON.parse(meta), rows: JSON.parse(Buffer.from(body).toString()) })
          return undefined
        },
      },
    }),
    clock: harness.now,
    // In this test, destinations respond when a test says so.
    outcomesWaitMs: 0,
  })
  return job({ request: idIn(name) }, { signal: new AbortController().signal })
}
const found = async (search: string): Promise<string[]> =>
  (await organization.administrator.ok(methods.profiles.list, { workspace }, { query: { search } })).profiles.map(
    ({ name }) => idIn(name),
  )
const events = async (): Promise<string[]> =>
  (await organization.administrator.ok(methods.events.list, { workspace }, { query: {} })).events.map(
    ({ event_id }) => event_id,
  )
const suppressed = async (search = '') =>
  (await organization.administrator.ok(methods.suppressions.list, { workspace }, { query: { search } })).suppressions

/** Every row of every table of both databases, as text. */
const everything = async (): Promise<string> => {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
    where table_schema in ('public', 'jobs') and table_type = 'BASE TABLE'`.execute(harness.db)
  const texts: string[] = []
  for (const { name } of rows) {
    const { rows: found } = await sql<{ text: string | null }>`
      select string_agg(t::text, ' ') as text from ${sql.raw(name)} t`.execute(harness.db)
    texts.push(found[0]?.text ?? '')
  }
  for (const table of ['events', 'deliveries', 'replayed_events', 'erased_events'])
    texts.push(JSON.stringify(await harness.eventStore.query(`select * from ${table}`, {}, { owner: 'system' })))
  return texts.join('\n')
}
const profileSets = async (): Promise<unknown[]> =>
  (
    await sql`select i.profile_id, i.type, i.value, i.sequence, p.merged_into from profile_identifiers i
      join profiles p on p.workspace_id = i.workspace_id and p.id = i.profile_id
      where i.workspace_id = ${workspace}::uuid order by i.sequence`.execute(harness.db)
  ).rows

describe('a deletion', () => {
  test('a deletion hides the user from all lists, exports, and replays immediately, and a rebuild does not restore the user', async () => {
    const { administrator } = organization
    const app = { name: 'catalogDestinations/webhook' }
    const made = await administrator.ok(
      methods.destinations.create,
      { workspace },
      { body: { title: 'Archive', app, settings: {} } },
    )
    const replayed = async (): Promise<number> => {
      const body = { kind: 'history', start_time: textOf(0), end_time: textOf(harness.now() + 1000) } as const
      const params = { workspace, destination: idIn(made.name) }
      return (await administrator.ok(methods.replays.preview, params, { body })).event_count
    }
    const own = await receive(
      { anonymousId: 'a-1' },
      { type: 'identify', userId: 'u-1', anonymousId: 'a-1', traits: { email: 'ada@example.com' } },
    )
    const [other] = await receive({ userId: 'u-2' })
    const [profile = ''] = await found('u-1')
    expect(await replayed()).toBe(3)
    expect(await request('delete', 'a-1')).toMatchObject({ state: 'running', identifier_count: 1, profile_count: 1 })
    for (const search of ['u-1', 'a-1', 'ada@example.com']) expect(await found(search), search).toEqual([])
    expect(await events()).toEqual([other])
    expect(await replayed()).toBe(1)
    const pages = ['', '/events', '/audiences', '/traitHistory?trait=email', ':export'].map(
      (part) => `profiles/${profile}${part}`,
    )
    for (const path of [...pages, ...own.map((id) => `events/${id}`)])
      expect((await administrator.call('GET', `/workspaces/${workspace}/${path}`)).status, path).toBe(404)
    await rebuildProfiles(harness.db, workspace)
    expect(await found('u-1')).toEqual([])
    expect(await found('u-2')).toHaveLength(1)
  })

  test('a deletion leaves no value of the user in any table of either database', async () => {
    await receive(
      { type: 'identify', userId: 'u-secret', anonymousId: 'a-secret', traits: { email: 'secret@example.com' } },
      { userId: 'u-2', anonymousId: 'a-secret' },
    )
    await store(make([{ userId: 'u-secret', status: 'rejected' }]))
    const made = make([{ userId: 'u-secret' }])
    await store(made)
    const row = {
      workspace_id: workspace,
      source_id: workspace,
      destination_id: workspace,
      event_id: made[0]?.eventId,
      status: 'dead',
      time: columnTime(harness.now()),
      request: 'to secret@example.com',
    }
    // Two rows of the same batch.
    const rows = [row, { ...row, event_id: 'another' }]
    await harness.eventStore.insert('deliveries', rows.map((each) => JSON.stringify(each)).join('\n'), {
      token: newId(),
    })
    const refused = (key_hint: string, sample: string) => ({
      workspace_id: workspace,
      key_hint,
      reason: 'INVALID_EVENT',
      code: 400,
      count: 1,
      hour: new Date(harness.now()),
      last_time: new Date(harness.now()),
      sample,
    })
    // Texts of JSON have some characters in another form.
    await harness.db
      .insertInto('refused_requests')
      .values([
        refused('a', JSON.stringify({ userId: 'u-secret' })),
        refused('b', JSON.stringify({ anonymousId: 'a-"hidden"' })),
        refused('c', JSON.stringify({ userId: 'u-2' })),
      ])
      .execute()
    expect(await everything()).toContain('secret')
    const { name } = await request('delete', 'u-secret', 'a-"hidden"')
    await erase(name)
    const left = await everything()
    for (const value of ['u-secret', 'secret@example.com', 'hidden']) expect(left).not.toContain(value)
    const samples = await harness.db.selectFrom('refused_requests').select('sample').orderBy('key_hint').execute()
    expect(samples.map(({ sample }) => sample)).toEqual(['', '', JSON.stringify({ userId: 'u-2' })])
    // An event of another user keeps the ID that both had.
    expect(await events()).toHaveLength(1)
    const places = (await get(name)).places.map(({ place, state }) => [place, state])
    expect(places).toEqual([
      ['profiles', 'done'],
      ['events', 'done'],
      ['deliveries', 'done'],
      ['logs', 'waiting'],
    ])
    await harness.finishPrivacyRequests()
    expect(await get(name)).toMatchObject({ state: 'running' })
    await sql`update privacy_places set until = ${new Date(harness.now())} where until is not null`.execute(harness.db)
    await harness.finishPrivacyRequests()
    expect(await get(name)).toMatchObject({ state: 'finished' })
  })

  test('a deletion removes rows that deliveries write before they learn of it, and events that failed meanwhile', async () => {
    const [eventId = ''] = await receive({ userId: 'u-late' })
    const dies = (offset: number) =>
      sql`
      insert into parked_deliveries (id, workspace_id, source_id, destination_id, log_partition, log_offset, event_indexes,
        event_ids, event_count, bytes, state, first_time, next_time, request)
      values (gen_random_uuid(), ${workspace}, ${workspace}, ${workspace}, 0, ${offset}, '{0}', ${[eventId]}, 1, 1, 'dead',
        now(), now(), 'to u-late')`.execute(harness.db)
    stored.delivering = async () => {
      await dies(1)
      const row = { workspace_id: workspace, source_id: workspace, destination_id: workspace, event_id: eventId }
      const ofMember = { ...row, status: 'dead', time: columnTime(harness.now()), request: 'to u-late' }
      await harness.eventStore.insert('deliveries', JSON.stringify(ofMember), { token: newId() })
    }
    stored.removing = async () => void (await dies(2))
    await erase((await request('delete', 'u-late')).name)
    expect(await everything()).not.toContain('u-late')
    expect(await harness.db.selectFrom('parked_deliveries').selectAll().execute()).toEqual([])
  })

  test('a deletion removes what destinations were sent about an audience member, including merged profiles', async () => {
    await receive({ userId: 'u-member' }, { anonymousId: 'a-member' }, { userId: 'u-other' })
    const profiles = [...(await found('u-member')), ...(await found('a-member'))]
    const [other = ''] = await found('u-other')
    await receive({ userId: 'u-member', anonymousId: 'a-member' })
    expect(await found('a-member')).toHaveLength(1)
    const ofMember = (key: string, text: string) => ({
      workspace_id: workspace,
      source_id: workspace,
      destination_id: workspace,
      event_id: `connection.${key}.entered`,
      producer: 'audience',
      operation: 'event',
      event: 'Audience Entered',
      key,
      status: 'delivered',
      time: columnTime(harness.now()),
      request: `{"userIds":["${text}"]}`,
    })
    const rows = [...profiles.map((key) => ofMember(key, 'u-member')), ofMember(other, 'u-other')]
    await harness.eventStore.insert('deliveries', rows.map((each) => JSON.stringify(each)).join('\n'), {
      token: newId(),
    })
    const { name } = await request('delete', 'u-member')
    await erase(name)
    const left = await everything()
    expect(left).not.toContain('u-member')
    for (const key of profiles) expect(left).not.toContain(`connection.${key}`)
    expect(left).toContain(`connection.${other}.entered`)
  })

  test('after a deletion, the ledger makes the same profiles, including merges and splits of other users', async () => {
    await receive({ anonymousId: 'a-1' }, { userId: 'u-1' }, { userId: 'u-1', anonymousId: 'a-1' })
    await receive({ userId: 'u-2', anonymousId: 'a-1' }, { userId: 'u-2', anonymousId: 'a-2' })
    const [profile = ''] = await found('u-1')
    const body = { identifiers: [{ type: 'anonymous_id', value: 'a-1' }] }
    await organization.administrator.ok(methods.profiles.split, { workspace, profile }, { body })
    const { name } = await request('delete', 'u-1')
    const before = await profileSets()
    expect(before).toHaveLength(3)
    await rebuildProfiles(harness.db, workspace)
    expect(await profileSets()).toEqual(before)
    await erase(name)
    await rebuildProfiles(harness.db, workspace)
    expect(await profileSets()).toEqual(before)
  })

  test('during a deletion, earlier events of the user change no profile, and later events make another profile', async () => {
    await receive({ userId: 'u-1', anonymousId: 'a-1' })
    const [before] = await found('u-1')
    const late = make([{ type: 'identify', userId: 'u-1', traits: { name: 'Late' } }])
    await request('delete', 'u-1')
    await learn(late)
    expect(await found('u-1')).toEqual([])
    await receive({ userId: 'u-1' })
    const [after] = await found('u-1')
    expect(after).toBeDefined()
    expect(after).not.toBe(before)
    expect(await found('Late')).toEqual([])
  })

  test("a deletion during merges gives the same profiles as the ledger, without the deleted user's earlier data", async () => {
    await receive({ userId: 'u-1' }, ...Array.from({ length: 5 }, (_, index) => ({ anonymousId: `a-${index}` })))
    const merges = make(Array.from({ length: 5 }, (_, index) => ({ userId: 'u-1', anonymousId: `a-${index}` })))
    await Promise.all([...merges.map((each) => learn([each])), request('delete', 'u-1')])
    expect(await found('u-1')).toEqual([])
    const before = await profileSets()
    await rebuildProfiles(harness.db, workspace)
    expect(await profileSets()).toEqual(before)
  })

  test('a deletion finishes without a profile if it is repeated or its user is unknown', async () => {
    await receive({ userId: 'u-1' })
    await erase((await request('delete', 'u-1')).name)
    for (const value of ['u-1', 'u-unknown']) {
      const { name, profile_count } = await request('delete', value)
      expect(profile_count).toBe(0)
      await erase(name)
      await erase(name)
      expect((await get(name)).places.filter(({ state }) => state !== 'done').map(({ place }) => place)).toEqual([
        'logs',
      ])
    }
  })

  test('a deletion continues after the event store was unavailable, and shows the problem meanwhile', async () => {
    const [event] = await receive({ userId: 'u-away' })
    const { name } = await request('delete', 'u-away')
    stored.fails = true
    await expect(erase(name)).rejects.toThrow('away')
    expect((await get(name)).places[1]).toMatchObject({ place: 'events', state: 'running', last_error: 'away' })
    expect(await events()).not.toContain(event)
    stored.fails = false
    await erase(name)
    expect((await get(name)).places[1]).toMatchObject({ state: 'done', last_error: '' })
    expect(await everything()).not.toContain('u-away')
  })

  test.each([
    'erasure.after-profiles',
    'erasure.before-events',
    'erasure.within-events',
    'erasure.before-values',
    'erasure.after-values',
  ])('a deletion that is interrupted at %s continues there with the same result', async (point) => {
    const value = `u-${point}`
    await receive({ type: 'identify', userId: value, anonymousId: 'a-1', traits: { name: `${value} Ada` } })
    const [other] = await receive({ userId: 'u-2', anonymousId: 'a-1' })
    const { name } = await request('delete', value)
    breakAt(point)
    await expect(erase(name)).rejects.toThrow(point)
    expect(await events()).toEqual([other])
    await erase(name)
    expect(await everything()).not.toContain(value)
    expect(await events()).toEqual([other])
    expect((await get(name)).places.map(({ state, last_error }) => `${state}${last_error}`)).toEqual([
      'done',
      'done',
      'done',
      'waiting',
    ])
    const marks = await harness.eventStore.query(
      'select event_id from erased_events where request_id = {request:String}',
      { request: idIn(name) },
      { owner: 'system' },
    )
    expect(marks).toEqual([])
  })

  test('a deletion shares changes of the event store with other requests, and waits for none that cannot continue', async () => {
    const names: string[] = []
    const workspaces = [workspace, await makeWorkspace(), await makeWorkspace()]
    for (const each of workspaces) {
      workspace = each
      await receive({ userId: 'u-shared' }, { userId: `u-${each}` })
      for (const value of ['u-shared', 'u-nobody']) names.push((await request('delete', value)).name)
    }
    refusing = workspaces[2] ?? ''
    await erase(names[0] ?? '')
    const changes = () => stored.commands.filter((text) => text.startsWith('alter table'))
    expect(changes()).toHaveLength(3)
    for (const [index, of] of workspaces.entries()) {
      workspace = of
      const state = of === refusing ? 'waiting' : 'done'
      expect((await get(names[index * 2] ?? '')).places[1]).toMatchObject({ place: 'events', state })
      expect(await events()).toHaveLength(1)
    }
    for (const name of names.slice(1, 4)) await erase(name)
    expect(changes()).toHaveLength(3)
    await expect(erase(names[4] ?? '')).rejects.toThrow('refused')
    refusing = ''
    await erase(names[4] ?? '')
    expect((await get(names[5] ?? '')).places[1]).toMatchObject({ state: 'done' })
    expect(await everything()).not.toContain('u-shared')
  })

  test('a deletion does not affect users of another workspace', async () => {
    await receive({ userId: 'u-1' })
    const first = workspace
    workspace = await makeWorkspace()
    await receive({ userId: 'u-1' })
    await erase((await request('delete', 'u-1')).name)
    expect(await found('u-1')).toEqual([])
    workspace = first
    expect(await found('u-1')).toHaveLength(1)
    expect(await events()).toHaveLength(1)
  })

  describe('a deletion that notifies destinations', () => {
    const addDestination = async (slug: string): Promise<string> => {
      const body = { title: slug, app: { name: `catalogDestinations/${slug}` }, settings: {} }
      const made = await organization.administrator.ok(methods.destinations.create, { workspace }, { body })
      return idIn(made.name)
    }
    const attempt = async (request: string, destination: string, person: number, status: string): Promise<void> => {
      const row = {
        workspace_id: workspace,
        source_id: request,
        destination_id: destination,
        event_id: `${request}.${person}`,
        producer: 'privacy',
        key: 'u-told',
        request: 'u-told',
        status,
        reason: status === 'dead' ? 'HTTP 404' : '',
        time: columnTime(harness.now()),
        attempt: status === 'dead' ? 1 : 2,
      }
      await harness.eventStore.insert('deliveries', JSON.stringify(row), { token: newId() })
    }

    test('a deletion first sends one row for each user, and ends when all destinations have responded', async () => {
      const [destination] = [await addDestination('eraser'), await addDestination('webhook')]
      await receive({ userId: 'u-told', anonymousId: 'a-told' })
      const { name, destinations } = await request('delete', 'a-told', 'u-unseen')
      expect(destinations).toMatchObject([{ title: 'eraser', state: 'waiting', told: 0, total: 2 }])
      streamed.length = 0
      stored.fails = true
      await expect(erase(name)).rejects.toThrow('away')
      expect(streamed).toMatchObject([{ meta: { w: workspace, d: [destination], n: 2, b: { k: 'privacy' } } }])
      expect(streamed[0]?.rows).toEqual([
        {
          recordId: `${idIn(name)}.0`,
          operation: 'delete',
          object: 'users',
          key: 'u-told',
          payload: { userIds: ['u-told'], anonymousIds: ['a-told'], externalIds: [] },
        },
        {
          recordId: `${idIn(name)}.2`,
          operation: 'delete',
          object: 'users',
          key: 'u-unseen',
          payload: { userIds: ['u-unseen'], anonymousIds: [], externalIds: [] },
        },
      ])
      stored.fails = false
      await erase(name)
      expect(streamed).toHaveLength(1)
      await attempt(idIn(name), destination, 0, 'delivered')
      await attempt(idIn(name), destination, 2, 'dead')
      await harness.finishPrivacyRequests()
      expect((await get(name)).destinations).toMatchObject([{ state: 'failed', told: 1, reason: 'HTTP 404' }])
      expect(await everything()).toContain('u-told')
      await attempt(idIn(name), destination, 2, 'delivered')
      await sql`update privacy_places set until = ${new Date(harness.now())} where until is not null`.execute(
        harness.db,
      )
      await harness.finishPrivacyRequests()
      expect(await get(name)).toMatchObject({
        state: 'finished',
        destinations: [{ state: 'done', told: 2, reason: '' }],
      })
      await expect.poll(everything).not.toContain('u-told')
    })

    test('a deletion notifies destinations again with the same IDs if the append could not be recorded', async () => {
      await addDestination('eraser')
      const { name } = await request('delete', 'u-told')
      streamed.length = 0
      breakAt('erasure.after-telling')
      await expect(erase(name)).rejects.toThrow('erasure.after-telling')
      await erase(name)
      expect(streamed.map(({ rows }) => rows.map(({ recordId }) => recordId))).toEqual([
        [`${idIn(name)}.0`],
        [`${idIn(name)}.0`],
      ])
    })

    test('a deletion does not wait for a destination with incomplete settings, and shows the destination', async () => {
      await addDestination('lacking')
      const { name } = await request('delete', 'u-1')
      streamed.length = 0
      await erase(name)
      await sql`update privacy_places set until = ${new Date(harness.now())} where until is not null`.execute(
        harness.db,
      )
      await harness.finishPrivacyRequests()
      expect(streamed).toEqual([])
      expect(await get(name)).toMatchObject({
        state: 'finished',
        destinations: [{ title: 'lacking', state: 'not_told', told: 0, total: 1, reason: 'no access token' }],
      })
    })

    test('a deletion does not wait for a destination that was deleted meanwhile', async () => {
      const destination = await addDestination('eraser')
      const { name } = await request('delete', 'u-1')
      await organization.administrator.ok(methods.destinations.delete, { workspace, destination })
      await erase(name)
      await harness.finishPrivacyRequests()
      expect((await get(name)).destinations).toEqual([])
    })
  })

  describe('a deletion that is applied again to a restored database', () => {
    /** Removes changes of the ledger's hashes since a time from the database, as restoring a backup does. */
    const restore = async (erasures = 0): Promise<void> => {
      await sql`delete from privacy_hashes where workspace_id = ${workspace}::uuid and changed > ${erasures}
        `.execute(harness.db)
      await sql`update identity_ledgers set erasures = ${erasures},
        privacy_key = case when ${erasures} = 0 then null else privacy_key end
        where workspace_id = ${workspace}::uuid`.execute(harness.db)
    }
    /** Requests of the product itself, oldest first. */
    const again = async () => {
      const { administrator } = organization
      const list = await administrator.ok(methods.privacyRequests.list, { workspace }, { query: {} })
      return list.privacy_requests.filter(({ creator }) => creator === '').reverse()
    }

    test('a deletion is applied to a restored database with suppressions, and affects no other user', async () => {
      const before = harness.now()
      await receive({ userId: 'u-back', anonymousId: 'a-back' }, { userId: 'u-stays' })
      await request('suppress', 'u-quiet')
      await erase((await request('delete', 'u-back')).name)
      await restore()
      const old = make([{ userId: 'u-back', anonymousId: 'a-back' }], before)
      await learn(old)
      await store(old)
      await receive({ userId: 'u-back' })
      expect(await found('a-back')).toHaveLength(1)
      await harness.reapplyForgotten()
      for (const value of ['u-back', 'a-back']) expect(await found(value), value).toEqual([])
      expect(await found('u-stays')).toHaveLength(1)
      expect(await suppressed('u-quiet')).toHaveLength(1)
      const made = await again()
      expect(made).toMatchObject([{ kind: 'delete', profile_count: 1 }])
      expect(await events()).not.toContain(old[0]?.eventId)
      await erase(made[0]?.name ?? '')
      // Only the event that was received after the deletion stays.
      expect(await events()).toHaveLength(2)
      await harness.reapplyForgotten()
      expect(await again()).toHaveLength(1)
    })

    test('a deletion is applied again to stored events without a profile, by each identifier of the user', async () => {
      const before = harness.now()
      await receive({ userId: 'u-bare', anonymousId: 'a-bare' })
      await erase((await request('delete', 'u-bare')).name)
      await restore()
      const old = make(
        [{ userId: 'u-bare' }, { anonymousId: 'a-bare' }, { userId: 'u-2', anonymousId: 'a-bare' }],
        before,
      )
      await store(old)
      await harness.reapplyForgotten()
      expect(await events()).toEqual([old[2]?.eventId])
      const [made] = await again()
      expect(made).toMatchObject({ profile_count: 0 })
      await erase(made?.name ?? '')
      expect(await events()).toEqual([old[2]?.eventId])
      expect(await everything()).not.toContain('u-bare')
    })

    test('a deletion is applied again as of its time: later events of a user who returned stay', async () => {
      await receive({ userId: 'u-first' })
      await erase((await request('delete', 'u-first')).name)
      const [back] = await receive({ userId: 'u-first' })
      await receive({ userId: 'u-second' })
      await erase((await request('delete', 'u-second')).name)
      await restore()
      await harness.reapplyForgotten()
      for (const { name } of await again()) await erase(name)
      expect(await events()).toEqual([back])
    })

    test('a restored database that lost only a suppression keeps the data of users who returned', async () => {
      await receive({ userId: 'u-back' })
      await erase((await request('delete', 'u-back')).name)
      await receive({ userId: 'u-back' })
      await request('suppress', 'u-back')
      await sql`update privacy_hashes set suppress_time = null, changed = 1 where workspace_id = ${workspace}::uuid
        `.execute(harness.db)
      await restore(1)
      await harness.reapplyForgotten()
      expect(await again()).toEqual([])
      expect(await found('u-back')).toHaveLength(1)
      expect(await suppressed('u-back')).toHaveLength(1)
      // Audiences, the Profile API and counts look up suppressed users by these.
      const { rows } = await sql`select h.owner is not null as owns, i.value from privacy_hashes h
        join profile_identifiers i on i.workspace_id = h.workspace_id and i.sequence = h.identifier
        where h.workspace_id = ${workspace}::uuid and h.suppress_time is not null`.execute(harness.db)
      expect(rows).toEqual([{ owns: true, value: 'u-back' }])
    })

    test('an interrupted deletion is applied again to a restored database', async () => {
      await receive({ userId: 'u-back' })
      await erase((await request('delete', 'u-back')).name)
      await restore()
      await receive({ userId: 'u-back' })
      const file = await harness.db.selectFrom('privacy_requests').select('id').execute()
      breakAt('erasure.while-reapplying')
      await expect(harness.reapplyForgotten()).rejects.toThrow('erasure.while-reapplying')
      expect(await harness.db.selectFrom('privacy_requests').select('id').execute()).toEqual(file)
      await harness.reapplyForgotten()
      expect(await again()).toHaveLength(1)
      expect(await found('u-back')).toEqual([])
    })
  })

  test('a deletion that is requested twice with one request ID is one deletion', async () => {
    const body = { ...asked('delete', 'u-1'), request_id: newId() }
    const { administrator } = organization
    const [one, two] = [
      await administrator.ok(methods.privacyRequests.create, { workspace }, { body }),
      await administrator.ok(methods.privacyRequests.create, { workspace }, { body }),
    ]
    expect(two).toEqual(one)
    const list = await administrator.ok(methods.privacyRequests.list, { workspace }, { query: {} })
    expect(list.privacy_requests).toEqual([one])
  })

  test('a deletion is recorded without the values of identifiers', async () => {
    await request('delete', 'u-private')
    const last = (await harness.audits()).at(-1)
    expect(last).toMatchObject({ action: 'privacyRequests.create', detail: { kind: 'delete', identifiers: 1 } })
    expect(JSON.stringify(last)).not.toContain('u-private')
  })

  test.each([
    ['of nobody', [], 'Enter at least one identifier'],
    ['of an empty value', [{ type: 'user_id', value: '' }], 'Required'],
    ['of what no table keeps', [{ type: 'user_id', value: 'u\0' }], 'Control characters are not allowed'],
    ['of too many', Array.from({ length: 1001 }, () => ({ type: 'user_id', value: 'u' })), 'At most 1000 identifiers'],
  ])('a deletion with %s is rejected', async (_, identifiers, text) => {
    const reply = await organization.administrator.call('POST', `/workspaces/${workspace}/privacyRequests`, {
      kind: 'delete',
      identifiers,
    })
    expect([reply.status, String(reply.body.message)]).toEqual([400, expect.stringContaining(text)])
  })
})

describe('a suppression', () => {
  test('a suppression gives later events no profile and counts them, until it is lifted', async () => {
    await receive({ type: 'identify', userId: 'u-1', traits: { plan: 'free' } })
    expect(await request('suppress', 'u-1')).toMatchObject({ state: 'finished', places: [] })
    await receive(
      { type: 'identify', userId: 'u-1', traits: { plan: 'team' } },
      { userId: 'u-1' },
      { userId: 'u-2', anonymousId: 'a-2' },
    )
    expect(await found('free')).toHaveLength(1)
    expect(await found('team')).toEqual([])
    const [one] = await suppressed('u-1')
    expect(one).toMatchObject({ type: 'user_id', refused_events: 2 })
    expect(await suppressed('u-2')).toEqual([])
    const { administrator } = organization
    const params = { workspace, suppression: idIn(one?.name ?? '') }
    await administrator.ok(methods.suppressions.delete, params)
    expect(await suppressed()).toEqual([])
    expect((await administrator.call('DELETE', `/${one?.name}`)).status).toBe(404)
    await receive({ type: 'identify', userId: 'u-1', traits: { plan: 'pro' } })
    expect(await found('pro')).toHaveLength(1)
  })

  test('a suppression with a deletion blocks a user by each identifier of the former profile', async () => {
    await receive({ userId: 'u-1', anonymousId: 'a-1' })
    await request('delete_and_suppress', 'u-1')
    await receive({ userId: 'u-1' }, { anonymousId: 'a-1' }, { userId: 'u-3', anonymousId: 'a-1' })
    for (const value of ['u-1', 'a-1']) expect(await found(value), value).toEqual([])
    expect(await found('u-3')).toHaveLength(1)
  })

  test('a suppression covers all identifiers that the profile has then, whichever is named, and no later ones', async () => {
    await receive({ userId: 'u-1', anonymousId: 'a-1' }, { userId: 'u-1', anonymousId: 'a-2' })
    await request('suppress', 'a-2')
    expect(await suppressed()).toHaveLength(3)
    await receive(
      { type: 'identify', userId: 'u-1', traits: { plan: 'team' } },
      { type: 'identify', anonymousId: 'a-1', traits: { plan: 'team' } },
      { userId: 'u-1', anonymousId: 'a-3' },
    )
    expect(await found('team')).toEqual([])
    expect(await found('a-3')).toEqual([])
    await receive({ anonymousId: 'a-3' })
    expect(await found('a-3')).toHaveLength(1)
  })

  test('a suppression applies to one workspace', async () => {
    await request('suppress', 'u-1')
    const [one] = await suppressed()
    workspace = await makeWorkspace()
    expect(await suppressed()).toEqual([])
    const path = `/workspaces/${workspace}/suppressions/${idIn(one?.name ?? '')}`
    expect((await organization.administrator.call('DELETE', path)).status).toBe(404)
  })
})
