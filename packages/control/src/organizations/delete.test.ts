import { methodList, methods } from '@tributary/contract'
import { newId, setFaultHandler } from '@tributary/kernel'
import { type OpenIdProvider, startOpenIdProvider } from '@tributary/test-kit'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeApiKey } from '../testing/api-keys.ts'
import { addCard } from '../testing/billing-requests.ts'
import {
  type Harness,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { createRequests } from '../testing/requests.ts'
import { loopbackUrl, openIdSettings } from '../testing/sign-ins.ts'

let harness: Harness
let provider: OpenIdProvider
/** Receipt time of the oldest record in the logs. */
let oldest = Number.POSITIVE_INFINITY
beforeAll(async () => {
  provider = await startOpenIdProvider()
  harness = await startControl({
    openId: openIdSettings(provider),
    publicUrl: () => loopbackUrl,
    oldestLogged: async () => oldest,
  })
})
afterEach(() => {
  oldest = Number.POSITIVE_INFINITY
  setFaultHandler(undefined)
})
afterAll(async () => {
  await harness[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

const deletion = ({ organization, administrator }: Organization, title = 'Acme Inc', by = administrator) =>
  by.call('POST', `/${organization}:delete`, { title })
const remove = () => harness.removeDeletedOrganizations({ signal: new AbortController().signal })

/** An event and a delivery of a workspace. */
const storeRows = async ({ workspaceId }: Organization): Promise<void> => {
  for (const [table, own] of [
    ['events', 'source_id'],
    ['deliveries', 'destination_id'],
  ] as const)
    await harness.eventStore.insert(
      table,
      JSON.stringify({ workspace_id: workspaceId, [own]: newId(), event_id: newId(), message_id: newId() }),
      { token: newId() },
    )
}

/** Creates one of each resource that an organization and a workspace can have. */
const fill = async (made: Organization): Promise<void> => {
  const requestOf = await createRequests(harness, made, provider)
  // Requests of these methods make the resource that they read.
  for (const name of ['profiles.get', 'syncRuns.get']) await requestOf(name, made.platformAdmin)
  const creating = methodList.filter(
    ({ name, access }) =>
      /\.(create|batchCreate)$/.test(name) &&
      name !== 'replays.create' &&
      ['workspace', 'organization'].includes(access.scope),
  )
  for (const { name, verb } of creating) {
    const { path, body } = await requestOf(name, made.platformAdmin)
    const { status } = await made.platformAdmin.call(verb, path, body)
    if (status !== 200) throw new Error(`${name} is answered with ${status}`)
  }
  await storeRows(made)
}

/** The rows of an organization or of one of its workspaces, by table in either store. */
const rowsOf = async ({ organizationId, workspaceId }: Organization): Promise<Record<string, number>> => {
  const { rows } = await sql<{ table: string; column: string }>`
select c.table_name as table, c.column_name as column from information_schema.columns c
join information_schema.tables t using (table_schema, table_name)
where c.table_schema = 'public' and c.column_name in ('workspace_id', 'organization_id') and t.table_type = 'BASE TABLE'`.execute(
    harness.db,
  )
  const found: Record<string, number> = {}
  const note = (table: string, count: number): void => {
    if (count > 0) found[table] = (found[table] ?? 0) + count
  }
  for (const { table, column } of rows) {
    const id = column === 'workspace_id' ? workspaceId : organizationId
    const counted = await sql<{ count: number }>`
select count(*)::int as count from ${sql.table(table)} where ${sql.ref(column)} = ${id}::uuid`.execute(harness.db)
    note(table, counted.rows[0]?.count ?? 0)
  }
  const stored = await harness.eventStore.query<{ table: string }>(
    "select table from system.columns where database = currentDatabase() and name = 'workspace_id'",
    undefined,
    { owner: 'system' },
  )
  for (const { table } of stored) {
    const [counted] = await harness.eventStore.query<{ count: number }>(
      `select count() as count from ${table} where workspace_id = {workspace:String}`,
      { workspace: workspaceId },
      { owner: 'system' },
    )
    note(`stored ${table}`, Number(counted?.count ?? 0))
  }
  return found
}

describe('deleting an organization', () => {
  test('deleting an organization needs its name, an administrator, and no API key; a refused call changes nothing', async () => {
    const made = await startOrganization(harness)
    const { administrator, collaborator, guest, outsider } = made
    for (const title of ['', 'Acme', 'acme inc', 'Other Inc'])
      expect(await deletion(made, title)).toMatchObject({
        status: 400,
        body: { metadata: { title: expect.any(String) } },
      })
    for (const [by, status] of [
      [collaborator, 403],
      [guest, 403],
      [outsider, 404],
    ] as const)
      expect((await deletion(made, 'Acme Inc', by)).status).toBe(status)
    const { key } = await makeApiKey(made)
    expect(await harness.call(key, 'POST', `/${made.organization}:delete`, { title: 'Acme Inc' })).toMatchObject({
      status: 403,
      body: { reason: 'NOT_FOR_KEYS' },
    })
    expect((await administrator.call('GET', `/${made.organization}`)).status).toBe(200)
    expect((await harness.audits()).filter(({ action }) => action === 'organizations.delete')).toEqual([])
  })

  test('deleting an organization immediately ends access of members, staff, keys, and links, and affects no other organization', async () => {
    const made = await startOrganization(harness)
    const { administrator, guest, platformAdmin, workspace, organization, organizationId } = made
    const { key } = await makeApiKey(made)
    const link = await administrator.ok(
      methods.invitationLinks.create,
      { organization: organizationId },
      { body: { role: 'ORG_GUEST' } },
    )
    const source = { title: 'Shop', app: { name: 'catalogSources/http' } }
    const { name } = await administrator.ok(methods.sources.create, { workspace: made.workspaceId }, { body: source })
    const before = harness.accessChanges.length
    expect((await deletion(made)).status).toBe(200)
    expect(harness.accessChanges.slice(before)).toEqual(expect.arrayContaining([administrator.userId, guest.userId]))
    for (const by of [administrator, guest, platformAdmin])
      for (const path of [organization, workspace, name, `${workspace}/sources`])
        expect([path, (await by.call('GET', `/${path}`)).status]).toEqual([path, 404])
    expect((await harness.call(key, 'GET', `/${workspace}/sources`)).status).toBe(401)
    expect((await harness.call('', 'GET', `/${link.name}`)).status).toBe(404)
    expect((await guest.call('GET', '/workspaces')).body).toMatchObject({ workspaces: [] })
    expect((await platformAdmin.call('GET', `/organizations:find?search=${organizationId}`)).body).toMatchObject({
      organizations: [],
    })
    expect((await platformAdmin.call('GET', `/workspaces:find?search=${made.workspaceId}`)).body).toMatchObject({
      workspaces: [],
    })
    expect((await made.outsider.call('GET', `/workspaces/${made.otherWorkspaceId}`)).status).toBe(200)
    expect((await deletion(made)).status).toBe(404)
    // A user without any organization can create another one.
    const next = { title: 'Next Inc', industry: 'gaming', workspace_title: 'Main' } as const
    expect((await guest.ok(methods.organizations.create, {}, { body: next })).organization.title).toBe('Next Inc')
  })

  test('deleting an organization immediately ends its subscription under a recorded ID, and is audited', async () => {
    const made = await startOrganization(harness)
    const { administrator, organization, organizationId } = made
    await addCard(administrator, organizationId)
    const bought = { plan: 'plans/team', recurring_interval: 'MONTHLY' }
    expect((await administrator.call('PATCH', `/${organization}/subscription`, bought)).status).toBe(200)
    expect((await deletion(made)).status).toBe(200)
    const { rows } = await sql<{ status: string }>`
select s.status from sandbox_subscriptions s join sandbox_customers c on c.id = s.customer
where c.organization_id = ${organizationId}::uuid`.execute(harness.db)
    expect(rows).toEqual([{ status: 'canceled' }])
    const audits = (await harness.audits()).filter((row) => row.organization_id === organizationId)
    expect(audits.slice(-2)).toMatchObject([
      {
        action: 'organizations.delete',
        actor_id: administrator.userId,
        detail: { title: 'Acme Inc', workspaces: ['Production'], members: 4 },
      },
      { action: 'subscriptions.cancel', actor_id: administrator.userId },
    ])
  })

  test('deleting an organization waits for a running plan change, which could create a subscription without an owner', async () => {
    const made = await startOrganization(harness)
    await harness.db
      .insertInto('payment_operations')
      .values({
        id: newId(),
        organization_id: made.organizationId,
        request: JSON.stringify({ change: { kind: 'resume' }, action: 'subscriptions.resume' }),
        actor: made.administrator.userId,
        create_time: new Date(),
        done_time: null,
        outcome: null,
      })
      .execute()
    expect((await deletion(made)).status).toBe(200)
    const { rows } = await sql<{ outcome: string }>`
select outcome from payment_operations where organization_id = ${made.organizationId}::uuid`.execute(harness.db)
    expect(rows).toEqual([{ outcome: 'done' }, { outcome: 'done' }])
  })
})

describe('deleting a workspace', () => {
  const deleteWorkspace = ({ workspace, administrator }: Organization, title = 'Production', by = administrator) =>
    by.call('POST', `/${workspace}:delete`, { title })
  const another = ({ administrator, organization }: Organization) =>
    administrator.ok(methods.workspaces.create, {}, { body: { title: 'Staging', organization } })

  test('deleting a workspace needs its name, an administrator, no API key, and another workspace; a refused call changes nothing', async () => {
    const made = await startOrganization(harness)
    const { administrator, collaborator, guest, outsider } = made
    expect(await deleteWorkspace(made)).toMatchObject({ status: 409, body: { reason: 'LAST_WORKSPACE' } })
    await another(made)
    for (const title of ['', 'production', 'Staging'])
      expect(await deleteWorkspace(made, title)).toMatchObject({
        status: 400,
        body: { metadata: { title: expect.any(String) } },
      })
    for (const [by, status] of [
      [collaborator, 403],
      [guest, 403],
      [outsider, 404],
    ] as const)
      expect((await deleteWorkspace(made, 'Production', by)).status).toBe(status)
    const { key } = await makeApiKey(made)
    expect(await harness.call(key, 'POST', `/${made.workspace}:delete`, { title: 'Production' })).toMatchObject({
      status: 403,
      body: { reason: 'NOT_FOR_KEYS' },
    })
    expect((await administrator.call('GET', `/${made.workspace}`)).status).toBe(200)
  })

  test('if two workspaces are deleted at once, the last one stays', async () => {
    const made = await startOrganization(harness)
    const staging = await another(made)
    const answers = await Promise.all([
      deleteWorkspace(made),
      made.administrator.call('POST', `/${staging.name}:delete`, { title: 'Staging' }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test('deleting a workspace immediately ends access to it, keeps other workspaces and the plan, and is audited', async () => {
    const made = await startOrganization(harness)
    const { administrator, guest, platformAdmin, workspace, workspaceId, organization, organizationId } = made
    await addCard(administrator, organizationId)
    const bought = { plan: 'plans/team', recurring_interval: 'MONTHLY' }
    expect((await administrator.call('PATCH', `/${organization}/subscription`, bought)).status).toBe(200)
    const staging = await another(made)
    const own = await makeApiKey(made, { workspace })
    const all = await makeApiKey(made)
    const source = { title: 'Shop', app: { name: 'catalogSources/http' } }
    const { name } = await administrator.ok(methods.sources.create, { workspace: workspaceId }, { body: source })
    const before = harness.accessChanges.length
    expect((await deleteWorkspace(made)).status).toBe(200)
    expect(harness.accessChanges.slice(before)).toEqual(expect.arrayContaining([administrator.userId, guest.userId]))
    for (const by of [administrator, guest, platformAdmin])
      for (const path of [workspace, name, `${workspace}/sources`])
        expect([path, (await by.call('GET', `/${path}`)).status]).toEqual([path, 404])
    expect((await harness.call(own.key, 'GET', `/${staging.name}/sources`)).status).toBe(401)
    expect((await harness.call(all.key, 'GET', `/${workspace}/sources`)).status).toBe(404)
    expect((await harness.call(all.key, 'GET', `/${staging.name}/sources`)).status).toBe(200)
    expect((await guest.ok(methods.workspaces.list, {})).workspaces.map((each) => each.name)).toEqual([staging.name])
    expect((await platformAdmin.call('GET', `/workspaces:find?search=${workspaceId}`)).body).toMatchObject({
      workspaces: [],
    })
    const usage = await administrator.ok(methods.organizations.getUsage, { organization: organizationId })
    expect(usage).toMatchObject({ workspaces: 1, sources: 0 })
    expect(await administrator.ok(methods.subscriptions.get, { organization: organizationId })).toMatchObject({
      plan: 'plans/team',
      next: null,
    })
    const audits = (await harness.audits()).filter((row) => row.organization_id === organizationId)
    expect(audits.at(-1)).toMatchObject({
      action: 'workspaces.delete',
      actor_id: administrator.userId,
      workspace_id: workspaceId,
      detail: { title: 'Production', sources: 1, destinations: 0, syncs: 0 },
    })
    expect((await deleteWorkspace(made)).status).toBe(404)
    const listed = await administrator.ok(methods.auditRecords.list, { organization: organizationId })
    expect(listed.audit_records[0]).toMatchObject({ action: 'workspaces.delete' })
  })

  test('deleting a workspace removes its data from every table of both stores, also after a kill, and no other data', async () => {
    const made = await startOrganization(harness)
    const staging = await another(made)
    const kept = { ...made, workspace: staging.name, workspaceId: staging.name.replace('workspaces/', '') }
    await makeResources(kept.workspaceId, made.administrator)
    await storeRows(kept)
    await fill(made)
    expect((await deleteWorkspace(made)).status).toBe(200)
    setFaultHandler((at) => {
      if (at === 'remove-workspace.before-last') throw new Error('killed')
    })
    await remove()
    setFaultHandler(undefined)
    const staysOf = await rowsOf(kept)
    oldest = 0
    await remove()
    oldest = Number.POSITIVE_INFINITY
    harness.advance(3_600_000)
    await remove()
    // Rows of the organization and of the other workspace are as they were; those by workspace are the audit log's alone.
    expect(await rowsOf({ ...made, organizationId: newId() })).toEqual({ audit_log: expect.any(Number) })
    expect(await rowsOf(kept)).toEqual({ ...staysOf, workspaces: Number(staysOf.workspaces) - 1 })
    expect((await made.administrator.call('GET', `/${staging.name}/sources`)).status).toBe(200)
  })
})

describe('the data of a deleted organization', () => {
  test('the data of a deleted organization is removed from every table of both stores, except the record of the deletion', async () => {
    const [made, other] = [await startOrganization(harness), await startOrganization(harness)]
    await fill(made)
    await makeResources(other.workspaceId, other.administrator)
    await storeRows(other)
    const kept = await rowsOf(other)
    expect((await deletion(made)).status).toBe(200)
    setFaultHandler((at) => {
      if (at === 'remove-organization.before-last') throw new Error('killed')
    })
    await remove()
    setFaultHandler(undefined)
    expect((await rowsOf(made)).workspaces).toBe(1)
    await remove()
    expect(await rowsOf(made)).toEqual({ audit_log: 1 })
    expect(await rowsOf(other)).toEqual(kept)
  })

  test('the event store is searched again until no log has older data, so data that was stored after the deletion is removed, too', async () => {
    const made = await startOrganization(harness)
    await storeRows(made)
    expect((await deletion(made)).status).toBe(200)
    oldest = 0
    await remove()
    const left = await rowsOf(made)
    expect(Object.keys(left).filter((table) => table.startsWith('stored'))).toEqual([])
    expect(left.workspaces).toBe(1)
    const late = { workspace_id: made.workspaceId, source_id: newId(), event_id: newId(), message_id: newId() }
    await harness.eventStore.insert('events', JSON.stringify(late), { token: newId() })
    oldest = Number.POSITIVE_INFINITY
    // Not before an hour has passed.
    await remove()
    expect((await rowsOf(made)).workspaces).toBe(1)
    harness.advance(3_600_000)
    await remove()
    expect(await rowsOf(made)).toEqual({ audit_log: 1 })
  })
})
