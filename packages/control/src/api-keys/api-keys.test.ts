import { keyAreaNames, maxApiKeys, methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApiKey } from '../testing/api-keys.ts'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'

const hourMs = 3_600_000

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const sources = (key: string, { workspaceId }: Pick<Organization, 'workspaceId'> = organization) =>
  harness.call(key, 'GET', `/workspaces/${workspaceId}/sources`)

const refusal = async (key: string) => {
  const { status, body } = await sources(key)
  return [status, body.reason]
}

const list = async () =>
  (
    await organization.administrator.ok(
      methods.apiKeys.list,
      { organization: organization.organizationId },
      { query: { page_size: 1000 } },
    )
  ).api_keys

const at = (id: string) => ({ organization: organization.organizationId, api_key: id })

test('a key is shown once and stored as a hash, and its last use is shown', async () => {
  const { id, key } = await makeApiKey(organization, { title: 'Terraform' })
  const listed = async () => (await list()).find(({ name }) => name.endsWith(id))
  expect(await listed()).toMatchObject({
    title: 'Terraform',
    role: 'ORG_ADMIN',
    areas: keyAreaNames,
    workspace: null,
    hint: key.slice(-4),
    creator: organization.administrator.email,
    last_used_time: null,
  })
  expect((await sources(key)).status).toBe(200)
  expect((await listed())?.last_used_time).not.toBeNull()
  expect(JSON.stringify(await list())).not.toContain(key)
  expect(JSON.stringify(await harness.audits())).not.toContain(key)
  const { rows } = await harness.database.pool.query<{ text: string }>('select t::text as text from api_keys t')
  expect(rows.some(({ text }) => text.includes(key))).toBe(false)
})

test('a revoked key is refused immediately, and the response says that it was revoked', async () => {
  const { id, key } = await makeApiKey(organization)
  expect((await sources(key)).status).toBe(200)
  await organization.administrator.ok(methods.apiKeys.delete, at(id))
  expect(await refusal(key)).toEqual([401, 'KEY_REVOKED'])
  expect((await organization.administrator.call('DELETE', `/${(await list())[0]?.name ?? ''}x`)).status).toBe(404)
})

test('an expired key is refused, the response says so, and the key cannot be rotated', async () => {
  const end = new Date(harness.now() + 48 * hourMs).toISOString()
  const { id, key } = await makeApiKey(organization, { expire_time: end })
  expect((await sources(key)).status).toBe(200)
  harness.advance(49 * hourMs)
  organization.administrator = await harness.person({ [organization.organizationId]: 'ORG_ADMIN' })
  expect(await refusal(key)).toEqual([401, 'KEY_EXPIRED'])
  const path = `/organizations/${organization.organizationId}/apiKeys/${id}`
  expect((await organization.administrator.call('POST', `${path}:rotate`, {})).body.reason).toBe('KEY_EXPIRED')
})

test('after a rotation, the previous secret works only during the overlap, and the one before it ends immediately', async () => {
  const { administrator } = organization
  const first = await makeApiKey(organization)
  const second = await administrator.ok(methods.apiKeys.rotate, at(first.id), { body: { overlap_hours: 2 } })
  expect([(await sources(first.key)).status, (await sources(second.key)).status]).toEqual([200, 200])
  const third = await administrator.ok(methods.apiKeys.rotate, at(first.id), { body: { overlap_hours: 2 } })
  expect(await refusal(first.key)).toEqual([401, 'INVALID_KEY'])
  expect((await sources(second.key)).status).toBe(200)
  harness.advance(3 * hourMs)
  expect(await refusal(second.key)).toEqual([401, 'KEY_REVOKED'])
  expect((await sources(third.key)).status).toBe(200)
  const last = await administrator.ok(methods.apiKeys.rotate, at(first.id), { body: { overlap_hours: 0 } })
  expect(last.previous_expire_time).toBeNull()
  expect(await refusal(third.key)).toEqual([401, 'INVALID_KEY'])
})

test('a key of one workspace cannot access another workspace or the organization', async () => {
  const { administrator, workspace, workspaceId, organizationId } = organization
  const body = { title: 'Staging', organization: organization.organization }
  const other = await administrator.ok(methods.workspaces.create, {}, { body })
  const { key } = await makeApiKey(organization, { workspace })
  expect((await sources(key)).status).toBe(200)
  expect((await harness.call(key, 'GET', `/${other.name}/sources`)).status).toBe(404)
  const { status, body: refused } = await harness.call(key, 'GET', `/organizations/${organizationId}`)
  expect([status, refused.reason]).toEqual([403, 'KEY_WORKSPACE'])
  const { body: listed } = await harness.call(key, 'GET', '/workspaces')
  expect(listed.workspaces).toMatchObject([{ name: `workspaces/${workspaceId}` }])
})

