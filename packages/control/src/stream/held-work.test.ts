import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { makeHeldWork, makeSetAsideRequest } from '../testing/held-work.ts'
import { makeSync, trialAudience } from '../testing/requests.ts'
import { releaseHeldWork } from './release-held-work.ts'

/** Time between two retries in the installation, ms. */
const pauseMs = 5 * 60_000

let harness: Harness
let organization: Organization
let other: Organization
let workspace: string
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
  other = await startOrganization(harness)
  workspace = organization.workspaceId
})
afterEach(async () => {
  await harness.db.deleteFrom('held_work').execute()
  await harness.db.deleteFrom('set_aside_requests').execute()
  await harness.db.deleteFrom('work_releases').execute()
})
afterAll(() => harness[Symbol.asyncDispose]())

const list = async () => (await organization.guest.ok(methods.heldWork.list, { workspace })).held_work

test('every member sees held work of a workspace in words, with resource, reason, count, and start time', async () => {
  const { administrator } = organization
  const { source, destination } = await makeResources(workspace, administrator)
  const sync = await makeSync(harness, organization, destination.name)
  const body = { title: 'Reachable', query: trialAudience }
  const audience = await administrator.ok(methods.audiences.create, { workspace }, { body })
  const audienceId = idIn(audience.name)
  const items: [item: string, title: string, kind: string, target: string][] = [
    [`delivery ${idIn(destination.name)} 3-7-0-a`, `Event 3-7-0-a to ${destination.title}`, 'event', destination.name],
    [`batches ${idIn(destination.name)}`, `Batches to ${destination.title}`, 'event', destination.name],
    [`replay ${idIn(destination.name)}`, `Replay to ${destination.title}`, 'job', destination.name],
    ['profiles 3-8-0-a', 'Event 3-8-0-a in profiles', 'event', ''],
    [`template ${idIn(source.name)} 0f`, `Template of ${source.title}`, 'template', source.name],
    [`collect ${idIn(source.name)} 70000 1 2`, `Request to ${source.title}`, 'request', source.name],
    [`call models.preview /api/x?search=ada@x.test 70000 u`, 'Call of models.preview', 'call', ''],
    [`job run-sync {"sync":"${sync}"}`, 'Run of Customers', 'job', `workspaces/${workspace}/syncs/${sync}`],
    [`job compute-audience {"audience":"${audienceId}","version":1}`, 'Members of Reachable', 'job', audience.name],
    [`audience-sending ${audienceId} d`, 'Changes of Reachable', 'job', audience.name],
    // A resource that was deleted, or is in another workspace, has no title.
    [`delivery ${newId()} 3-9-0-a`, 'Event 3-9-0-a', 'event', ''],
    ['job erase-people {"request":"r"}', 'Job erase-people', 'job', ''],
  ]
  for (const [item] of items) await makeHeldWork(harness, workspace, { item, step: 'a step' })
  await makeSetAsideRequest(harness, workspace, 'TypeError: x is not a function\n    at place')
  await makeHeldWork(harness, other.workspaceId)
  await makeHeldWork(harness, null)
  const shown = await list()
  const time = expect.stringContaining('2026-03-04T05:06:')
  expect(shown).toHaveLength(items.length + 1)
  for (const [, title, kind, target] of items)
    expect(shown.find((each) => each.title === title)).toMatchObject({
      kind,
      target,
      reason: 'It stopped the thread main at a step',
      times: 2,
      last_time: time,
      hold_time: time,
    })
  const request = shown.find(({ title }) => title === 'Accepted request')
  expect(request).toMatchObject({ kind: 'request', times: 3, reason: expect.stringContaining('TypeError') })
  expect(JSON.stringify(shown)).not.toContain('ada@x.test')

  const own = await organization.administrator.ok(methods.heldWork.list, { workspace })
  expect(own.held_work.find(({ title }) => title === 'Accepted request')?.reason).toBe('TypeError: x is not a function')
  const paged = await organization.administrator.ok(methods.heldWork.list, { workspace }, { query: { page_size: 5 } })
  expect(paged.held_work).toEqual(own.held_work.slice(0, 5))
})

