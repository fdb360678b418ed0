import { methods } from '@tributary/contract'
import { newId, silentLogger } from '@tributary/kernel'
import { openRelational } from '@tributary/storage'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

const body = { title: 'Acme', industry: 'gaming', workspace_title: 'Production' } as const

describe('an organisation', () => {
  test('belongs to whoever made it, who administers it at once', async () => {
    const person = await harness.person()
    // Remembered without memberships.
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
  ])('is rejected as %j', async (given, field) => {
    const reply = await organization.guest.call('POST', '/organizations', given)
    expect(reply).toMatchObject({ status: 400, body: { metadata: { [field]: expect.any(String) } } })
  })

  test('of one request sent twice is made once, with one workspace and one membership', async () => {
    const person = await harness.person()
    const given = { body: { ...body, request_id: crypto.randomUUID() } }
    const [a, b] = await Promise.all([1, 2].map(() => person.ok(methods.organizations.create, {}, given)))
    expect(a).toEqual(b)
    expect((await person.ok(methods.workspaces.list, {})).workspaces).toHaveLength(1)
  })

  test('of somebody else is not made over with the same request id', async () => {
    const [a, b] = [await harness.person(), await harness.person()]
    const given = { body: { ...body, request_id: crypto.randomUUID() } }
    const first = await a.ok(methods.organizations.create, {}, given)
    expect((await b.ok(methods.organizations.create, {}, given)).organization.name).not.toBe(first.organization.name)
  })
})

describe('workspaces', () => {
  test.each(['id', 'resource name'])("of oneself are listed by %s, another's are refused", async (form) => {
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
  })

  test('are not made in an organisation that is not a name, not there, or not visible', async () => {
    const { administrator, otherOrganizationId } = organization
    const post = (name: string) => administrator.call('POST', '/workspaces', { title: 'W', organization: name })
    expect(await post('acme')).toMatchObject({ status: 400, body: { metadata: { organization: /Must be a name/ } } })
    expect(await post(`organizations/${newId()}`)).toMatchObject({ status: 404 })
    expect(await post(`organizations/${otherOrganizationId}`)).toMatchObject({ status: 404 })
  })
})

describe('the catalogue', () => {
  test('is searched by title and paged, and an entry shows its settings and guide', async () => {
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
      'Ads',
    ])
    expect(await guest.ok(methods.catalogSources.get, { ...workspace, app: 'http' })).toMatchObject({
      name: 'catalogSources/http',
      has_predefined_schema: true,
      type: 3,
      guide: [{ title: 't', text: 'x', code: '', language: '' }],
    })
    expect((await guest.call('GET', `/workspaces/${workspaceId}/catalogSources/none`)).status).toBe(404)
    expect((await guest.call('GET', `/workspaces/${workspaceId}/catalogDestinations/none`)).status).toBe(404)
    const { catalog_destinations } = await guest.ok(methods.catalogDestinations.list, workspace)
    expect(catalog_destinations).toMatchObject([
      { name: 'catalogDestinations/webhook', docs_url: 'https://docs.example/webhook' },
    ])
  })
})

describe('a realtime channel', () => {
  test("is open to members of its source's organisation only", async () => {
    const { administrator, guest, outsider, platformAdmin, workspaceId } = organization
    const made = await makeResources(workspaceId, administrator)
    const channel = `private-sources-${idIn(made.source.name)}`
    for (const who of [administrator, guest, platformAdmin])
      expect(await harness.mayListen(who.token, channel)).toBe(true)
    expect(await harness.mayListen(outsider.token, channel)).toBe(false)
    for (const token of ['', 'x', `trb_${'a'.repeat(43)}`]) expect(await harness.mayListen(token, channel)).toBe(false)
    for (const name of [
      `private-sources-${newId()}`,
      'private-sources-x',
      `${channel}x`,
      'private-other',
      channel.toUpperCase(),
    ])
      expect(await harness.mayListen(administrator.token, name)).toBe(false)
    await administrator.call('DELETE', `/${made.source.name}`)
    expect(await harness.mayListen(administrator.token, channel)).toBe(false)
  })
})

test('while the database is away calls are answered 503 with Retry-After, logins and sessions too', async () => {
  await using nowhere = openRelational({ url: 'postgres://nobody@127.0.0.1:1/none', logger: silentLogger })
  await using away = await startControl({ db: nowhere.db })
  for (const reply of [
    await away.call(`trb_${'a'.repeat(43)}`, 'GET', '/workspaces'),
    await away.call('', 'POST', '/users:login', { email: 'a@b.co', password: 'x' }),
  ])
    expect(reply).toMatchObject({ status: 503, body: { reason: 'UNAVAILABLE' }, headers: { 'retry-after': '2' } })
})