test('a key from another organization sees nothing of this one', async () => {
  const { otherOrganizationId, otherWorkspaceId } = organization
  const administrator = await harness.person({ [otherOrganizationId]: 'ORG_ADMIN' })
  const { key } = await makeApiKey({ administrator, organizationId: otherOrganizationId })
  expect((await sources(key)).status).toBe(404)
  expect((await sources(key, { workspaceId: otherWorkspaceId })).status).toBe(200)
})

test('if a key is refused, the response names what it lacks: an area, a role, or a signed-in person', async () => {
  const { workspaceId, administrator } = organization
  const { key } = await makeApiKey(organization, { role: 'ORG_GUEST', areas: ['events'] })
  expect(await refusal(key)).toEqual([403, 'KEY_AREA'])
  const guest = await makeApiKey(organization, { role: 'ORG_GUEST' })
  const body = { title: 'S', app: { name: 'catalogSources/http' } }
  const made = await harness.call(guest.key, 'POST', `/workspaces/${workspaceId}/sources`, body)
  expect([made.status, made.body.reason]).toEqual([403, 'FORBIDDEN'])
  const user = await harness.call(guest.key, 'GET', `/users/${administrator.userId}`)
  expect([user.status, user.body.reason]).toEqual([403, 'NOT_FOR_KEYS'])
})

test('a key in the URL is refused, even with a valid key in the header', async () => {
  const { key } = await makeApiKey(organization)
  for (const name of ['key', 'access_token', 'api_key'])
    for (const token of ['', key]) {
      const path = `/workspaces/${organization.workspaceId}/sources?${name}=${key}`
      const { status, body } = await harness.call(token, 'GET', path)
      expect([status, body.reason]).toEqual([400, 'KEY_IN_ADDRESS'])
      expect(JSON.stringify(body)).not.toContain(key)
    }
})

test('a text without the form of a key is refused without a query', async () => {
  for (const token of ['api_', `api_${'x'.repeat(32)}`, `api_${'x'.repeat(900)}`])
    expect(await refusal(token)).toEqual([401, 'INVALID_KEY'])
})

test('a key cannot be created without areas, with an expiry in the past, or for a foreign workspace', async () => {
  const path = `/organizations/${organization.organizationId}/apiKeys`
  const bad = async (given: object) => {
    const body = { title: 'K', role: 0, areas: ['events'], ...given }
    const reply = await organization.administrator.call('POST', path, body)
    return [reply.status, Object.keys(reply.body.metadata ?? {})[0]]
  }
  expect(await bad({ areas: [] })).toEqual([400, 'areas'])
  expect(await bad({ areas: ['everything'] })).toEqual([400, 'areas.0'])
  expect(await bad({ role: 'OWNER' })).toEqual([400, 'role'])
  expect(await bad({ expire_time: '2020-01-01T00:00:00Z' })).toEqual([400, 'expire_time'])
  expect(await bad({ workspace: `workspaces/${organization.otherWorkspaceId}` })).toEqual([400, 'workspace'])
  expect(await bad({ workspace: `workspaces/${newId()}` })).toEqual([400, 'workspace'])
})

