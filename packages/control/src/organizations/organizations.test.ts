import { methods } from '@tributary/contract'
import { newId, silentLogger } from '@tributary/kernel'
import { openRelational } from '@tributary/storage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { mailedToken, openToDomain } from '../testing/people-requests.ts'
import { trialAudience } from '../testing/requests.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const body = { title: 'Acme', industry: 'gaming', workspace_title: 'Production' } as const

describe('an organization', () => {
  test('an organization belongs to its creator, who is immediately its administrator', async () => {
    const person = await harness.person()
    // The session lookup caches that the person has no memberships.
    expect(await person.ok(methods.workspaces.list, {})).toEqual({ workspaces: [], next_page_token: '' })
    const made = await person.ok(methods.organizations.create, {}, { body })
    expect(made).toMatchObject({
      organization: {
        title: 'Acme',
        display_name: 'Acme',
        industry: 'gaming',
        extra: { logo: '' },
        subscription: { name: `${made.organization.name}/subscription`, extra: { plan_name: expect.any(String) } },
      },
      workspace: { title: 'Production', organization: made.organization },
    })
    expect((await person.ok(methods.workspaces.list, {})).workspaces).toEqual([made.workspace])
    expect(await person.ok(methods.workspaces.get, { workspace: idIn(made.workspace.name) })).toEqual(made.workspace)
    const { memberships } = await person.ok(methods.memberships.list, { user: person.userId })
    expect(memberships).toMatchObject([
      { role: { value: 'ORG_ADMIN' }, organization: { name: made.organization.name }, user: `users/${person.userId}` },
    ])
    expect(memberships[0]?.name).toMatch(new RegExp(`^${made.organization.name}/memberships/[0-9a-f-]{36}$`))
    const another = await person.ok(
      methods.workspaces.create,
      {},
      { body: { title: 'Test', organization: made.organization.name } },
    )
    expect((await person.ok(methods.workspaces.list, {})).workspaces).toEqual([made.workspace, another])
  })

  test.each([
    [{ ...body, title: 'abc' }, 'title'],
    [{ ...body, industry: 'fishing' }, 'industry'],
    [{ ...body, workspace_title: '' }, 'workspace_title'],
    [{}, 'title'],
  ])('an organization is rejected as %j', async (given, field) => {
    const reply = await organization.guest.call('POST', '/organizations', given)
    expect(reply).toMatchObject({ status: 400, body: { metadata: { [field]: expect.any(String) } } })
  })

  test('an organization whose creation request is repeated is created once, with one workspace and one membership', async () => {
    const person = await harness.person()
    const given = { body: { ...body, request_id: crypto.randomUUID() } }
    const [a, b] = await Promise.all([1, 2].map(() => person.ok(methods.organizations.create, {}, given)))
    expect(a).toEqual(b)
    expect((await person.ok(methods.workspaces.list, {})).workspaces).toHaveLength(1)
  })

  test('a former member who repeats the creation request does not see the organization', async () => {
    const person = await harness.person()
    const given = { ...body, request_id: crypto.randomUUID() }
    expect((await person.call('POST', '/organizations', given)).status).toBe(200)
    await harness.db.deleteFrom('memberships').where('user_id', '=', person.userId).execute()
    expect(await person.call('POST', '/organizations', given)).toMatchObject({ status: 404 })
  })

  test("another user's request with the same ID does not return the organization", async () => {
    const [a, b] = [await harness.person(), await harness.person()]
    const given = { body: { ...body, request_id: crypto.randomUUID() } }
    const first = await a.ok(methods.organizations.create, {}, given)
    expect((await b.ok(methods.organizations.create, {}, given)).organization.name).not.toBe(first.organization.name)
  })
})

const organizationShape = {
  name: expect.stringMatching(/^organizations\/[0-9a-f-]{36}$/),
  title: 'Acme Inc',
  display_name: 'Acme Inc',
  industry: 'gaming',
  extra: { logo: '' },
  auto_join_domain: '',
  subscription: {
    name: expect.stringMatching(/^organizations\/[0-9a-f-]{36}\/subscription$/),
    extra: { plan_name: expect.any(String) },
  },
  create_time: expect.stringMatching(/Z$/),
}