test('platform admins see held work of all workspaces, and work that belongs to no workspace', async () => {
  await makeHeldWork(harness, workspace)
  await makeHeldWork(harness, other.workspaceId)
  await makeHeldWork(harness, null, { item: 'call users.login /api/x 1 ', step: 'users.login' })
  const { held_work } = await organization.platformAdmin.ok(methods.heldWork.listAll, {})
  expect(held_work.map(({ name }) => name.split('/')[1] ?? '').toSorted()).toEqual(
    ['', other.workspaceId, workspace].toSorted(),
  )
  expect(held_work.find(({ name }) => name === '')).toMatchObject({ title: 'Call of users.login', workspace_title: '' })
})

test('an administrator releases held work for one more attempt, which is recorded', async () => {
  const { administrator } = organization
  const work = await makeHeldWork(harness, workspace, { item: 'call a', step: 'models.preview' })
  const request = await makeSetAsideRequest(harness, workspace, 'no')
  for (const [id, step] of [
    [work, 'models.preview'],
    [request, 'pipeline.steps'],
  ] as const) {
    await administrator.ok(methods.heldWork.release, { workspace, held_work: id }, { body: {} })
    harness.advance(pauseMs)
    expect((await harness.audits()).at(-1)).toMatchObject({
      action: 'heldWork.release',
      actor_id: administrator.userId,
      resource: `workspaces/${workspace}/heldWork/${id}`,
      workspace_id: workspace,
      organization_id: organization.organizationId,
      detail: { step },
    })
  }
  expect(await list()).toEqual([])
  // After the release, one more blocked thread makes three.
  const row = await harness.db.selectFrom('held_work').selectAll().where('id', '=', work).executeTakeFirstOrThrow()
  expect([row.hold_time, row.blocks.length]).toEqual([null, 2])
  const kept = await harness.db.selectFrom('set_aside_requests').select('take_back').executeTakeFirstOrThrow()
  expect(kept.take_back).toBe(true)
})

test('only administrators of its workspace can release held work; foreign, released, or unknown work gives 404', async () => {
  const release = async (caller: Organization['administrator'], held_work: string, of = workspace): Promise<number> =>
    (await harness.call(caller.token, 'POST', `/workspaces/${of}/heldWork/${held_work}:release`, {})).status
  const { administrator, collaborator, guest } = organization
  const work = await makeHeldWork(harness, workspace)
  expect([await release(guest, work), await release(collaborator, work)]).toEqual([403, 403])
  expect(await release(other.administrator, work)).toBe(404)
  expect(await release(other.administrator, work, other.workspaceId)).toBe(404)
  expect(await release(administrator, await makeHeldWork(harness, other.workspaceId))).toBe(404)
  expect(await release(administrator, await makeSetAsideRequest(harness, other.workspaceId, 'no'))).toBe(404)
  expect(await release(administrator, await makeHeldWork(harness, null))).toBe(404)
  for (const id of ['x', newId()]) expect(await release(administrator, id)).toBe(404)
  expect([await release(administrator, work), await release(administrator, work)]).toEqual([200, 404])
})

/** The response to an administrator's release. */
const release = async (
  id: string,
  by = organization,
): Promise<{ status: number; message: unknown; minutes: number }> => {
  const { status, body, headers } = await harness.call(
    by.administrator.token,
    'POST',
    `/workspaces/${by.workspaceId}/heldWork/${id}:release`,
    {},
  )
  return { status, message: body['message'], minutes: Math.round(Number(headers['retry-after'] ?? 0) / 60) }
}
const ok = { status: 200, message: undefined, minutes: 0 }
/** The clock moves a little with each look. */
const minutesUntil = (time: string | null | undefined): number =>
  Math.round((Date.parse(time ?? '') - harness.now()) / 60_000)
/** Holds the work again, as its next blocked thread does. */
const holdAgain = (id: string) =>
  harness.db
    .updateTable('held_work')
    .set({ hold_time: new Date(harness.now()) })
    .where('id', '=', id)
    .execute()

