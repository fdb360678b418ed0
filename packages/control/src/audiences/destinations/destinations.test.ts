import { type AudienceQuery, methods, queriesOf, resourceNames } from '@tributary/contract'
import { newId, setFaultHandler, silentLogger } from '@tributary/kernel'
import type { LogEntry, ProducerStamp } from '@tributary/storage'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
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
import { createAudienceSender } from './sender.ts'

let harness: Harness
let organization: Organization
let workspace: string
let destination: string
let audience: string

beforeAll(async () => {
  const { takesAudiences: _, ...others } = testDestination
  const eraser = { ...others, slug: 'eraser', title: 'Eraser' }
  harness = await startControl({ catalog: { ...testCatalog, destinations: listed(testDestination, eraser) } })
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

/** A stream that keeps what it is given as the real one does: each sequence of the latest epoch once. */
const createStream = () => {
  const rows: { recordId: string; operation: string; key: string; payload: { event: string; userIds: string[] } }[] = []
  const known = new Map<string, { epoch: number; sequence: number }>()
  const of = (producer: string) => known.get(producer) ?? { epoch: 0, sequence: 0 }
  return {
    rows,
    async beginEpoch(producer: string) {
      const epoch = of(producer).epoch + 1
      known.set(producer, { ...of(producer), epoch })
      return epoch
    },
    lastSequences: async (producer: string) => [{ partition: 0, note: '', ...of(producer) }],
    async appendGroup(entries: readonly LogEntry[], stamp?: ProducerStamp) {
      if (stamp === undefined || stamp.epoch !== of(stamp.producer).epoch) throw new Error('stale')
      if (stamp.sequence <= of(stamp.producer).sequence) return undefined
      known.set(stamp.producer, { epoch: stamp.epoch, sequence: stamp.sequence })
      for (const { body } of entries) rows.push(...JSON.parse(Buffer.from(body).toString()))
      return { partition: 0, offset: rows.length }
    },
  }
}
type Stream = ReturnType<typeof createStream>
const senderOf = (stream: Stream) =>
  createAudienceSender({ db: harness.db, stream, mayAppend: () => true, logger: silentLogger })
const sentIn = ({ rows }: Stream): string[] =>
  rows.map(({ payload: { event, userIds } }) => `${event} ${userIds.join()}`.trim())

const connect = (changes_only = false) =>
  organization.collaborator.ok(
    methods.audiences.connectDestination,
    { workspace, audience },
    { body: { destination, changes_only } },
  )
const list = () => organization.guest.ok(methods.audiences.listDestinations, { workspace, audience })

test('a destination is told who is in when it is connected, counted before, and then who enters and leaves, each once', async () => {
  await receive({ userId: 'ada' }, { userId: 'bob' })
  expect((await list()).available.map(({ name }) => name)).toContain(destination)
  expect(await connect()).toEqual({ fill_count: 2 })
  expect((await list()).destinations).toMatchObject([{ name: destination, state: 'filling', fill_sent_count: 0 }])
  // Who comes before anything was sent is no part of that.
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
  expect(new Set(stream.rows.map(({ recordId }) => recordId)).size).toBe(4)
  expect(stream.rows[3]).toMatchObject({
    operation: 'delete',
    key: stream.rows.find((row) => row.payload.userIds[0] === 'bob')?.key,
  })
})

test('who is merged into one that is in neither exits nor enters again', async () => {
  await receive({ userId: 'ada' }, { anonymousId: 'device' })
  await connect(true)
  await receive({ userId: 'ada', anonymousId: 'device' })
  const stream = createStream()
  await senderOf(stream).send()
  expect(sentIn(stream)).toEqual([])
})

test('who was deleted exits by the id of the profile alone', async () => {
  await receive({ userId: 'ada' })
  await connect()
  const stream = createStream()
  await senderOf(stream).send()
  await organization.administrator.ok(
    methods.privacyRequests.create,
    { workspace },
    { body: { kind: 'delete', identifiers: [{ type: 'user_id', value: 'ada' }] } },
  )
  await compute()
  await senderOf(stream).send()
  expect(sentIn(stream)).toEqual(['Audience Entered ada', 'Audience Exited'])
  expect(stream.rows[1]?.key).toBe(stream.rows[0]?.key)
})

test('a sender that is killed after it appended sends nothing twice, and misses nothing', async () => {
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
  expect(stream.rows).toHaveLength(121)
  expect(new Set(sentIn(stream)).size).toBe(121)
})

test('what is sent first can be cancelled, and a destination disconnected; then it is told nothing', async () => {
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
  expect(stream.rows).toHaveLength(1)
  // Connected again it is told everything anew.
  expect(await connect()).toEqual({ fill_count: 3 })
  await senderOf(stream).send()
  expect(stream.rows).toHaveLength(4)
})

test('a destination is connected once, and only one of the workspace, by those who may', async () => {
  await connect()
  const path = `/workspaces/${workspace}/audiences/${audience}`
  const call = (caller: typeof organization.guest, verb: string, name = destination) =>
    caller.call('POST', `${path}:${verb}`, { destination: name })
  expect(await call(organization.collaborator, 'connectDestination')).toMatchObject({ status: 409 })
  const other = resourceNames.destination.format({
    workspace: organization.workspaceId,
    destination: idIn(destination),
  })
  for (const verb of ['connectDestination', 'cancelFill', 'disconnectDestination']) {
    expect((await call(organization.collaborator, verb, other)).status).toBe(404)
    expect((await call(organization.collaborator, verb, 'nonsense')).status).toBe(400)
    expect((await call(organization.guest, verb)).status).toBe(403)
    expect((await call(organization.outsider, verb)).status).toBe(404)
  }
})

test('a destination that takes other rows alone is not offered, and refused', async () => {
  const { administrator } = organization
  const made = await administrator.ok(
    methods.destinations.create,
    { workspace },
    { body: { title: 'Eraser', app: { name: 'catalogDestinations/eraser' }, settings: {} } },
  )
  expect((await list()).available.map(({ name }) => name)).toEqual([destination])
  const path = `/workspaces/${workspace}/audiences/${audience}:connectDestination`
  expect(await organization.collaborator.call('POST', path, { destination: made.name })).toMatchObject({
    status: 400,
    body: { reason: 'NO_AUDIENCES', message: 'Eraser does not take audiences. Choose another destination' },
  })
})