test('API-26, ORG-02: GET of an organization returns name, titles, logo, and subscription', async () => {
  const { guest, organization: name } = await startOrganization(harness)
  const reply = await guest.call('GET', `/${name}`)
  expect(reply.status).toBe(200)
  expect(reply.body).toEqual({ ...organizationShape, name })
})

test('API-33, ORG-01, WSP-04: GET of a workspace returns name, title, and the organization that owns it', async () => {
  const { guest, organization: name, workspace } = await startOrganization(harness)
  const reply = await guest.call('GET', `/${workspace}`)
  expect(reply.status).toBe(200)
  expect(reply.body).toEqual({
    name: workspace,
    title: 'Production',
    organization: { ...organizationShape, name },
    create_time: expect.stringMatching(/Z$/),
  })
})

describe('changing an organization', () => {
  test('only administrators change title and industry, with immediate effect; other fields stay', async () => {
    const { administrator, guest, organization: name } = await startOrganization(harness)
    const before = (await harness.audits()).length
    expect(await administrator.call('PATCH', `/${name}?update_mask=title`, { title: 'Acme Two' })).toMatchObject({
      status: 200,
      body: { title: 'Acme Two', display_name: 'Acme Two', industry: 'gaming' },
    })
    expect(await administrator.call('PATCH', `/${name}`, { industry: 'robotics' })).toMatchObject({
      status: 200,
      body: { title: 'Acme Two', industry: 'robotics' },
    })
    expect(await guest.call('GET', `/${name}`)).toMatchObject({ body: { title: 'Acme Two', industry: 'robotics' } })
    expect((await harness.audits()).slice(before)).toMatchObject([
      { action: 'organizations.update', resource: name, detail: { title: 'Acme Two' } },
      { action: 'organizations.update', detail: { industry: 'robotics' } },
    ])
  })

  test.each([
    [{ title: 'abc' }, 'title', 'Please provide a name that is 4 characters or more'],
    [{ industry: 'fishing' }, 'industry', 'Choose an industry'],
    [{ auto_join_domain: 'gmail.com' }, 'auto_join_domain', 'Anyone can get an email address at this domain'],
    [{ auto_join_domain: 'other.example' }, 'auto_join_domain', 'Must be the domain of your own email address'],
    [{ auto_join_domain: 'example.com' }, 'auto_join_domain', 'Must be the domain of your own email address'],
  ])('a user without a verified address cannot change an organization to %j', async (given, field, text) => {
    const reply = await organization.administrator.call('PATCH', `/${organization.organization}`, given)
    expect(reply).toMatchObject({ status: 400, body: { metadata: { [field]: text } } })
  })

  test('only administrators change the title of a workspace', async () => {
    const { administrator, collaborator, guest, outsider, workspace } = await startOrganization(harness)
    expect(await administrator.call('PATCH', `/${workspace}?update_mask=title`, { title: ' Live ' })).toMatchObject({
      status: 200,
      body: { name: workspace, title: 'Live' },
    })
    expect(await administrator.call('PATCH', `/${workspace}`, { title: ' ' })).toMatchObject({
      status: 400,
      body: { metadata: { title: 'Required' } },
    })
    expect((await collaborator.call('PATCH', `/${workspace}`, { title: 'Other' })).status).toBe(403)
    expect((await outsider.call('PATCH', `/${workspace}`, { title: 'Other' })).status).toBe(404)
    expect((await harness.call('', 'PATCH', `/${workspace}`, { title: 'Other' })).status).toBe(401)
    expect(await guest.call('GET', `/${workspace}`)).toMatchObject({ body: { title: 'Live' } })
  })
})