test('one item is retried at a time in the whole installation', async () => {
  const [own, others] = [await makeHeldWork(harness, workspace), await makeHeldWork(harness, other.workspaceId)]
  expect(await release(own)).toEqual(ok)
  const early = await release(others, other)
  expect(early).toEqual({
    status: 429,
    message: expect.stringContaining('only one is retried at a time'),
    minutes: 5,
  })
  expect(early.message).toContain('Try again in 5 minutes')
  const { held_work } = await other.guest.ok(methods.heldWork.list, { workspace: other.workspaceId })
  expect(held_work[0]?.releases).toBe(0)
  expect(minutesUntil(held_work[0]?.release_time)).toBe(5)
  // A refused release is not a retry: it neither releases nor counts.
  expect(await harness.db.selectFrom('work_releases').selectAll().execute()).toHaveLength(1)
  harness.advance(pauseMs)
  expect(
    (await other.guest.ok(methods.heldWork.list, { workspace: other.workspaceId })).held_work[0]?.release_time,
  ).toBeNull()
  expect(await release(others, other)).toEqual(ok)
})

test('if two releases are requested at once, one is refused', async () => {
  const both = [await makeHeldWork(harness, workspace), await makeHeldWork(harness, other.workspaceId)] as const
  const answers = await Promise.all([release(both[0]), release(both[1], other)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429])
})

test('an item is retried at most three times within 24 hours, also across a restart, while other items continue', async () => {
  const id = await makeHeldWork(harness, workspace)
  for (let turn = 0; turn < 3; turn++) {
    expect(await release(id)).toEqual(ok)
    await holdAgain(id)
    harness.advance(pauseMs)
  }
  const [shown] = await list()
  expect(shown?.releases).toBe(3)
  expect(minutesUntil(shown?.release_time)).toBe(24 * 60 - 15)
  expect(await release(id)).toEqual({
    status: 429,
    message: 'You can retry this 3 times within 24 hours. Try again in 24 hours',
    minutes: 24 * 60 - 15,
  })
  // A new process has nothing but the database.
  const restarted = releaseHeldWork({ db: harness.db, clock: harness.now })
  const call = { actor: {}, workspace: { id: workspace, organizationId: '' }, params: { held_work: id } }
  await expect(restarted(call as never)).rejects.toThrow('Try again in 24 hours')
  expect(await release(await makeHeldWork(harness, workspace))).toEqual(ok)
  const age = (minutes: number) =>
    sql`update work_releases set release_time = release_time - ${minutes} * interval '1 minute'`.execute(harness.db)
  await age(24 * 60 - 20)
  expect((await release(id)).status).toBe(429)
  await age(10)
  expect(await release(id)).toEqual(ok)
})

test('a request that is set aside again with another ID counts as the same item', async () => {
  const first = await makeSetAsideRequest(harness, workspace, 'no')
  let id = first
  for (let turn = 0; turn < 3; turn++) {
    expect(await release(id)).toEqual(ok)
    harness.advance(pauseMs)
    await harness.db.deleteFrom('set_aside_requests').execute()
    id = await makeSetAsideRequest(harness, workspace, 'no')
    await harness.db
      .updateTable('set_aside_requests')
      .set({ meta: JSON.stringify({ b: first }) })
      .execute()
  }
  expect((await release(id)).message).toContain('3 times within 24 hours')
  const [row] = await list()
  expect(row?.releases).toBe(3)
  const kept = await harness.db.selectFrom('set_aside_requests').select('take_back').executeTakeFirstOrThrow()
  expect(kept.take_back).toBe(false)
})

test('other roles and organizations are refused before the limit, which the response does not reveal', async () => {
  const id = await makeHeldWork(harness, workspace)
  expect(await release(id)).toEqual(ok)
  await holdAgain(id)
  const call = async (caller: Organization['administrator']): Promise<number> =>
    (await harness.call(caller.token, 'POST', `/workspaces/${workspace}/heldWork/${id}:release`, {})).status
  const { guest, collaborator } = organization
  expect([await call(guest), await call(collaborator), await call(other.administrator)]).toEqual([403, 403, 404])
  expect((await release(newId())).status).toBe(404)
})
