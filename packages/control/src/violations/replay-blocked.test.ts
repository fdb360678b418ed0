import { type MethodRequest, type MethodResponse, methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { LogUnavailable } from '@tributary/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
let refusing = false
/** Runs before the log takes a request. */
let meanwhile: () => unknown = () => {}
const requests: {
  meta: { w: string; s: string; r: number; p?: string[] | undefined; f?: boolean | undefined }
  body: string
}[] = []
beforeAll(async () => {
  harness = await startControl({
    async appendRequest(meta, body) {
      if (refusing) throw new LogUnavailable(new Error('full'))
      await meanwhile()
      requests.push({ meta, body: Buffer.from(body).toString() })
    },
  })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const schemaOf = (total: string) =>
  JSON.stringify({ events: { Bought: { properties: { total: { type: total } }, required: ['total'] } } })

/** A source that has a schema, and a way to put blocked events of it into the store. */
const start = async () => {
  const { administrator, workspaceId } = organization
  const { source } = await makeResources(workspaceId, administrator)
  const params = { workspace: workspaceId, source: idIn(source.name) }
  const setSchema = (schema: string) => administrator.ok(methods.sources.update, params, { body: { schema } })
  await setSchema(schemaOf('string'))
  const blocked = (id: string, more: object = {}) => ({
    workspace_id: workspaceId,
    source_id: params.source,
    event_id: id,
    message_id: `m-${id}`,
    type: 'track',
    event: 'Bought',
    status: 'blocked',
    receive_time: harness.now() - 60_000,
    timestamp: harness.now() - 60_000,
    context: '{}',
    original: '{"event":"Bought","userId":"u","properties":{"total":5}}',
    ...more,
  })
  const insert = (rows: object[]) =>
    harness.eventStore.insert('events', rows.map((row) => JSON.stringify(row)).join('\n'), { token: newId() })
  const replay = (
    body: MethodRequest<typeof methods.violations.replayBlocked> = {},
  ): Promise<MethodResponse<typeof methods.violations.replayBlocked>> =>
    organization.collaborator.ok(methods.violations.replayBlocked, params, { body })
  /** Ids of stored events that were sent again, request by request. */
  const sent = () => requests.filter(({ meta }) => meta.s === params.source).map(({ meta }) => meta.p ?? [])
  return { params, setSchema, blocked, insert, replay, sent }
}

test('blocked events that fit the current schema are sent once, in order, and named by their stored IDs', async () => {
  const { params, setSchema, blocked, insert, replay, sent } = await start()
  const old = harness.now() - 100 * 24 * 3_600_000
  await insert([
    blocked('2'),
    blocked('1', { receive_time: old }),
    blocked('3', { original: '{"event":"Bought","userId":"u","properties":{"total":"5"}}' }),
    blocked('4', { status: 'accepted' }),
    blocked('5', { source_id: newId() }),
    blocked('6', { workspace_id: organization.otherWorkspaceId }),
  ])
  expect(await replay()).toEqual({ replayed: 1, still_blocked: 2 })
  expect(sent()).toEqual([['3']])
  await setSchema(schemaOf('number'))
  expect(await replay()).toEqual({ replayed: 2, still_blocked: 0 })
  expect(sent()).toEqual([['3'], ['1', '2']])
  expect(await replay()).toEqual({ replayed: 0, still_blocked: 0 })
  expect(sent()).toHaveLength(2)
  const last = requests.at(-1)
  expect(last?.meta).toMatchObject({ w: params.workspace, s: params.source, k: 'batch', f: true, ip: '' })
  const { batch } = JSON.parse(last?.body ?? '')
  expect(batch).toMatchObject([
    { type: 'track', messageId: 'm-1', properties: { total: 5 } },
    { type: 'track', messageId: 'm-2', properties: { total: 5 } },
  ])
  // The stored event shows when it was sent again.
  const event = await organization.guest.ok(methods.events.get, { workspace: params.workspace, event: '1' })
  expect(event).toMatchObject({ status: 'blocked', replay_time: expect.any(String) })
})

test('with an event name, only blocked events of that name are sent', async () => {
  const { setSchema, blocked, insert, replay, sent } = await start()
  await setSchema(
    '{"events":{"Bought":{"properties":{"total":{"type":"number"}}},"Sold\'s":{"properties":{"total":{"type":"number"}}}}}',
  )
  await insert([blocked('1'), blocked('2', { event: "Sold's" }), blocked('3', { event: 'Unknown' })])
  expect(await replay({ event: "Sold's" })).toEqual({ replayed: 1, still_blocked: 0 })
  expect(await replay({ event: 'Unknown' })).toEqual({ replayed: 0, still_blocked: 1 })
  expect(sent()).toEqual([['2']])
  expect(await replay()).toEqual({ replayed: 1, still_blocked: 1 })
})

test('many events are sent in requests of limited size, at most ten thousand with one call', async () => {
  const { setSchema, blocked, insert, replay, sent } = await start()
  await setSchema(schemaOf('number'))
  await insert(Array.from({ length: 10_400 }, (_, n) => blocked(`n-${String(n).padStart(6, '0')}`)))
  expect(await replay()).toEqual({ replayed: 10_000, still_blocked: 400 })
  expect(Math.max(...sent().map((ids) => ids.length))).toBeLessThanOrEqual(500)
  expect(await replay()).toEqual({ replayed: 400, still_blocked: 0 })
  expect(sent().flat()).toEqual(Array.from({ length: 10_400 }, (_, n) => `n-${String(n).padStart(6, '0')}`))
})

test('events of any size are read a few megabytes at a time, and none is skipped', async () => {
  const { setSchema, blocked, insert, replay, sent } = await start()
  await setSchema(schemaOf('number'))
  const context = JSON.stringify({ a: 'x'.repeat(1024 * 1024) })
  await insert(Array.from({ length: 9 }, (_, n) => blocked(`${n}`, { context })))
  expect(await replay()).toEqual({ replayed: 9, still_blocked: 0 })
  expect(sent().map((ids) => ids.length)).toEqual([3, 3, 3])
})

test('events that the log did not accept do not count as sent', async () => {
  const { params, setSchema, blocked, insert, replay, sent } = await start()
  await setSchema(schemaOf('number'))
  await insert([blocked('1')])
  refusing = true
  const path = `/workspaces/${params.workspace}/sources/${params.source}:replayBlockedEvents`
  const refused = await organization.administrator.call('POST', path, {})
  refusing = false
  expect(refused).toMatchObject({ status: 503, body: { reason: 'UNAVAILABLE' } })
  expect(sent()).toEqual([])
  expect(await replay()).toEqual({ replayed: 1, still_blocked: 0 })
})

test('sent blocked events count as received when they were read: a user deleted before the sending gets no profile', async () => {
  const { params, setSchema, blocked, insert, replay } = await start()
  await setSchema(schemaOf('number'))
  // The events need two requests, so that the deletion can happen between the reading and the second one.
  await insert(Array.from({ length: 501 }, (_, n) => blocked(`${n}`)))
  const { administrator } = organization
  meanwhile = () => {
    meanwhile = () => {}
    return administrator.ok(
      methods.privacyRequests.create,
      { workspace: params.workspace },
      { body: { kind: 'delete', identifiers: [{ type: 'user_id', value: 'u' }] } },
    )
  }
  expect(await replay()).toMatchObject({ replayed: 501 })
  const { rows } = await harness.database.pool.query<{ delete_time: Date }>(
    'select delete_time from privacy_hashes where workspace_id = $1',
    [params.workspace],
  )
  expect(requests.at(-1)?.meta.r).toBeLessThan(rows[0]?.delete_time.getTime() ?? 0)
})

test('an audit record names who sent the blocked events, how many, and the schema', async () => {
  const { params, replay } = await start()
  await replay({ event: 'Bought' })
  expect((await harness.audits()).at(-1)).toMatchObject({
    action: 'violations.replayBlocked',
    actor_id: organization.collaborator.userId,
    resource: `workspaces/${params.workspace}/sources/${params.source}`,
    detail: { event: 'Bought', schema_version: expect.any(Number) },
  })
})

test('only editors of the organization can send blocked events, and only of existing sources', async () => {
  const { params } = await start()
  const { administrator, guest, outsider, otherWorkspaceId } = organization
  const of = (workspace: string, source: string): string =>
    `/workspaces/${workspace}/sources/${source}:replayBlockedEvents`
  const path = of(params.workspace, params.source)
  expect(await harness.call('', 'POST', path, {})).toMatchObject({ status: 401 })
  expect(await guest.call('POST', path, {})).toMatchObject({ status: 403 })
  expect(await outsider.call('POST', path, {})).toMatchObject({ status: 404 })
  expect(await outsider.call('POST', of(otherWorkspaceId, params.source), {})).toMatchObject({ status: 404 })
  expect(await administrator.call('POST', of(params.workspace, newId()), {})).toMatchObject({ status: 404 })
  expect(await administrator.call('POST', of(params.workspace, 'x'), {})).toMatchObject({ status: 404 })
  for (const body of [{ event: 5 }, { event: 'x'.repeat(501) }, { event: { a: 1 } }, []])
    expect(await administrator.call('POST', path, body)).toMatchObject({ status: 400 })
})