describe('an organization with automatic joining by domain', () => {
  const opened = async () => {
    const made = await startOrganization(harness)
    await openToDomain(harness, made.organizationId, '', made.administrator)
    const reply = await made.administrator.call('PATCH', `/${made.organization}`, { auto_join_domain: '@Example.COM' })
    expect(reply).toMatchObject({ status: 200, body: { auto_join_domain: 'example.com' } })
    return made
  }
  const joinable = async (who: Caller) =>
    (
      await who.ok(methods.organizations.listJoinable, { user: who.userId }, { query: { page_size: 1000 } })
    ).organizations.map(({ name }) => name)
  const join = (who: Caller, name: string, user = who.userId) => who.call('POST', `/${name}:join`, { user })

  test('API-28: an organization with a domain is offered to users with a verified address there, who join as Collaborator', async () => {
    const { organization: name, organizationId, administrator, workspaceId } = await opened()
    const person = await harness.person()
    expect(await joinable(person)).not.toContain(name)
    expect((await join(person, name)).status).toBe(404)
    await openToDomain(harness, organizationId, 'example.com', person)
    expect(await joinable(person)).toContain(name)
    expect(await join(person, name, `users/${person.userId}`)).toMatchObject({
      status: 200,
      body: { name, display_name: 'Acme Inc' },
    })
    expect((await person.call('GET', `/workspaces/${workspaceId}`)).status).toBe(200)
    const { memberships } = await person.ok(methods.memberships.list, { user: person.userId })
    expect(memberships).toMatchObject([{ role: { value: 'ORG_COLLABORATOR' }, organization: { name } }])
    expect(await joinable(person)).not.toContain(name)
    expect(
      (await administrator.ok(methods.notifications.list, { user: administrator.userId })).notifications[0],
    ).toMatchObject({
      kind: 'invitation_accepted',
      body: `${person.email} joined with an address of example.com and is now a Collaborator.`,
    })
    // Joining a second time changes nothing.
    expect((await join(person, name)).status).toBe(200)
  })

  test('an organization with a domain is not found from other domains, on behalf of others, or once it is closed', async () => {
    const { organization: name, organizationId, administrator, guest } = await opened()
    const person = await harness.person()
    await openToDomain(harness, organizationId, 'example.com', person)
    expect((await join(person, name, guest.userId)).status).toBe(403)
    expect((await harness.call('', 'POST', `/${name}:join`, { user: person.userId })).status).toBe(401)
    await harness.db
      .updateTable('users')
      .set({ email: `${person.userId}@notexample.com` })
      .where('id', '=', person.userId)
      .execute()
    expect((await join(person, name)).status).toBe(404)
    expect(await joinable(person)).toEqual([])
    await harness.db.updateTable('users').set({ email: person.email }).where('id', '=', person.userId).execute()
    await administrator.call('PATCH', `/${name}`, { auto_join_domain: '' })
    expect((await join(person, name)).status).toBe(404)
    expect(await joinable(person)).not.toContain(name)
    expect((await join(person, `organizations/${newId()}`)).status).toBe(404)
  })

  test('an organization with a domain does not admit a removed user until an administrator invites the user', async () => {
    const { organization: name, administrator } = await opened()
    const person = await harness.person()
    await openToDomain(harness, idIn(name), 'example.com', person)
    expect((await join(person, name)).status).toBe(200)
    const { memberships } = await person.ok(methods.memberships.list, { user: person.userId })
    expect((await administrator.call('DELETE', `/${memberships[0]?.name}`)).status).toBe(200)
    expect(await joinable(person)).not.toContain(name)
    expect((await join(person, name)).status).toBe(404)
    await administrator.call('POST', `/${name}/invitations:batchCreate`, { emails: [person.email], role: 2 })
    const { id } = await harness.db
      .selectFrom('invitations')
      .select('id')
      .where('invitee_email', '=', person.email)
      .executeTakeFirstOrThrow()
    const token = await mailedToken(harness, person.email)
    expect((await person.call('POST', `/invitations/${id}:accept`, { token })).status).toBe(200)
  })

  test('a user who leaves and joins an organization again gets no additional rights', async () => {
    const { organization: name, administrator } = await opened()
    const person = await harness.person()
    await openToDomain(harness, idIn(name), 'example.com', person)
    await join(person, name)
    const membership = async () =>
      (await person.ok(methods.memberships.list, { user: person.userId })).memberships.find(
        (each) => each.organization.name === name,
      )
    await administrator.call('PATCH', `/${(await membership())?.name}`, { role: 2 })
    expect((await person.call('DELETE', `/${(await membership())?.name}`)).status).toBe(200)
    expect(await joinable(person)).toContain(name)
    expect((await join(person, name)).status).toBe(200)
    expect((await membership())?.role.value).toBe('ORG_GUEST')
  })

  test('an organization keeps its domain when an administrator of another domain saves it unchanged', async () => {
    const { organization: name, platformAdmin } = await opened()
    expect(
      await platformAdmin.call('PATCH', `/${name}`, { auto_join_domain: 'example.com', title: 'Acme Three' }),
    ).toMatchObject({
      status: 200,
      body: { auto_join_domain: 'example.com', title: 'Acme Three' },
    })
  })
})

