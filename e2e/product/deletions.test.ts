import { randomUUID } from 'node:crypto'
import {
  adminCredentials,
  createSource,
  createTestEventStore,
  createWebhook,
  createWorkspace,
  eventually,
  startProduct,
  startSharedEventStore,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, track } from './calls.ts'

test('a deleted organization and a deleted workspace refuse their keys immediately and lose their events; others keep theirs', async () => {
  await using receiver = await startWebhookReceiver()
  await using shared = await startSharedEventStore()
  await using eventStore = await createTestEventStore(shared.url)
  await using product = await startProduct({ env: { CLICKHOUSE_URL: eventStore.url } })
  const { api } = product
  await api.login(adminCredentials)
  const begin = async (workspace: string) => {
    const { source, key } = await createSource(api, workspace)
    await createWebhook(api, workspace, source, { url: receiver.url })
    return { workspace, key, id: workspace.replace('workspaces/', '') }
  }
  const doomed = await createWorkspace(api, 'Doomed')
  const kept = await createWorkspace(api, 'Kept')
  const staging = (await api.ok('POST', '/workspaces', { title: 'Staging', organization: kept.organization })) as {
    name: string
  }
  const [gone, goneToo, staying] = [
    await begin(doomed.workspace),
    await begin(staging.name),
    await begin(kept.workspace),
  ]
  const send = async (key: string): Promise<number> =>
    (await post(product, '/v1/batch', key, { batch: Array.from({ length: 20 }, () => track(randomUUID())) })).status
  /** Returns the number of rows of a workspace in a table. */
  const stored = async (table: 'events' | 'deliveries', id: string): Promise<number> => {
    const [row] = await eventStore.query<{ count: number }>(
      `select count() as count from ${table} where workspace_id = {id:String}`,
      { id },
    )
    return Number(row?.count ?? 0)
  }
  for (const { key } of [gone, goneToo, staying]) expect(await send(key)).toBe(200)
  await eventually('all are stored and delivered', async () => {
    for (const { id } of [gone, goneToo, staying])
      for (const table of ['events', 'deliveries'] as const) if ((await stored(table, id)) < 20) return false
    return true
  })
  await api.ok('POST', `/${doomed.organization}:delete`, { title: 'Doomed' })
  await api.ok('POST', `/${staging.name}:delete`, { title: 'Staging' })
  for (const { key } of [gone, goneToo])
    await eventually('the key is refused', async () => (await send(key)) === 401, 10_000)
  for (const path of [doomed.organization, doomed.workspace, staging.name])
    expect((await api.call('GET', `/${path}`)).status).toBe(404)
  expect(await send(staying.key)).toBe(200)
  await eventually(
    'their events are gone',
    async () => {
      for (const { id } of [gone, goneToo])
        for (const table of ['events', 'deliveries'] as const) if ((await stored(table, id)) > 0) return false
      return true
    },
    180_000,
  )
  await eventually('what was sent meanwhile is stored', async () => (await stored('events', staying.id)) === 40)
  expect(await stored('deliveries', staying.id)).toBeGreaterThanOrEqual(20)
  expect((await api.call('GET', `/${kept.workspace}/sources`)).status).toBe(200)
})
