import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRefusalSink } from '../index.ts'
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
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const make = () => makeResources(organization.workspaceId, organization.administrator)

test('a key is unlike every other, shown to every member, and kept encrypted', async () => {
  const [a, b] = [await make(), await make()]
  expect(a.writekey.key).toMatch(/^[\w-]{32}$/)
  expect(a.writekey.key).not.toBe(b.writekey.key)
  const listed = await organization.guest.ok(
    methods.writekeys.list,
    { workspace: organization.workspaceId },
    { query: { source: a.source.name } },
  )
  expect(listed.writekeys).toEqual([a.writekey])
  const rows = await harness.db.selectFrom('write_keys').selectAll().execute()
  for (const row of rows) {
    const stored = Buffer.concat([Buffer.from(row.key_encrypted), Buffer.from(row.key_hash)])
    expect(stored.includes(a.writekey.key)).toBe(false)
  }
})

test('a revoked key leaves the list and cannot be revoked twice', async () => {
  const { administrator, workspaceId } = organization
  const made = await make()
  const params = { workspace: workspaceId, writekey: idIn(made.writekey.name) }
  await administrator.ok(methods.writekeys.delete, params)
  const listed = await administrator.ok(
    methods.writekeys.list,
    { workspace: workspaceId },
    { query: { source: made.source.name } },
  )
  expect(listed.writekeys).toEqual([])
  expect((await administrator.call('DELETE', `/${made.writekey.name}`)).status).toBe(404)
})

test('a request sent twice makes one key, and answers it both times', async () => {
  const { administrator, workspaceId } = organization
  const { source } = await make()
  const body = { source: source.name, request_id: crypto.randomUUID() }
  const [a, b] = await Promise.all(
    [1, 2].map(() => administrator.ok(methods.writekeys.create, { workspace: workspaceId }, { body })),
  )
  expect(a).toEqual(b)
})

test('a key is refused for a source that is deleted, made up, or of another workspace', async () => {
  const { administrator, outsider, workspaceId, otherWorkspaceId } = organization
  const gone = await make()
  await administrator.call('DELETE', `/${gone.source.name}`)
  const foreign = await makeResources(otherWorkspaceId, outsider)
  const path = `/workspaces/${workspaceId}/writekeys`
  for (const source of [
    gone.source.name,
    `workspaces/${workspaceId}/sources/${newId()}`,
    foreign.source.name,
    `workspaces/${workspaceId}/sources/${idIn(foreign.source.name)}`,
  ]) {
    expect(await administrator.call('POST', path, { source })).toMatchObject({ status: 404 })
    expect(await administrator.call('GET', `${path}?source=${source}`)).toMatchObject({ status: 404 })
  }
  for (const source of ['x', 'sources/x', `workspaces/${workspaceId}/destinations/${newId()}`])
    expect(await administrator.call('POST', path, { source })).toMatchObject({
      status: 400,
      body: { metadata: { source: /Must be a name/ } },
    })
  expect(
    await administrator.call('DELETE', `/workspaces/${workspaceId}/writekeys/${idIn(foreign.writekey.name)}`),
  ).toMatchObject({ status: 404 })
})

test('the last use of a key shows on it and on its source, and never goes back', async () => {
  const { administrator, workspaceId } = organization
  const { writekey, source } = await make()
  const sink = createRefusalSink({ db: harness.db })
  const keyId = idIn(writekey.name)
  const latest = '2026-05-05T05:05:05.555Z'
  await sink.touchWriteKeys([
    { keyId, lastUsed: Date.parse(latest) },
    { keyId, lastUsed: Date.parse(latest) - 1 },
    { keyId: newId(), lastUsed: 1 },
  ])
  await sink.touchWriteKeys([{ keyId, lastUsed: 1 }])
  await sink.touchWriteKeys([])
  const params = { workspace: workspaceId, source: idIn(source.name) }
  expect(await administrator.ok(methods.sources.get, params)).toMatchObject({
    has_received: true,
    last_event_time: latest,
  })
  const listed = await administrator.ok(
    methods.writekeys.list,
    { workspace: workspaceId },
    { query: { source: source.name } },
  )
  expect(listed.writekeys).toMatchObject([{ last_used_time: latest }])
})
