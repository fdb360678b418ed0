import {
  type AudienceQuery,
  type DeliveryMeta,
  deliveryMeta,
  methods,
  type PipelineEvent,
  queriesOf,
  resourceNames,
} from '@tributary/contract'
import {
  createThreadBoard,
  joinThreadBoard,
  newId,
  readThreadBoard,
  setFaultHandler,
  setHeldWork,
  silentLogger,
} from '@tributary/kernel'
import type { LogEntry, ProducerStamp } from '@tributary/storage'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAudienceSender } from '../../../../audiences/src/destinations/sender.ts'
import { createDestinationNotices } from '../../../../privacy/src/notify-destinations.ts'
import {
  type Harness,
  idIn,
  listed,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
  testCatalog,
  testDestination,
} from '../../testing/control-harness.ts'
import { receiveEvents } from '../../testing/receive-events.ts'
import { trialAudience } from '../../testing/requests.ts'

let harness: Harness
let organization: Organization
let workspace: string
let destination: string
let audience: string

beforeAll(async () => {
  const [send] = testDestination.actions
  if (send === undefined) throw new Error('no action')
  const actions = [{ ...send, eventTypes: ['identify' as const] }]
  const people = { ...testDestination, slug: 'people', title: 'People', actions }
  harness = await startControl({ catalog: { ...testCatalog, destinations: listed(testDestination, people) } })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())
afterEach(() => setFaultHandler(undefined))

const signal = new AbortController().signal
const compute = async (): Promise<void> => {
  const { version } = await organization.collaborator.ok(methods.audiences.get, { workspace, audience })
  await harness.computeAudience({ audience, version }, { signal })
}
const receive = async (...events: Record<string, unknown>[]): Promise<void> => {
  await receiveEvents(harness, workspace, events)
  await compute()
}

beforeEach(async () => {
  const { administrator, organization: of } = organization
  const made = await administrator.ok(methods.workspaces.create, {}, { body: { title: newId(), organization: of } })
  workspace = idIn(made.name)
  destination = (await makeResources(workspace, administrator)).destination.name
  const query: AudienceQuery = structuredClone(trialAudience)
  for (const each of queriesOf(query))
    Object.assign(each, { type: 'event', selectedEvent: 'Seen', selectedAttributes: [] })
  const body = { title: 'Seen', query }
  audience = idIn((await administrator.ok(methods.audiences.create, { workspace }, { body })).name)
})

type Sent = { meta: DeliveryMeta; event: PipelineEvent }

/** A simulated stream that keeps each sequence of the latest epoch once, as the real one does. */
const createStream = () => {
  const sent: Sent[] = []
  const known = new Map<string, { epoch: number; sequence: number }>()
  const of = (producer: string) => known.get(producer) ?? { epoch: 0, sequence: 0 }
  return {
    sent,
    async beginEpoch(producer: string) {
      const epoch = of(producer).epoch + 1
      known.set(producer, { ...of(producer), epoch })
      return epoch
    },
    lastSequences: async (producer: string) => [{ partition: 0, note: '', ...of(producer) }],
    async appendGroup(entries: readonly LogEntry[], stamp?: ProducerStamp) {
      if (stamp !== undefined) {
        if (stamp.epoch !== of(stamp.producer).epoch) throw new Error('stale')
        if (stamp.sequence <= of(stamp.producer).sequence) return undefined
        known.set(stamp.producer, { epoch: stamp.epoch, sequence: stamp.sequence })
      }
      for (const { meta, body } of entries)
        for (const event of JSON.parse(Buffer.from(body).toString()))
          sent.push({ meta: deliveryMeta.parse(JSON.parse(meta)), event })
      return { partition: 0, offset: sent.length }
    },
  }
}
type Stream = ReturnType<typeof createStream>
const senderOf = (stream: Stream) =>
  createAudienceSender({ db: harness.db, stream, mayAppend: () => true, logger: silentLogger })
const sentIn = ({ sent }: Stream): string[] =>
  sent.map(({ event: { event, userId, anonymousId } }) => [event, userId ?? anonymousId].join(' '))
const propertiesIn = ({ sent }: Stream) => sent.map(({ event }) => event.properties ?? {})

const connect = (changes_only = false) =>
  organization.collaborator.ok(
    methods.audiences.connectDestination,
    { workspace, audience },
    { body: { destination, changes_only } },
  )
const list = () => organization.guest.ok(methods.audiences.listDestinations, { workspace, audience })

test('a connected destination receives the current members, whose number is known before, and then each entry and exit once', async () => {
  await receive({ userId: 'ada' }, { userId: 'bob' })
  expect((await list()).available.map(({ name }) => name)).toContain(destination)
  expect(await connect()).toEqual({ fill_count: 2 })
  expect((await list()).destinations).toMatchObject([{ name: destination, state: 'filling', fill_sent_count: 0 }])
  const { audiences } = await organization.guest.ok(methods.audiences.list, { workspace })
  expect(audiences.find(({ name }) => idIn(name) === audience)).toMatchObject({ destination_count: 1, sync_count: 0 })
  // This profile enters before anything was sent, but after the count, so it is not part of the count.
  await receive({ userId: 'cleo' })
  const stream = createStream()
  await senderOf(stream).send()
  expect((await list()).destinations).toMatchObject([{ state: 'live', fill_count: 2, fill_sent_count: 2 }])
  await organization.administrator.ok(
    methods.privacyRequests.create,
    { workspace },
    { body: { kind: 'suppress', identifiers: [{ type: 'user_id', value: 'bob' }] } },
  )
  await compute()
  await senderOf(stream).send()
  await senderOf(stream).send()
  const sent = sentIn(stream)
  expect(sent.slice(0, 2).toSorted()).toEqual(['Audience Entered ada', 'Audience Entered bob'])
  expect(sent.slice(2)).toEqual(['Audience Entered cleo', 'Audience Exited bob'])
  expect(new Set(stream.sent.map(({ event }) => event.messageId)).size).toBe(4)
  expect(propertiesIn(stream).map(({ first_fill }) => first_fill)).toEqual([true, true, false, false])
  const [entered, exited] = stream.sent.filter(({ event }) => event.userId === 'bob')
  expect(exited?.event.properties?.['profile_id']).toBe(entered?.event.properties?.['profile_id'])
})

test('the thread board shows the sending of changes; a held connection waits while other connections continue', async () => {
  const board = createThreadBoard()
  const place = joinThreadBoard('tests')
  await receive({ userId: 'ada' })
  await connect()
  const { id } = await harness.db
    .selectFrom('audience_destinations')
    .select('id')
    .where('audience_id', '=', audience)
    .executeTakeFirstOrThrow()
  const item = `audience-sending ${audience} ${id}`
  setHeldWork(new Map([[item, 'It blocked the thread']]))
  const held = createStream()
  await senderOf(held).send()
  expect(held.sent).toEqual([])

  setHeldWork(new Map([[`audience-sending ${audience} another`, 'It blocked the thread']]))
  const stream = createStream()
  const seen: unknown[] = []
  const appendGroup: Stream['appendGroup'] = (...given) => {
    seen.push(readThreadBoard(board).find(({ name }) => name === 'tests')?.work)
    return stream.appendGroup(...given)
  }
  await senderOf({ ...stream, appendGroup }).send()
  place.leave()
  setHeldWork(new Map())
  expect(sentIn(stream)).toEqual(['Audience Entered ada'])
  expect(seen).toEqual([{ step: 'audiences.send', workspaceId: workspace, item }])
})

test('a profile that merges into a member neither exits nor enters again', async () => {
  await receive({ userId: 'ada' }, { anonymousId: 'device' })
  await connect(true)
  await receive({ userId: 'ada', anonymousId: 'device' })
  const stream = createStream()
  await senderOf(stream).send()
  expect(sentIn(stream)).toEqual([])
})

test('two members that are merged before the first fill is sent enter only once', async () => {
  await receive({ userId: 'ada' }, { anonymousId: 'device' }, { userId: 'bob' })
  expect(await connect()).toEqual({ fill_count: 3 })
  await receive({ userId: 'ada', anonymousId: 'device' })
  const stream = createStream()
  await senderOf(stream).send()
  await senderOf(stream).send()
  expect(sentIn(stream).toSorted()).toEqual(['Audience Entered ada', 'Audience Entered bob'])
})

test("an audience event is a track event with the person's identifiers, exact traits, and the audience", async () => {
  const traits = { plan: 'pro', balance: 1.5 }
  await receive({ type: 'identify', userId: 'ada', anonymousId: 'device', traits }, { userId: 'ada' })
  await connect()
  const stream = createStream()
  await senderOf(stream).send()
  const [{ meta, event } = { meta: undefined, event: undefined }] = stream.sent
  const profile = String(event?.properties?.['profile_id'])
  expect(meta).toMatchObject({
    w: workspace,
    s: audience,
    d: [idIn(destination)],
    n: 1,
    b: { k: 'audience', e: [profile] },
  })
  expect(event).toMatchObject({
    type: 'track',
    event: 'Audience Entered',
    userId: 'ada',
    anonymousId: 'device',
    properties: { audience_id: audience, audience_title: 'Seen', user_ids: ['ada'], anonymous_ids: ['device'] },
    context: { traits },
    test: false,
  })
  expect(event?.eventId).toBe(event?.messageId)
})

test('a profile that enters and merges into a member before it is sent does not enter a second time', async () => {
  await receive({ userId: 'ada' })
  await connect()
  const stream = createStream()
  await senderOf(stream).send()
  await receive({ anonymousId: 'device' })
  await receive({ userId: 'ada', anonymousId: 'device' })
  await senderOf(stream).send()
  expect(sentIn(stream)).toEqual(['Audience Entered ada'])
})

test('a deleted profile exits once with its former identifiers as of the deletion, even if the sender is killed', async () => {
  await receive({ userId: 'ada', anonymousId: 'device' }, { userId: 'bob' })
  await connect()
  const stream = createStream()
  await senderOf(stream).send()
  const remove = (kind: 'delete' | 'delete_and_suppress', value: string) =>
    organization.administrator.ok(
      methods.privacyRequests.create,
      { workspace },
      { body: { kind, identifiers: [{ type: 'user_id', value }] } },
    )
  const { name } = await remove('delete', 'ada')
  await compute()
  await senderOf(stream).send()
  expect(stream.sent).toHaveLength(2)
  const sendNotices = createDestinationNotices({ db: harness.db, stream })
  setFaultHandler((point) => {
    if (point === 'audience-farewells.after-append') throw new Error('killed')
  })
  await expect(sendNotices(idIn(name))).rejects.toThrow('killed')
  setFaultHandler(undefined)
  await sendNotices(idIn(name))
  await sendNotices(idIn(name))
  const exits = stream.sent.slice(2)
  // A process that is killed after the append sends the exit again, as the same message.
  expect(exits).toHaveLength(2)
  expect(new Set(exits.map(({ event }) => event.messageId)).size).toBe(1)
  expect(exits[0]?.event).toMatchObject({
    event: 'Audience Exited',
    userId: 'ada',
    anonymousId: 'device',
    context: { traits: {} },
  })
  // The exit has the time of the deletion, so that delivery stores no sample of it.
  const { create_time } = await organization.administrator.ok(methods.privacyRequests.get, {
    workspace,
    privacy_request: idIn(name),
  })
  expect(Date.parse(exits[0]?.event.receivedAt ?? '')).toBe(Date.parse(create_time))
  const { rows } = await sql`select from audience_farewells`.execute(harness.db)
  expect(rows).toEqual([])
  // A profile that left before the deletion gets no second exit.
  await organization.collaborator.ok(
    methods.audiences.disconnectDestination,
    { workspace, audience },
    { body: { destination } },
  )
  await sendNotices(idIn((await remove('delete', 'bob')).name))
  expect(stream.sent).toHaveLength(4)
})

test('a resend is a run with count, progress, and cancellation; it sends the members as of the last sent change, and later changes follow', async () => {
  await receive({ userId: 'ada' }, { userId: 'bob' })
  await connect()
  const stream = createStream()
  await senderOf(stream).send()
  await receive({ userId: 'cleo' })
  const resend = () =>
    organization.collaborator.ok(methods.audiences.resend, { workspace, audience }, { body: { destination } })
  expect(await resend()).toEqual({ fill_count: 2 })
  expect((await list()).destinations).toMatchObject([{ state: 'filling', fill_count: 2, fill_sent_count: 0 }])
  const again = await organization.collaborator.call('POST', `/workspaces/${workspace}/audiences/${audience}:resend`, {
    destination,
  })
  expect(again).toMatchObject({ status: 409, body: { reason: 'ALREADY_SENDING' } })
  setFaultHandler((point) => {
    if (point === 'audience-sender.after-append') throw new Error('killed')
  })
  await expect(senderOf(stream).send()).rejects.toThrow('killed')
  setFaultHandler(undefined)
  await senderOf(stream).send()
  expect(sentIn(stream).slice(2, 4).toSorted()).toEqual(['Audience Entered ada', 'Audience Entered bob'])
  expect(sentIn(stream).slice(4)).toEqual(['Audience Entered cleo'])
  expect(propertiesIn(stream).map(({ resend: again }) => again)).toEqual([false, false, true, true, false])
  expect(new Set(stream.sent.map(({ event }) => event.messageId)).size).toBe(5)
  expect((await list()).destinations).toMatchObject([{ state: 'live', fill_sent_count: 2 }])
  await resend()
  await organization.collaborator.ok(methods.audiences.cancelFill, { workspace, audience }, { body: { destination } })
  await senderOf(stream).send()
  expect(stream.sent).toHaveLength(5)
})

test('a mapping can be tried with the latest or a named audience event, and suggestions contain no values', async () => {
  await receive({ type: 'identify', userId: 'ada', traits: { email: 'ada@example.com' } }, { userId: 'ada' })
  await connect()
  const ids = { workspace, destination: idIn(destination) }
  const event_mapping = {
    id: 'aaaa',
    enabled: true,
    destination: 'send',
    event_name: 'Audience Entered',
    event_type: '' as const,
    filters: [],
    field_mappings: [],
  }
  const { collaborator, guest } = organization
  const { audiences } = await guest.ok(methods.audiences.listOfDestination, ids)
  expect(audiences).toMatchObject([
    { name: `workspaces/${workspace}/audiences/${audience}`, fill_count: 1, last_error: '' },
  ])
  const [{ name: event, title } = { name: '', title: '' }] = audiences[0]?.recent_events ?? []
  expect(title).toBe('Audience Entered')
  for (const chosen of [{}, { event }]) {
    const shown = await collaborator.ok(methods.mappings.preview, ids, { body: { event_mapping, ...chosen } })
    expect(shown).toMatchObject({ fits: true, event: { name: event, title: 'Audience Entered' } })
    expect(JSON.parse(shown.payload)).toMatchObject({
      userId: 'ada',
      properties: { audience_title: 'Seen' },
      context: { traits: { email: 'ada@example.com' } },
    })
  }
  const sent = await collaborator.ok(methods.mappings.sendTest, ids, { body: { event_mapping, event } })
  expect(sent).toMatchObject({ outcome: 'delivered', event: { name: event } })
  const body = { destination: 'send', event_name: '', event_type: '' as const }
  const suggested = await guest.ok(methods.mappings.suggest, ids, { body })
  expect(suggested.events).toContainEqual({ event_name: 'Audience Exited', event_type: 'track' })
  expect(suggested.fields.map(({ name }) => name)).toContain('properties.audience_title')
  expect(JSON.stringify(suggested)).not.toContain('ada')
  // Another destination cannot read the event.
  const other = (await makeResources(workspace, organization.administrator)).destination
  const path = `/${other.name}/mappings:preview`
  expect((await collaborator.call('POST', path, { event_mapping, event })).status).toBe(404)
  await senderOf(createStream()).send()
})

test('a sender that is killed after it appended sends nothing twice and skips nothing', async () => {
  await receive(...Array.from({ length: 120 }, (_, index) => ({ userId: `user-${index}` })))
  await connect()
  const stream = createStream()
  let appended = 0
  setFaultHandler((point) => {
    if (point === 'audience-sender.after-append' && ++appended === 2) throw new Error('killed')
  })
  await expect(senderOf(stream).send()).rejects.toThrow('killed')
  setFaultHandler(undefined)
  await receive({ userId: 'late' })
  await senderOf(stream).send()
  expect(stream.sent).toHaveLength(121)
  expect(new Set(sentIn(stream)).size).toBe(121)
})

test('the first fill can be cancelled, and a disconnected destination receives nothing', async () => {
  await receive({ userId: 'ada' })
  await connect()
  const body = { destination }
  await organization.collaborator.ok(methods.audiences.cancelFill, { workspace, audience }, { body })
  await receive({ userId: 'bob' })
  const stream = createStream()
  await senderOf(stream).send()
  expect(sentIn(stream)).toEqual(['Audience Entered bob'])
  await organization.collaborator.ok(methods.audiences.disconnectDestination, { workspace, audience }, { body })
  await receive({ userId: 'cleo' })
  await senderOf(stream).send()
  expect(stream.sent).toHaveLength(1)
  // Connected again, it receives all members again.
  expect(await connect()).toEqual({ fill_count: 3 })
  await senderOf(stream).send()
  expect(stream.sent).toHaveLength(4)
})

test('deleting an audience disconnects its destinations; an audience that other audiences refer to cannot be deleted', async () => {
  await receive({ userId: 'ada' })
  await connect()
  const stream = createStream()
  await senderOf(stream).send()
  await receive({ userId: 'bob' })
  const { collaborator } = organization
  const name = `workspaces/${workspace}/audiences/${audience}`
  const query: AudienceQuery = structuredClone(trialAudience)
  for (const each of queriesOf(query))
    Object.assign(each, { type: 'audience', selectedAttributes: [], selectedAudience: { name, member: false } })
  const others = await collaborator.ok(
    methods.audiences.create,
    { workspace },
    { body: { title: 'All others', query } },
  )
  expect((await collaborator.ok(methods.audiences.get, { workspace, audience })).dependents).toEqual([
    { name: others.name, title: 'All others' },
  ])
  expect(await collaborator.call('DELETE', `/${name}`)).toMatchObject({
    status: 409,
    body: { reason: 'AUDIENCE_IN_USE', message: expect.stringContaining('All others') },
  })
  expect((await list()).destinations).toHaveLength(1)
  await collaborator.ok(methods.audiences.delete, { workspace, audience: idIn(others.name) })
  await collaborator.ok(methods.audiences.delete, { workspace, audience })
  await senderOf(stream).send()
  expect(sentIn(stream)).toEqual(['Audience Entered ada'])
  const ids = { workspace, destination: idIn(destination) }
  expect((await collaborator.ok(methods.audiences.listOfDestination, ids)).audiences).toEqual([])
})

test('audience events that were sent to a destination are found by audience; failures are listed with the latest reason', async () => {
  await receive({ userId: 'ada' })
  await connect()
  const stream = createStream()
  await senderOf(stream).send()
  const [{ event } = { event: undefined }] = stream.sent
  const eventId = String(event?.eventId)
  const profile = String(event?.properties?.['profile_id'])
  const attempt = {
    workspace_id: workspace,
    source_id: audience,
    destination_id: idIn(destination),
    event_id: eventId,
    message_id: eventId,
    event_type: 'track',
    event: 'Audience Entered',
    status: 'dead',
    time: Date.parse('2026-01-01T00:00:00.000Z'),
    attempt: 1,
    producer: 'audience',
    operation: 'event',
    key: profile,
  }
  const ofSource = { ...attempt, source_id: newId(), event_id: 'of-a-source', producer: '', operation: '', key: '' }
  const rows = [attempt, ofSource].map((each) => JSON.stringify(each))
  await harness.eventStore.insert('deliveries', rows, { token: newId() })
  const parked = ['HTTP 500: before', 'HTTP 404: no such hook'].map((last_reason, index) => ({
    id: newId(),
    workspace_id: workspace,
    source_id: audience,
    destination_id: idIn(destination),
    log_partition: 0,
    log_offset: index,
    event_indexes: [0],
    event_ids: [eventId],
    event_count: 1,
    state: 'dead' as const,
    first_time: `2026-01-0${index + 1}T00:00:00.000Z`,
    next_time: '2026-01-03T00:00:00.000Z',
    last_status: null,
    last_reason,
  }))
  await harness.db.insertInto('parked_deliveries').values(parked).execute()
  const { guest } = organization
  const ids = { workspace, destination: idIn(destination) }
  const name = `workspaces/${workspace}/audiences/${audience}`
  const { deliveries } = await guest.ok(methods.deliveries.list, ids, { query: { audience: name } })
  expect(deliveries).toMatchObject([{ event_id: eventId, audience: name, event_title: 'Audience Entered' }])
  expect((await guest.ok(methods.deliveries.list, ids)).deliveries).toHaveLength(2)
  const path = `/${destination}/deliveries?audience=`
  expect((await guest.call('GET', `${path}${name}&source=${name}`)).status).toBe(400)
  const elsewhere = name.replace(workspace, organization.workspaceId)
  expect((await guest.call('GET', `${path}${elsewhere}`)).status).toBe(404)
  const { parked_deliveries } = await guest.ok(methods.deliveries.listParked, ids)
  const named = {
    event_title: 'Audience Entered',
    profile: `workspaces/${workspace}/profiles/${profile}`,
    receive_time: null,
  }
  for (const each of parked_deliveries)
    expect(each).toMatchObject({ audience: { name, title: 'Seen' }, events: [named] })
  expect((await list()).destinations).toMatchObject([
    { waiting_count: 0, dead_count: 2, last_error: 'HTTP 404: no such hook' },
  ])
})

test('a destination can be connected once, only within its workspace, and only by permitted users', async () => {
  await connect()
  const path = `/workspaces/${workspace}/audiences/${audience}`
  const call = (caller: typeof organization.guest, verb: string, name = destination) =>
    caller.call('POST', `${path}:${verb}`, { destination: name })
  expect(await call(organization.collaborator, 'connectDestination')).toMatchObject({ status: 409 })
  const other = resourceNames.destination.format({
    workspace: organization.workspaceId,
    destination: idIn(destination),
  })
  for (const verb of ['connectDestination', 'cancelFill', 'resend', 'disconnectDestination']) {
    expect((await call(organization.collaborator, verb, other)).status).toBe(404)
    expect((await call(organization.collaborator, verb, 'nonsense')).status).toBe(400)
    expect((await call(organization.guest, verb)).status).toBe(403)
    expect((await call(organization.outsider, verb)).status).toBe(404)
  }
})

test('a destination without support for track events is not offered, and connecting it is refused', async () => {
  const { administrator } = organization
  const made = await administrator.ok(
    methods.destinations.create,
    { workspace },
    { body: { title: 'People', app: { name: 'catalogDestinations/people' }, settings: {} } },
  )
  expect((await list()).available.map(({ name }) => name)).toEqual([destination])
  const path = `/workspaces/${workspace}/audiences/${audience}:connectDestination`
  expect(await organization.collaborator.call('POST', path, { destination: made.name })).toMatchObject({
    status: 400,
    body: { reason: 'NO_AUDIENCES', message: 'People does not take audiences. Choose another destination' },
  })
})
