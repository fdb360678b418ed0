import { type AudienceQuery, audienceQuery, type ListKind, listLimits, listOf, methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  idIn,
  type Organization,
  startControl,
  startOrganization,
} from '../../testing/control-harness.ts'
import { receiveEvents } from '../../testing/receive-events.ts'

let harness: Harness
let organization: Organization
let workspace: string

beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

beforeEach(async () => {
  const { administrator, organization: of } = organization
  const made = await administrator.ok(methods.workspaces.create, {}, { body: { title: newId(), organization: of } })
  workspace = idIn(made.name)
})

const receive = (...events: Record<string, unknown>[]): Promise<void> => receiveEvents(harness, workspace, events)
const importList = (values: string[], kind: ListKind = 'user_id', options: { validate_only?: boolean } = {}) =>
  organization.collaborator.ok(
    methods.audiences.importList,
    { workspace },
    { body: { title: 'Invited', kind, values, ...options } },
  )
const changeList = (name: string, operation: 'add' | 'replace', values: string[], version?: number) =>
  organization.collaborator.call('POST', `/${name}:changeList`, { operation, kind: 'user_id', values, version })
const get = (name: string) => organization.collaborator.ok(methods.audiences.get, { workspace, audience: idIn(name) })
const signal = new AbortController().signal
const members = async (name: string, caller: Caller = organization.collaborator): Promise<string[]> => {
  const { version } = await get(name)
  await harness.computeAudience({ audience: idIn(name), version }, { signal })
  const found = await caller.ok(methods.audiences.listMembers, { workspace, audience: idIn(name) })
  return found.members.map(({ profile }) => profile.title).toSorted()
}
const countRows = async (table: 'audience_list_entries' | 'audience_list_changes', name: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} where audience_id = ${idIn(name)}::uuid`.execute(harness.db)
  return rows[0]?.count ?? 0
}
const within = (name: string): AudienceQuery =>
  audienceQuery.parse({
    groups: {
      aaaa: {
        segments: [
          {
            id: 'bbbb',
            queries: [{ id: 'cccc', type: 'audience', selectedAudience: { name, member: false } }],
          },
        ],
      },
    },
  })

describe('an imported list', () => {
  test('an imported list becomes an audience of the profiles that have its identifiers, and the response reports each value', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' }, { userId: 'cleo' })
    const { name, report } = await importList(['ada', 'nobody', 'ada', '', 'bob'])
    expect(report).toEqual({ found_count: 2, profile_count: 2, not_found: [1], invalid: [3], duplicates: [2] })
    expect(await members(name)).toEqual(['ada', 'bob'])
    expect(await get(name)).toMatchObject({
      state: 'live',
      size: 2,
      version: 1,
      list: { operation: 'import', kind: 'user_id', value_count: 5, found_count: 2 },
    })
  })

  test('an imported list can be counted, explained, used as a condition, and shown as SQL like any audience', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' })
    const { name } = await importList(['ada'])
    await members(name)
    const profiles = await organization.collaborator.ok(methods.profiles.list, { workspace })
    for (const { name: profile, title } of profiles.profiles)
      expect(
        await organization.collaborator.ok(
          methods.audiences.explain,
          { workspace, audience: idIn(name) },
          { query: { profile } },
        ),
      ).toMatchObject({ met: title === 'ada', conditions: [{ met: title === 'ada' }] })
    const others = await organization.collaborator.ok(
      methods.audiences.create,
      { workspace },
      { body: { title: 'Others', query: within(name) } },
    )
    expect(await members(others.name)).toEqual(['bob'])
    const path = `/${name}/statements`
    expect((await organization.guest.call('GET', path)).body.statements).toHaveLength(1)
  })

  test('an imported list finds email addresses and phone numbers by trait, in original or lower case', async () => {
    await receive(
      { userId: 'ada', type: 'identify', traits: { email: 'ada@a.example', phone: '020 7946 0958' } },
      { userId: 'bob', type: 'identify', traits: { email: 'Bob@a.example' } },
      { userId: 'cleo', type: 'identify', traits: { email: 'cleo@a.example' } },
    )
    const byEmail = await importList(['ADA@a.example', 'Bob@a.example', 'Cleo@b.example'], 'email')
    expect(byEmail.report).toMatchObject({ found_count: 2, not_found: [2] })
    expect(await members(byEmail.name)).toEqual(['ada@a.example', 'Bob@a.example'].toSorted())
    const byPhone = await importList(['020 7946 0958', '+44 20 7946 0000'], 'phone')
    expect(byPhone.report).toMatchObject({ found_count: 1, not_found: [1] })
  })

  test("an imported list matches an email address of a profile's trait, and none sent earlier with another identifier", async () => {
    const before = [{ anonymousId: 'device', type: 'identify', traits: { email: 'old@a.example' } }]
    await receiveEvents(harness, workspace, before, 120_000)
    await receive(
      { userId: 'ada', anonymousId: 'device', type: 'identify', traits: { email: 'new@a.example' } },
      { userId: 'bob', anonymousId: 'tablet', type: 'identify', traits: { email: 'bob@a.example' } },
    )
    const { name, report } = await importList(['old@a.example', 'new@a.example'], 'email')
    expect(report).toMatchObject({ found_count: 1, not_found: [0] })
    expect(await members(name)).toEqual(['new@a.example'])
  })

  test('an imported list matches email addresses as identifiers if the workspace links profiles by email', async () => {
    await receive({ userId: 'ada' })
    await sql`insert into profile_identifiers (workspace_id, type, value, profile_id, sequence, create_time)
      select workspace_id, 'email', 'ada@a.example', profile_id, 1000, now() from profile_identifiers
      where workspace_id = ${workspace}::uuid`.execute(harness.db)
    const { report } = await importList(['aDA@a.example'], 'email')
    expect(report).toMatchObject({ found_count: 1, profile_count: 1 })
  })

  test('an imported value that many profiles share matches no profile', async () => {
    const traits = { email: 'shared@a.example' }
    await receive(
      ...Array.from({ length: listLimits.matches + 1 }, (_, index) => ({
        userId: `user ${index}`,
        type: 'identify',
        traits,
      })),
    )
    const { report } = await importList(['shared@a.example'], 'email', { validate_only: true })
    expect(report).toMatchObject({ found_count: 0, not_found: [0] })
  })

  test('a list that is only validated or that matches no profile stores nothing', async () => {
    await receive({ userId: 'ada' })
    expect(await importList(['ada'], 'user_id', { validate_only: true })).toMatchObject({
      name: '',
      report: { found_count: 1 },
    })
    const body = { title: 'Invited', kind: 'user_id', values: ['nobody'] }
    const reply = await organization.collaborator.call('POST', `/workspaces/${workspace}/audiences:importList`, body)
    expect(reply).toMatchObject({ status: 400, body: { message: 'No profile has one of these identifiers' } })
    const { audiences } = await organization.collaborator.ok(methods.audiences.list, { workspace })
    expect(audiences).toEqual([])
  })

  test('a repeated import request creates only one audience', async () => {
    await receive({ userId: 'ada' })
    const body = { title: 'Invited', kind: 'user_id' as const, values: ['ada'], request_id: crypto.randomUUID() }
    const first = await organization.collaborator.ok(methods.audiences.importList, { workspace }, { body })
    expect(await organization.collaborator.ok(methods.audiences.importList, { workspace }, { body })).toEqual(first)
    expect(await countRows('audience_list_entries', first.name)).toBe(1)
  })

  test('an imported list does not match a profile that appears later, until it is imported again', async () => {
    await receive({ userId: 'ada' })
    const { name } = await importList(['ada', 'bob'])
    await receive({ userId: 'bob' })
    expect(await members(name)).toEqual(['ada'])
    await changeList(name, 'add', ['bob'])
    expect(await members(name)).toEqual(['ada', 'bob'])
  })

  test('an imported list follows merges and splits of its profiles', async () => {
    await receive({ userId: 'ada' }, { anonymousId: 'tablet' })
    const { name } = await importList(['tablet'], 'anonymous_id')
    await receive({ userId: 'ada', anonymousId: 'tablet' })
    expect(await members(name)).toEqual(['ada'])
    const { profiles } = await organization.collaborator.ok(methods.profiles.list, { workspace })
    await organization.administrator.ok(
      methods.profiles.split,
      { workspace, profile: idIn(profiles[0]?.name ?? '') },
      { body: { identifiers: [{ type: 'anonymous_id', value: 'tablet' }] } },
    )
    expect(await members(name)).toEqual(['tablet'])
  })

  test('suppressed users leave an imported list, and deleted users are removed from every version', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' }, { userId: 'cleo' })
    const { name } = await importList(['ada', 'bob', 'cleo'])
    await changeList(name, 'replace', ['ada', 'bob'])
    for (const [kind, value] of [
      ['suppress', 'ada'],
      ['delete', 'cleo'],
      ['delete', 'bob'],
    ] as const)
      await organization.administrator.ok(
        methods.privacyRequests.create,
        { workspace },
        { body: { kind, identifiers: [{ type: 'user_id', value }] } },
      )
    expect(await members(name)).toEqual([])
    expect(await countRows('audience_list_entries', name)).toBe(1)
    // A deleted user who returns is another profile.
    await receive({ userId: 'bob' })
    expect(await members(name)).toEqual([])
  })
})

describe('a changed list', () => {
  test('people can be added, replaced, or removed in a list; each change is a version with author, and can be restored', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' }, { userId: 'cleo' })
    const { name } = await importList(['ada'])
    expect((await changeList(name, 'add', ['bob', 'nobody'])).body).toMatchObject({
      report: { found_count: 1, not_found: [1] },
    })
    expect(await members(name)).toEqual(['ada', 'bob'])
    await changeList(name, 'replace', ['cleo', 'bob'])
    expect(await members(name)).toEqual(['bob', 'cleo'])
    const { profiles } = await organization.collaborator.ok(methods.profiles.list, { workspace })
    const bob = profiles.find(({ title }) => title === 'bob')?.name ?? ''
    const params = { workspace, audience: idIn(name) }
    const remove = () =>
      organization.collaborator.ok(methods.audiences.removeFromList, params, { body: { profile: bob } })
    expect(await remove()).toEqual({ removed_count: 1 })
    expect(await members(name)).toEqual(['cleo'])
    expect(await remove()).toEqual({ removed_count: 0 })
    const restore = (version: string) =>
      organization.collaborator.ok(methods.audiences.restoreVersion, { ...params, version }, { body: {} })
    await restore('2')
    expect(await members(name)).toEqual(['ada', 'bob'])
    // Values are added to the restored list.
    await changeList(name, 'add', ['cleo'])
    expect(await members(name)).toEqual(['ada', 'bob', 'cleo'])
    await restore('3')
    expect(await members(name)).toEqual(['bob', 'cleo'])
    const { versions } = await organization.collaborator.ok(methods.audiences.listVersions, params)
    expect(versions.map(({ list, restored_version }) => list?.operation ?? `restored ${restored_version}`)).toEqual([
      'restored 3',
      'add',
      'restored 2',
      'remove',
      'replace',
      'add',
      'import',
    ])
    expect(versions[5]?.list).toMatchObject({ kind: 'user_id', value_count: 2, found_count: 1 })
    expect(versions[5]?.list?.author).not.toBe('')
    const actions = (await harness.audits()).filter(({ resource }) => resource === name).map(({ action }) => action)
    expect(actions.slice(0, 4)).toEqual([
      'audiences.create',
      'audiences.changeList',
      'audiences.changeList',
      'audiences.removeFromList',
    ])
  })

  test('a list rejects the second of two changes of the same version, and stores nothing of it', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' })
    const { name } = await importList(['ada'])
    await changeList(name, 'add', ['bob'], 1)
    expect(await changeList(name, 'replace', ['bob'], 1)).toMatchObject({
      status: 409,
      body: { reason: 'AUDIENCE_CHANGED' },
    })
    expect(await members(name)).toEqual(['ada', 'bob'])
  })

  test('a list cannot become a query, and a query cannot refer to the list of another audience', async () => {
    await receive({ userId: 'ada' })
    const { name } = await importList(['ada'])
    const { query, title } = await get(name)
    const patch = (to: string, body: object) =>
      organization.collaborator.call('PATCH', `/${to}?update_mask=query`, body)
    expect((await patch(name, { query: within(name) })).status).toBe(400)
    const { body: plain } = await organization.collaborator.call('POST', `/workspaces/${workspace}/audiences`, {
      title: 'Plain',
      query: within(name),
    })
    const path = `/workspaces/${workspace}/audiences`
    expect((await patch(String(plain.name), { query })).status).toBe(400)
    expect((await organization.collaborator.call('POST', path, { title, query })).status).toBe(400)
    expect((await organization.collaborator.call('POST', `${path}:preview`, { query })).status).toBe(400)
    const list = listOf(query)
    const other = structuredClone(query)
    Object.assign(other.groups['list']?.segments[0]?.queries[0] ?? {}, { selectedList: { ...list, version: 9 } })
    expect((await patch(name, { query: other })).body.message).toBe(
      'This query names a version of a list that does not exist',
    )
    expect(await changeList(String(plain.name), 'add', ['ada'])).toMatchObject({
      status: 400,
      body: { reason: 'NO_LIST' },
    })
  })

  test("guests see a list's people masked and change nothing; other organizations find neither the list nor its people", async () => {
    await receive({ userId: 'ada.lovelace' })
    const { name } = await importList(['ada.lovelace'])
    expect(await members(name, organization.guest)).toEqual(['ad•••'])
    const other = await startOrganization(harness)
    const change = { operation: 'add', kind: 'user_id', values: ['ada.lovelace'] }
    const { profiles } = await organization.collaborator.ok(methods.profiles.list, { workspace })
    const profile = profiles[0]?.name
    for (const [call, body] of [
      ['changeList', change],
      ['removeFromList', { profile }],
    ] as const) {
      expect((await organization.guest.call('POST', `/${name}:${call}`, body)).status).toBe(403)
      expect((await other.administrator.call('POST', `/${name}:${call}`, body)).status).toBe(404)
    }
    const list = { title: 'Invited', kind: 'user_id', values: ['ada.lovelace'] }
    const own = `/workspaces/${other.workspaceId}/audiences:importList`
    expect((await other.administrator.call('POST', own, list)).body.message).toContain('No profile')
    const into = `/workspaces/${workspace}/audiences:importList`
    expect((await organization.guest.call('POST', into, list)).status).toBe(403)
    expect((await other.administrator.call('POST', into, list)).status).toBe(404)
  })

  test('a value that no stored version contains is removed', async () => {
    await receive({ userId: 'ada' }, { userId: 'bob' })
    const { name } = await importList(['ada'])
    await changeList(name, 'replace', ['bob'])
    expect(await countRows('audience_list_entries', name)).toBe(2)
    await harness.db
      .deleteFrom('audience_versions')
      .where('audience_id', '=', idIn(name))
      .where('version', '=', 1)
      .execute()
    await changeList(name, 'add', ['bob'])
    expect(await countRows('audience_list_entries', name)).toBe(1)
    expect(await countRows('audience_list_changes', name)).toBe(2)
  })
})

test('more than 50,000 values are refused, and a list of 50,000 is imported within a few seconds', async () => {
  await receive(...Array.from({ length: 2000 }, (_, index) => ({ userId: `user ${index}` })))
  const values = Array.from({ length: listLimits.values }, (_, index) => `user ${index}`)
  const path = `/workspaces/${workspace}/audiences:importList`
  const body = { title: 'Many', kind: 'user_id', values: [...values, 'one more'] }
  expect((await organization.collaborator.call('POST', path, body)).status).toBe(400)
  const { name, report } = await importList(values)
  expect(report.found_count).toBe(2000)
  expect(report.not_found).toHaveLength(48_000)
  expect(await members(name)).toHaveLength(50)
  expect((await get(name)).size).toBe(2000)
})
