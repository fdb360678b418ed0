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

test('API-43, API-48, SRC-58: a write key is created for the named source', async () => {
  const { administrator, workspaceId } = organization
  const { source } = await make()
  const reply = await administrator.call('POST', `/workspaces/${workspaceId}/writekeys`, { source: source.name })
  expect(reply).toMatchObject({
    status: 200,
    body: {
      name: expect.stringMatching(new RegExp(`^workspaces/${workspaceId}/writekeys/[0-9a-f-]{36}$`)),
      key: expect.stringMatching(/^[\w-]{32}$/),
      source: source.name,
      create_time: expect.stringMatching(/Z$/),
    },
  })
})

test('a write key is unique, shown to every member, and stored encrypted', async () => {
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

test('a revoked write key leaves the list and cannot be revoked twice', async () => {
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

test('rotating a write key makes another with its title and source, and revokes the old one in the same step', async () => {
  const { collaborator, workspaceId } = organization
  const { source } = await make()
  const old = await collaborator.ok(
    methods.writekeys.create,
    { workspace: workspaceId },
    { body: { source: source.name, title: 'Website' } },
  )
  const before = (await harness.audits()).length
  const params = { workspace: workspaceId, writekey: idIn(old.name) }
  const rotated = await collaborator.ok(methods.writekeys.rotate, params, { body: {} })
  expect(rotated).toMatchObject({ title: 'Website', source: source.name, last_used_time: null })
  expect(rotated.key).toMatch(/^[\w-]{32}$/)
  expect(rotated.key).not.toBe(old.key)
  const rows = await harness.db
    .selectFrom('write_keys')
    .select(['id', 'create_time', 'revoke_time'])
    .where('id', 'in', [idIn(old.name), idIn(rotated.name)])
    .orderBy('create_time')
    .execute()
  expect(rows).toEqual([
    { id: idIn(old.name), create_time: expect.any(Date), revoke_time: rows[1]?.create_time },
    { id: idIn(rotated.name), create_time: expect.any(Date), revoke_time: null },
  ])
  const records = (await harness.audits()).slice(before)
  expect(records).toMatchObject([
    { action: 'writekeys.rotate', resource: old.name, detail: { title: 'Website', made: rotated.name } },
  ])
  expect(JSON.stringify(records)).not.toContain(rotated.key)
  expect((await collaborator.call('POST', `/${old.name}:rotate`, {})).status).toBe(404)
})

test('if many callers rotate one write key at once, one makes the new key', async () => {
  const { administrator, workspaceId } = organization
  const { source, writekey } = await make()
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => administrator.call('POST', `/${writekey.name}:rotate`, {})),
  )
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404])
  const query = { source: source.name }
  const { writekeys } = await administrator.ok(methods.writekeys.list, { workspace: workspaceId }, { query })
  expect(writekeys).toEqual([replies.find(({ status }) => status === 200)?.body])
})

test('a source that is deleted while its write key is rotated keeps no key', async () => {
  const { administrator, workspaceId } = organization
  for (let round = 0; round < 5; round++) {
    const { source, writekey } = await make()
    await Promise.all([
      administrator.call('POST', `/${writekey.name}:rotate`, {}),
      administrator.call('DELETE', `/${source.name}`),
    ])
    const { writekeys } = await administrator.ok(methods.writekeys.list, { workspace: workspaceId })
    expect(writekeys.filter((each) => each.source === source.name)).toEqual([])
  }
})

test('guests, outsiders, and callers with foreign or made-up keys cannot rotate', async () => {
  const { administrator, guest, outsider, workspaceId, otherWorkspaceId } = organization
  const { writekey } = await make()
  const foreign = await makeResources(otherWorkspaceId, outsider)
  const path = `/${writekey.name}:rotate`
  expect((await guest.call('POST', path, {})).status).toBe(403)
  expect((await outsider.call('POST', path, {})).status).toBe(404)
  expect((await harness.call('', 'POST', path, {})).status).toBe(401)
  for (const id of [idIn(foreign.writekey.name), newId(), 'x'])
    expect((await administrator.call('POST', `/workspaces/${workspaceId}/writekeys/${id}:rotate`, {})).status).toBe(404)
})

test('a repeated creation request makes one write key, and returns it both times', async () => {
  const { administrator, workspaceId } = organization
  const { source } = await make()
  const body = { source: source.name, request_id: crypto.randomUUID() }
  const [a, b] = await Promise.all(
    [1, 2].map(() => administrator.ok(methods.writekeys.create, { workspace: workspaceId }, { body })),
  )
  expect(a).toEqual(b)
})

test('a write key is refused for a source that is deleted, made up, or foreign', async () => {
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

test('the last use of a write key shows on it and on its source, and never goes back', async () => {
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