describe('an API key cannot create what remains after the key is revoked', () => {
  const counted = ['invitations', 'invitation_links', 'api_keys', 'profile_keys', 'sync_tokens'] as const
  const counts = () =>
    Promise.all(
      counted.map(async (table) => {
        const { rows } = await harness.database.pool.query<{ count: number }>(`select count(*)::int from ${table}`)
        return rows[0]?.count
      }),
    )
  const { workspaces, organizations } = {
    workspaces: () => `/workspaces/${organization.workspaceId}`,
    organizations: () => `/organizations/${organization.organizationId}`,
  }
  const inWorkspace = () => ({ workspace: organization.workspaceId })

  const calls: [what: string, request: () => Promise<['POST' | 'PATCH', path: string, body: object]>][] = [
    [
      'invitations of administrators',
      async () => ['POST', `${organizations()}/invitations:batchCreate`, { emails: ['eve@example.com'], role: 0 }],
    ],
    [
      'an invitation again, with a new link',
      async () => {
        const { invitations } = await organization.administrator.ok(
          methods.invitations.batchCreate,
          { organization: organization.organizationId },
          { body: { emails: [`${newId()}@example.com`], role: 1 } },
        )
        return ['POST', `/${invitations[0]?.name}:resend`, {}]
      },
    ],
    ['invitation links', async () => ['POST', `${organizations()}/invitationlinks`, { role: 1 }]],
    [
      'a member an administrator',
      async () => {
        const { memberships } = await organization.administrator.ok(methods.memberships.listByOrganization, {
          organization: organization.organizationId,
        })
        const guest = memberships.find(({ user }) => user === `users/${organization.guest.userId}`)
        return ['PATCH', `/${guest?.name}?update_mask=role`, { role: 'ORG_ADMIN' }]
      },
    ],
    [
      'an organization open to a domain',
      async () => ['PATCH', `${organizations()}?update_mask=auto_join_domain`, { auto_join_domain: 'example.com' }],
    ],
    [
      'an organization open to a domain, beside a new title',
      async () => [
        'PATCH',
        `${organizations()}?update_mask=title,auto_join_domain`,
        { title: 'Taken over', auto_join_domain: 'example.com' },
      ],
    ],
    ['secret Profile API keys', async () => ['POST', `${workspaces()}/profileKeys`, { kind: 'secret', title: 'Key' }]],
    [
      'another secret of a Profile API key',
      async () => {
        const body = { kind: 'secret', title: 'Key' } as const
        const made = await organization.administrator.ok(methods.profileKeys.create, inWorkspace(), { body })
        return ['POST', `/${made.name}:rotate`, {}]
      },
    ],
    [
      'a public Profile API key read more',
      async () => {
        const body = { kind: 'public', title: 'Key', traits: ['plan'] } as const
        const made = await organization.administrator.ok(methods.profileKeys.create, inWorkspace(), {
          body: { ...body, traits: [...body.traits] },
        })
        return ['PATCH', `/${made.name}?update_mask=traits`, { traits: ['plan', 'email'] }]
      },
    ],
    ['sync tokens', async () => ['POST', `${workspaces()}/syncTokens`, { title: 'Airflow' }]],
    [
      'API keys',
      async () => ['POST', `${organizations()}/apiKeys`, { title: 'K', role: 'ORG_ADMIN', areas: ['events'] }],
    ],
  ]

  test.each(calls)('a key with every area and role cannot make %s', async (_, request) => {
    const { key } = await makeApiKey(organization)
    const [verb, path, body] = await request()
    const before = await counts()
    const { status, body: refused } = await harness.call(key, verb, path, body)
    expect([status, refused.reason]).toEqual([403, 'NOT_FOR_KEYS'])
    expect(await counts()).toEqual(before)
    const { organizationId } = organization
    const row = await harness.db
      .selectFrom('organizations')
      .select(['title', 'auto_join_domain'])
      .where('id', '=', organizationId)
      .executeTakeFirst()
    expect(row).toMatchObject({ auto_join_domain: '' })
    expect(row?.title).not.toBe('Taken over')
  })

  test('a key can still change titles, reduce what a public key reads, and remove a member', async () => {
    const { key } = await makeApiKey(organization)
    const { organizationId } = organization
    const current = await harness.call(key, 'GET', organizations())
    const same = { title: 'Acme', auto_join_domain: current.body.auto_join_domain }
    const changed = await harness.call(key, 'PATCH', `${organizations()}?update_mask=title,auto_join_domain`, same)
    expect([changed.status, changed.body.display_name]).toEqual([200, current.body.display_name && 'Acme'])
    const body = { kind: 'public' as const, title: 'Key', traits: ['plan', 'email'] }
    const made = await organization.administrator.ok(methods.profileKeys.create, inWorkspace(), { body })
    const path = `/${made.name}?update_mask=title,traits`
    expect((await harness.call(key, 'PATCH', path, { title: 'Site', traits: ['plan'] })).body.traits).toEqual(['plan'])
    const member = await harness.person({ [organizationId]: 'ORG_COLLABORATOR' })
    const { memberships } = await organization.administrator.ok(methods.memberships.listByOrganization, {
      organization: organizationId,
    })
    const theirs = memberships.find(({ user }) => user === `users/${member.userId}`)
    expect((await harness.call(key, 'DELETE', `/${theirs?.name}`)).status).toBe(200)
  })

  test('a key can list and delete invitation links, but its response does not let anyone join', async () => {
    const { administrator, organizationId } = organization
    const params = { organization: organizationId }
    const link = await administrator.ok(methods.invitationLinks.create, params, { body: { role: 1 } })
    const { key } = await makeApiKey(organization)
    const { body } = await harness.call(key, 'GET', `${organizations()}/invitationlinks?page_size=1`)
    const [seen] = body.invitation_links as { name: string; role: object }[]
    expect(seen?.role).toEqual(link.role)
    expect(JSON.stringify(body)).not.toContain(idIn(link.name))
    const stranger = await harness.person({})
    const accept = { user: `users/${stranger.userId}` }
    expect((await stranger.call('POST', `/${seen?.name}:accept`, accept)).status).toBe(404)
    expect((await harness.call('', 'GET', `/${seen?.name}`)).status).toBe(404)
    expect((await harness.call(key, 'DELETE', `/${seen?.name}`)).status).toBe(200)
    expect((await stranger.call('POST', `/${link.name}:accept`, accept)).status).not.toBe(200)
  })
})

