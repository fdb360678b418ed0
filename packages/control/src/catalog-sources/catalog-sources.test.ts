import { methods, sourceTypes, targetProducts } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

test('SRC-02, OPEN-20: a catalog app has its titles, name, documentation, count, schema flag, and icon', async () => {
  const { administrator } = organization
  const made = await administrator.ok(
    methods.workspaces.create,
    {},
    { body: { title: 'Main', organization: organization.organization } },
  )
  const workspace = { workspace: idIn(made.name) }
  const entry = {
    name: 'catalogSources/javascript',
    title: 'JavaScript',
    display_name: 'JavaScript',
    docs_url: 'https://docs.example',
    instance_count: 0,
    has_predefined_schema: false,
    extra: { app_icon: '/media/connectors/logo.svg' },
  }
  const { catalog_sources } = await administrator.ok(methods.catalogSources.list, workspace)
  expect(catalog_sources.find(({ name }) => name === entry.name)).toMatchObject(entry)
  await administrator.ok(methods.sources.create, workspace, { body: { title: 'Shop', app: { name: entry.name } } })
  expect(await administrator.ok(methods.catalogSources.get, { ...workspace, app: 'javascript' })).toMatchObject({
    ...entry,
    instance_count: 1,
  })
})

test('SIG-02: the catalog lists the kinds of sources of each product separately', async () => {
  const { administrator, workspaceId: workspace } = organization
  const slugs = async (target_product?: 'CDP' | 'SIGNALS') => {
    const { catalog_sources } = await administrator.ok(
      methods.catalogSources.list,
      { workspace },
      { query: target_product === undefined ? {} : { target_product } },
    )
    return catalog_sources.map(({ name }) => name.replace('catalogSources/', ''))
  }
  expect(await slugs('SIGNALS')).toEqual(['ads'])
  expect(await slugs('CDP')).not.toContain('ads')
  expect(await slugs()).toEqual(expect.arrayContaining(['ads', ...(await slugs('CDP'))]))
  const wrong = await administrator.call('GET', `/workspaces/${workspace}/catalogSources?target_product=OTHER`)
  expect(wrong.status).toBe(400)
})

test('SRC-05: each source belongs to the product CDP or SIGNALS', () => {
  expect(targetProducts).toEqual(['CDP', 'SIGNALS'])
})

test('SRC-57: each type of source has its number', () => {
  expect(sourceTypes).toEqual({ Web: 1, Mobile: 2, Server: 3, Warehouse: 4, Cloud: 5, Offline: 6, Unspecified: 7 })
})