test('creating and changing a workspace checks the current role, not the role at the time of the session lookup', async () => {
  const { administrator, organizationId, organization: name, workspaceId } = await startOrganization(harness)
  const attempts = async () => [
    (await administrator.call('POST', '/workspaces', { title: 'Staging', organization: name })).status,
    (await administrator.call('PATCH', `/workspaces/${workspaceId}`, { title: 'Renamed' })).status,
  ]
  expect(await attempts()).toEqual([200, 200])
  // Another process changes the role, while the cached session here still has the role administrator.
  await harness.db
    .updateTable('memberships')
    .set({ role: 'ORG_GUEST' })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', administrator.userId)
    .execute()
  expect(await attempts()).toEqual([403, 403])
})

test('API-27, ORG-05: usage counts workspaces, sources, destinations, and the users in accepted events', async () => {
  const { administrator, guest, organizationId, organization: name, workspaceId } = await startOrganization(harness)
  const usage = () => guest.ok(methods.organizations.getUsage, { organization: organizationId })
  const none = {
    workspaces: 1,
    members: 4,
    sources: 0,
    profiles: 0,
    destinations: 0,
    audiences: 0,
    syncs: 0,
    events: 0,
  }
  const period = { period_end_time: '2026-04-01T00:00:00.000Z', limits: null }
  expect(await usage()).toEqual({ ...none, ...period })
  const second = await administrator.ok(
    methods.workspaces.create,
    {},
    { body: { title: 'Staging', organization: name } },
  )
  const made = await makeResources(workspaceId, administrator)
  await makeResources(idIn(second.name), administrator)
  await administrator.call('DELETE', `/${made.destination.name}`)
  const body = { title: 'Reachable', query: trialAudience }
  await administrator.ok(methods.audiences.create, { workspace: workspaceId }, { body })
  const event = (
    workspace_id: string,
    user_id: string,
    status = 'accepted',
    receive_time = '2026-03-01 00:00:00.000',
  ) => ({
    workspace_id,
    source_id: newId(),
    event_id: newId(),
    message_id: newId(),
    type: 'track',
    event: 'E',
    user_id,
    anonymous_id: newId(),
    status,
    receive_time,
    timestamp: '2026-01-01 00:00:00.000',
    original: '{}',
  })
  const rows = [
    event(workspaceId, 'of the month before', 'accepted', '2026-02-28 23:59:59.999'),
    event(workspaceId, 'held', 'held'),
    event(workspaceId, 'ada'),
    event(workspaceId, 'ada'),
    event(workspaceId, 'bob'),
    event(workspaceId, ''),
    event(workspaceId, 'refused', 'rejected'),
    event(idIn(second.name), 'ada'),
    event(organization.workspaceId, 'somebody else'),
  ]
  await harness.eventStore.insert('events', rows.map((row) => JSON.stringify(row)).join('\n'), { token: newId() })
  // One person in two workspaces is two profiles, and one unnamed person is one.
  const all = { ...none, workspaces: 2, sources: 2, profiles: 4, destinations: 1, audiences: 1, events: 5 }
  expect(await usage()).toEqual({ ...all, ...period })
  expect((await organization.outsider.call('GET', `/${name}/usage`)).status).toBe(404)
})

describe('the list of workspaces', () => {
  test.each(['id', 'resource name'])(
    'API-32: users list their own workspaces by %s, and cannot list those of another user',
    async (form) => {
      const { administrator, guest, platformAdmin } = organization
      const nameOf = (id: string): string => encodeURIComponent(form === 'id' ? id : `users/${id}`)
      const path = `/workspaces?user=${nameOf(administrator.userId)}`
      expect(await administrator.call('GET', path)).toMatchObject({
        status: 200,
        body: { workspaces: [{ title: 'Production' }] },
      })
      expect(await platformAdmin.call('GET', path)).toMatchObject({
        status: 200,
        body: { workspaces: [{ title: 'Production' }] },
      })
      expect(await guest.call('GET', path)).toMatchObject({ status: 403 })
      expect(await guest.call('GET', `/workspaces?user=${nameOf(newId())}`)).toMatchObject({ status: 403 })
    },
  )

  test('a workspace cannot be created in an organization with an invalid name, or that is missing or not visible', async () => {
    const { administrator, otherOrganizationId } = organization
    const post = (name: string) => administrator.call('POST', '/workspaces', { title: 'Main', organization: name })
    expect(await post('acme')).toMatchObject({ status: 400, body: { metadata: { organization: /Must be a name/ } } })
    expect(await post(`organizations/${newId()}`)).toMatchObject({ status: 404 })
    expect(await post(`organizations/${otherOrganizationId}`)).toMatchObject({ status: 404 })
  })
})