describe('write keys that an API key created', () => {
  const makeWriteKey = async (key: string, source: string, title: string) => {
    const path = `/workspaces/${organization.workspaceId}/writekeys`
    const { status, body } = await harness.call(key, 'POST', path, { source, title })
    expect(status).toBe(200)
    return body as { name: string; title: string }
  }
  const newSource = () =>
    organization.administrator.ok(
      methods.sources.create,
      { workspace: organization.workspaceId },
      { body: { title: 'Shop', app: { name: 'catalogSources/http' } } },
    )
  const valid = async (source: string) => {
    const params = { workspace: organization.workspaceId }
    const { writekeys } = await organization.administrator.ok(methods.writekeys.list, params, { query: { source } })
    return writekeys.map(({ name }) => name)
  }

  test('write keys are listed with the API key that created them, and remain listed after its revocation', async () => {
    const source = await newSource()
    const { id, key } = await makeApiKey(organization, { areas: ['sources'] })
    const other = await makeApiKey(organization, { areas: ['sources'] })
    const first = await makeWriteKey(key, source.name, 'Website')
    const rotated = (await harness.call(key, 'POST', `/${first.name}:rotate`, {})).body as { name: string }
    const second = await makeWriteKey(key, source.name, 'App')
    const gone = await makeWriteKey(key, source.name, 'Old')
    await organization.administrator.call('DELETE', `/${gone.name}`)
    const foreign = await makeWriteKey(other.key, source.name, 'Other')
    const wanted = [
      { name: second.name, title: 'App', source: { name: source.name, title: 'Shop' } },
      { name: rotated.name, title: 'Website', source: { name: source.name, title: 'Shop' } },
    ]
    const listed = (await list()).find(({ name }) => name.endsWith(id))
    expect(listed?.writekeys).toEqual(wanted)
    expect(await organization.administrator.ok(methods.apiKeys.delete, at(id))).toEqual({ writekeys: wanted })
    expect((await valid(source.name)).toSorted()).toEqual([second.name, rotated.name, foreign.name].toSorted())
  })

  test('a write key that a person has rotated belongs to the person; a key of a deleted source is not listed', async () => {
    const [source, deleted] = [await newSource(), await newSource()]
    const { id, key } = await makeApiKey(organization, { areas: ['sources'] })
    const made = await makeWriteKey(key, source.name, 'Website')
    await makeWriteKey(key, deleted.name, 'Gone')
    await organization.administrator.call('POST', `/${made.name}:rotate`, {})
    await organization.administrator.call('DELETE', `/${deleted.name}`)
    expect(await organization.administrator.ok(methods.apiKeys.delete, at(id))).toEqual({ writekeys: [] })
  })
})

test('an organization has a limited number of keys, even if many are created at once', async () => {
  const { administrator, organizationId } = organization
  const room = maxApiKeys - (await list()).length
  const path = `/organizations/${organizationId}/apiKeys`
  const body = { title: 'K', role: 2, areas: ['events'] }
  const replies = await Promise.all(Array.from({ length: room + 3 }, () => administrator.call('POST', path, body)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(room)
  expect(replies.filter(({ status }) => status === 400)).toHaveLength(3)
})
