import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Caller,
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
let administrator: Caller
let workspace: { workspace: string }
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
  administrator = organization.administrator
})
beforeEach(async () => {
  const made = await administrator.ok(
    methods.workspaces.create,
    {},
    { body: { title: 'Main', organization: organization.organization } },
  )
  workspace = { workspace: idIn(made.name) }
})
afterAll(() => harness[Symbol.asyncDispose]())

const create = (title: string, app = 'http') =>
  administrator.ok(methods.sources.create, workspace, { body: { title, app: { name: `catalogSources/${app}` } } })

describe('a source', () => {
  test('SRC-04: a source is created from a catalog entry and read back the same', async () => {
    const source = await create('  My shop  ')
    expect(source).toMatchObject({
      name: expect.stringMatching(new RegExp(`^workspaces/${workspace.workspace}/sources/[0-9a-f-]{36}$`)),
      title: 'My shop',
      app: { name: `${source.name}/app`, catalog_app: 'catalogSources/http', display_name: 'HTTP API', type: 3 },
      target_product: 'CDP',
      enabled: true,
      has_received: false,
      last_event_time: null,
    })
    expect(source.app.extra.app_icon).toMatch(/^\/media\/connectors\//)
    expect(await administrator.ok(methods.sources.get, { ...workspace, source: idIn(source.name) })).toMatchObject(
      source,
    )
  })

  test('API-41, SIG-02: a source has the product of its catalog entry, and lists are filtered by product', async () => {
    await create('Shop')
    await create('Ads', 'ads')
    const titles = async (target_product?: 'CDP' | 'SIGNALS') =>
      (await administrator.ok(methods.sources.list, workspace, { query: { target_product } })).sources.map(
        (each) => each.title,
      )
    const reply = await administrator.call('GET', `/workspaces/${workspace.workspace}/sources?target_product=CDP`)
    expect(reply.body).toMatchObject({
      sources: [
        {
          title: 'Shop',
          name: expect.stringMatching(`workspaces/${workspace.workspace}/sources/`),
          app: { extra: { app_icon: expect.stringMatching(/^\/media\/connectors\//) } },
        },
      ],
    })
    expect(await titles('CDP')).toEqual(['Shop'])
    expect(await titles('SIGNALS')).toEqual(['Ads'])
    expect(await titles()).toEqual(['Ads', 'Shop'])
  })

  test('a source counts in its catalog entry until it is deleted', async () => {
    const count = async () =>
      (await administrator.ok(methods.catalogSources.get, { ...workspace, app: 'http' })).instance_count
    const source = await create('Shop')
    await create('Other', 'javascript')
    expect(await count()).toBe(1)
    await administrator.ok(methods.sources.delete, { ...workspace, source: idIn(source.name) })
    expect(await count()).toBe(0)
  })

  test.each([
    [{ title: '', app: { name: 'catalogSources/http' } }, 'title', 'Required'],
    [{ title: '   ', app: { name: 'catalogSources/http' } }, 'title', 'Required'],
    [{ app: { name: 'catalogSources/http' } }, 'title', 'Required'],
    [{ title: 'x'.repeat(201), app: { name: 'catalogSources/http' } }, 'title', 'At most 200 characters'],
    [{ title: 'a\u0000b', app: { name: 'catalogSources/http' } }, 'title', 'Control characters are not allowed'],
    [{ title: 'Shop' }, 'app', 'Required'],
    [{ title: 'Shop', app: { name: 'catalogSources/nothing' } }, 'app.name', /no source/],
    [{ title: 'Shop', app: { name: 'catalogDestinations/webhook' } }, 'app.name', /Must be a name like/],
    [{ title: 'Shop', app: { name: 'catalogSources/http' }, request_id: 'x' }, 'request_id', 'Must be a UUID'],
  ])('a source is rejected as %j', async (body, field, text) => {
    const reply = await administrator.call('POST', `/workspaces/${workspace.workspace}/sources`, body)
    expect(reply).toMatchObject({ status: 400, body: { reason: 'VALIDATION', metadata: { [field]: text } } })
  })

  test('a source whose creation request is repeated, also concurrently, is created once', async () => {
    const body = { title: 'Shop', app: { name: 'catalogSources/http' }, request_id: crypto.randomUUID() }
    const before = (await harness.audits()).length
    const made = await Promise.all([1, 2, 3].map(() => administrator.ok(methods.sources.create, workspace, { body })))
    expect(new Set(made.map((each) => each.name)).size).toBe(1)
    expect((await administrator.ok(methods.sources.list, workspace)).sources).toHaveLength(1)
    expect((await harness.audits()).length).toBe(before + 1)
    await administrator.ok(methods.sources.delete, { ...workspace, source: idIn(made[0]?.name ?? '') })
    const again = await administrator.call('POST', `/workspaces/${workspace.workspace}/sources`, body)
    expect(again).toMatchObject({ status: 409, body: { reason: 'ALREADY_EXISTS' } })
  })

  test('API-44: updating a source changes only the fields that the mask names', async () => {
    const source = await create('Shop')
    const reply = await administrator.call('PATCH', `/${source.name}?update_mask=title`, {
      title: 'Store',
      enabled: false,
    })
    expect(reply.body).toMatchObject({
      title: 'Store',
      enabled: true,
      name: source.name,
      app: { display_name: 'HTTP API' },
    })
    const off = await administrator.call('PATCH', `/${source.name}?update_mask=enabled`, { enabled: false })
    expect(off.body).toMatchObject({ title: 'Store', enabled: false })
  })

  test('API-46a: a deleted source is removed with its keys and connections, and cannot be deleted or changed again', async () => {
    const made = await makeResources(workspace.workspace, administrator)
    expect((await administrator.call('DELETE', `/${made.source.name}`)).status).toBe(200)
    for (const [verb, path, body] of [
      ['GET', made.source.name, undefined],
      ['DELETE', made.source.name, undefined],
      ['PATCH', made.source.name, { title: 'x' }],
      ['DELETE', made.writekey.name, undefined],
      ['GET', `${made.source.name}/events`, undefined],
      ['GET', `${made.source.name}/refusedRequests`, undefined],
    ] as const)
      expect([verb, path, (await administrator.call(verb, `/${path}`, body)).status]).toEqual([verb, path, 404])
    expect((await administrator.ok(methods.connections.list, workspace)).connections).toEqual([])
    expect((await administrator.ok(methods.writekeys.list, workspace)).writekeys).toEqual([])
  })

  test('a source of another workspace is not found', async () => {
    const source = idIn((await create('Shop')).name)
    const path = `/workspaces/${organization.workspaceId}/sources/${source}`
    for (const verb of ['GET', 'DELETE'] as const) expect((await administrator.call(verb, path)).status).toBe(404)
    expect((await administrator.call('PATCH', path, { title: 'x' })).status).toBe(404)
    expect((await administrator.call('GET', `${path}/events`)).status).toBe(404)
  })

  test.each(['x', newId(), '00000000-0000-0000-0000-00000000000g'])(
    'a source with the made-up id %s is not found',
    async (id) => {
      expect(await administrator.call('GET', `/workspaces/${workspace.workspace}/sources/${id}`)).toMatchObject({
        status: 404,
      })
      expect(await administrator.call('GET', `/workspaces/${id}/sources`)).toMatchObject({
        status: 404,
        body: { message: 'workspace not found' },
      })
    },
  )
})

describe('pages', () => {
  test('pages show every source once, newest first, even if sources are added meanwhile', async () => {
    for (let index = 0; index < 7; index++) await create(`S${index}`)
    const seen: string[] = []
    let page_token = ''
    do {
      const page = await administrator.ok(methods.sources.list, workspace, { query: { page_size: 3, page_token } })
      expect(page.sources.length).toBeLessThanOrEqual(3)
      seen.push(...page.sources.map((each) => each.title))
      page_token = page.next_page_token
      await create('later')
    } while (page_token !== '')
    expect(seen).toEqual(['S6', 'S5', 'S4', 'S3', 'S2', 'S1', 'S0'])
  })

  test('pages of sources with equal times are divided by ID', async () => {
    const create_time = new Date(harness.now())
    for (let index = 0; index < 5; index++)
      await harness.db
        .insertInto('sources')
        .values({ id: newId(), workspace_id: workspace.workspace, title: `E${index}`, app: 'http', create_time })
        .execute()
    const first = await administrator.ok(methods.sources.list, workspace, { query: { page_size: 2 } })
    const rest = await administrator.ok(methods.sources.list, workspace, {
      query: { page_token: first.next_page_token },
    })
    expect([...first.sources, ...rest.sources].map((each) => each.title).toSorted()).toEqual([
      'E0',
      'E1',
      'E2',
      'E3',
      'E4',
    ])
  })

  test('page tokens of another workspace or filter are refused', async () => {
    await create('A')
    await create('B')
    const { next_page_token } = await administrator.ok(methods.sources.list, workspace, { query: { page_size: 1 } })
    for (const path of [
      `/workspaces/${organization.workspaceId}/sources?page_token=${next_page_token}`,
      `/workspaces/${workspace.workspace}/sources?target_product=CDP&page_token=${next_page_token}`,
      `/workspaces/${workspace.workspace}/destinations?page_token=${next_page_token}`,
    ])
      expect(await administrator.call('GET', path)).toMatchObject({
        status: 400,
        body: { reason: 'INVALID_PAGE_TOKEN' },
      })
  })
})
