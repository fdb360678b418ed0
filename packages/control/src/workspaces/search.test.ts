import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, idIn, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { trialAudience } from '../testing/requests.ts'

let harness: Harness
let organization: Organization
let params: { workspace: string }
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
  params = { workspace: organization.workspaceId }
  for (const title of ['Web shop', 'Shop floor', 'Payshop_EU', '100% discount', 'Till']) await addSource(title)
  await addDestination('Shop hook')
  await addDestination('Warehouse')
})
afterAll(() => harness[Symbol.asyncDispose]())

const addSource = (title: string) =>
  organization.administrator.ok(methods.sources.create, params, {
    body: { title, app: { name: 'catalogSources/http' } },
  })
const addDestination = (title: string) =>
  organization.administrator.ok(methods.destinations.create, params, {
    body: { title, app: { name: 'catalogDestinations/webhook' } },
  })
const search = async (text: string, page_size?: number) =>
  organization.administrator.ok(methods.workspaces.search, params, { query: { search: text, page_size } })
const titles = async (text: string): Promise<string[]> => (await search(text)).objects.map(({ title }) => title)

test('a search finds sources and destinations by title, titles that begin with the text first', async () => {
  expect(await titles('SHOP')).toEqual(['Shop floor', 'Shop hook', 'Web shop', 'Payshop_EU'])
  // The second result matches by its title and its app together.
  expect(await titles('shop web')).toEqual(['Web shop', 'Shop hook'])
  expect(await titles('wrhs')).toEqual(['Warehouse'])
})

test('a search finds resources by the name of their app, after resources with that title', async () => {
  const webhook = await addDestination('Webhook')
  expect(await titles('webhook')).toEqual(['Webhook', 'Shop hook', 'Warehouse'])
  expect(await titles('warehouse webhook')).toEqual(['Warehouse'])
  await organization.administrator.ok(methods.destinations.delete, { ...params, destination: idIn(webhook.name) })
  expect(await titles('webhook')).toEqual(['Shop hook', 'Warehouse'])
})

test('a search finds audiences by title', async () => {
  const { administrator } = organization
  const body = { title: 'Shoppers', query: trialAudience }
  const audience = await administrator.ok(methods.audiences.create, params, { body })
  expect((await search('shoppers')).objects).toMatchObject([
    { name: audience.name, kind: 'audience', title: 'Shoppers' },
  ])
  // A search by the kind of a resource finds nothing, either.
  expect(await titles('audience')).toEqual([])
  await administrator.ok(methods.audiences.delete, { ...params, audience: idIn(audience.name) })
  expect(await titles('shoppers')).toEqual([])
})

test('pattern characters in a search text are literal', async () => {
  expect(await titles('0% d')).toEqual(['100% discount'])
  expect(await titles('p_e')).toEqual(['Payshop_EU'])
  expect(await titles('%')).toEqual(['100% discount'])
  expect(await titles('\\')).toEqual([])
})

test('an empty search returns everything by title, and says if the list is incomplete', async () => {
  const all = await search('')
  expect(all).toMatchObject({ complete: true })
  expect(all.objects.map(({ title }) => title)).toEqual(
    ['Web shop', 'Shop floor', 'Payshop_EU', '100% discount', 'Till', 'Shop hook', 'Warehouse'].sort((one, other) =>
      one.localeCompare(other),
    ),
  )
  expect(await search('', 2)).toMatchObject({ objects: [{}, {}], complete: false })
  const [found] = (await search('till')).objects
  expect(found).toMatchObject({
    name: expect.stringMatching(`^workspaces/${params.workspace}/sources/`),
    kind: 'source',
    app: { display_name: 'HTTP API', extra: { app_icon: expect.stringMatching(/^\/media\/connectors\//) } },
  })
})

test('a search for one exact name among thousands returns it first', async () => {
  await harness.db
    .insertInto('sources')
    .values(
      Array.from({ length: 3000 }, (_, number) => ({
        id: newId(),
        workspace_id: params.workspace,
        title: `Bulk ${number}`,
        app: 'http',
        target_product: 'CDP' as const,
      })),
    )
    .execute()
  expect((await titles('bulk 1234'))[0]).toBe('Bulk 1234')
  expect((await search('bulk', 20)).objects).toHaveLength(20)
})

test('a search text that no title can contain is rejected', async () => {
  for (const text of ['a\nb', 'x'.repeat(101)])
    expect(
      await organization.administrator.call(
        'GET',
        `/workspaces/${params.workspace}:search?${new URLSearchParams({ search: text })}`,
      ),
    ).toMatchObject({ status: 400 })
})