describe('the catalog of apps', () => {
  test('the catalog is searched by title and paged, and an entry shows its settings and guide', async () => {
    const { guest, workspaceId } = organization
    const workspace = { workspace: workspaceId }
    const titles = async (query: { search?: string; page_size?: number; page_token?: string }) => {
      const page = await guest.ok(methods.catalogSources.list, workspace, { query })
      return [page.catalog_sources.map((each) => each.title), page.next_page_token] as const
    }
    expect(await titles({ search: 'SCRIPT' })).toEqual([['JavaScript'], ''])
    const [first, next] = await titles({ page_size: 2 })
    expect([...first, ...(await titles({ page_size: 2, page_token: next }))[0]]).toEqual([
      'HTTP API',
      'JavaScript',
      'Signed',
      'Ads',
    ])
    expect(await guest.ok(methods.catalogSources.get, { ...workspace, app: 'http' })).toMatchObject({
      name: 'catalogSources/http',
      has_predefined_schema: false,
      type: 3,
      guide: [{ title: 't', text: 'x', code: '', language: '' }],
    })
    expect((await guest.call('GET', `/workspaces/${workspaceId}/catalogSources/none`)).status).toBe(404)
    expect((await guest.call('GET', `/workspaces/${workspaceId}/catalogDestinations/none`)).status).toBe(404)
    const { catalog_destinations } = await guest.ok(methods.catalogDestinations.list, workspace)
    expect(catalog_destinations).toMatchObject([
      { name: 'catalogDestinations/webhook', docs_url: 'https://docs.example/webhook', data_kinds: ['Event Streams'] },
      { name: 'catalogDestinations/permitted' },
      { name: 'catalogDestinations/tables', abilities: ['Tables for analysts'] },
    ])
  })
})

describe('a realtime channel', () => {
  test("a realtime channel is only open to members of its source's organization", async () => {
    const { administrator, guest, outsider, platformAdmin, workspaceId } = organization
    const made = await makeResources(workspaceId, administrator)
    const channel = `private-sources-${idIn(made.source.name)}`
    for (const who of [administrator, platformAdmin])
      expect(await harness.channelAccess(who.token, channel)).toMatchObject({ workspaceId, masked: false })
    expect(await harness.channelAccess(guest.token, channel)).toMatchObject({ workspaceId, masked: true })
    expect(await harness.channelAccess(outsider.token, channel)).toBeUndefined()
    for (const token of ['', 'x', `trb_${'a'.repeat(43)}`])
      expect(await harness.channelAccess(token, channel)).toBeUndefined()
    for (const name of [
      `private-sources-${newId()}`,
      'private-sources-x',
      `${channel}x`,
      'private-other',
      channel.toUpperCase(),
    ])
      expect(await harness.channelAccess(administrator.token, name)).toBeUndefined()
    await administrator.call('DELETE', `/${made.source.name}`)
    expect(await harness.channelAccess(administrator.token, channel)).toBeUndefined()
  })
})

test('while the database is unavailable, all calls get 503 with Retry-After, including login', async () => {
  await using nowhere = openRelational({ url: 'postgres://nobody@127.0.0.1:1/none', logger: silentLogger })
  await using away = await startControl({ db: nowhere.db })
  for (const reply of [
    await away.call(`trb_${'a'.repeat(43)}`, 'GET', '/workspaces'),
    await away.call('', 'POST', '/users:login', { email: 'a@b.co', password: 'x' }),
  ])
    expect(reply).toMatchObject({ status: 503, body: { reason: 'UNAVAILABLE' }, headers: { 'retry-after': '2' } })
})
