import { dataKinds, methods } from '@tributary/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, type Organization, startControl, startOrganization } from '../testing/control-harness.ts'
import { mappedCatalog } from '../testing/mapped-destination.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

test('DST-03: a catalog app has its display name with titles, documentation, count, and icon', async () => {
  const workspace = { workspace: organization.workspaceId }
  const { catalog_destinations } = await organization.guest.ok(methods.catalogDestinations.list, workspace)
  const entry = catalog_destinations.find(({ name }) => name === 'catalogDestinations/webhook')
  expect(entry).toMatchObject({
    title: 'Webhook',
    display_name: 'Webhook',
    docs_url: 'https://docs.example/webhook',
    instance_count: expect.any(Number),
    extra: { app_icon: '/media/connectors/logo.svg' },
    data_kinds: ['Event Streams'],
    category: 'Automation',
    popular: false,
    abilities: expect.any(Array),
  })
  expect(await organization.guest.ok(methods.catalogDestinations.get, { ...workspace, app: 'webhook' })).toMatchObject(
    entry ?? {},
  )
})

test('a catalog entry has the objects to which syncs can write rows, and their modes', async () => {
  const { guest, workspaceId: workspace } = organization
  const { row_objects } = await guest.ok(methods.catalogDestinations.get, { workspace, app: 'webhook' })
  expect(row_objects).toEqual([
    {
      name: 'records',
      title: 'Records',
      description: 'Each row in a request.',
      sync_modes: ['FULL_SYNC', 'UPSERT_ONLY'],
      named: true,
      listable: false,
    },
  ])
})

test('the destination catalog can be filtered by kind of data', async () => {
  const workspace = { workspace: organization.workspaceId }
  const slugs = async (data_kind: (typeof dataKinds)[number]) =>
    (
      await organization.guest.ok(methods.catalogDestinations.list, workspace, { query: { data_kind } })
    ).catalog_destinations.map(({ name }) => name)
  expect(await slugs('Event Streams')).toContain('catalogDestinations/webhook')
  expect(await slugs('Reverse ETL')).not.toContain('catalogDestinations/webhook')
  expect(
    await organization.guest.call('GET', `/workspaces/${workspace.workspace}/catalogDestinations?data_kind=Nothing`),
  ).toMatchObject({ status: 400 })
})

test('a catalog entry has the objects that it receives: delivery method, action, and label of the identifier', async () => {
  await using mapped = await startControl({ catalog: mappedCatalog })
  const { guest, workspaceId: workspace } = await startOrganization(mapped)
  const { objects, actions } = await guest.ok(methods.catalogDestinations.get, { workspace, app: 'mapped' })
  expect(objects.map(({ name, sync_modes, identifiers }) => ({ name, sync_modes, identifiers }))).toEqual([
    { name: 'purchases', sync_modes: ['UPSERT_ONLY'], identifiers: ['Email', 'URL', 'User ID'] },
    { name: 'events', sync_modes: ['INSERT_ONLY'], identifiers: [] },
  ])
  const written = objects.flatMap((object) => object.actions)
  expect(written.toSorted()).toEqual(actions.map(({ name }) => name).toSorted())
})
