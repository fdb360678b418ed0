import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminCredentials,
  createDestination,
  createSource,
  createWorkspace,
  eventually,
  type Product,
  startClickHouse,
  startProduct,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, track } from './calls.ts'

type Load = { name: string; state: string; finish_time: string | null; tables: { table: string; row_count: number }[] }

test('a warehouse has each acknowledged event once, and the newest traits, although the product is killed while it stages and loads', async () => {
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-warehouse-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const peer = stack.use(await startClickHouse())
  let product: Product | undefined
  stack.defer(async () => void (await product?.stop()))
  const start = async (): Promise<Product> => {
    product = await startProduct({ dataDir })
    await product.api.login(adminCredentials)
    return product
  }

  let running = await start()
  const { workspace } = await createWorkspace(running.api)
  const { source, key } = await createSource(running.api, workspace)
  const destination = await createDestination(running.api, workspace, source, {
    app: 'clickhouse',
    settings: { ...peer.access, tls: 'off', load_minutes: '1440' },
  })
  const sent = { track: [] as string[], identify: [] as string[], group: [] as string[] }
  let round = 0
  /** Sends 200 orders of 10 users, and new traits of each user and group. */
  const send = async (): Promise<void> => {
    const now = ++round
    const users = Array.from({ length: 10 }, (_, at) => `u${at}`)
    const batch = [
      ...Array.from({ length: 200 }, (_, at) =>
        track(`t-${now}-${at}`, { event: 'Order Completed', userId: `u${at % 10}`, properties: { total: at } }),
      ),
      ...users.map((userId) => ({ type: 'identify', messageId: `i-${now}-${userId}`, userId, traits: { round: now } })),
      { type: 'group', messageId: `g-${now}`, userId: 'u1', groupId: 'acme', traits: { round: now } },
    ]
    expect((await post(running, '/v1/batch', key, { batch })).status).toBe(200)
    sent.track.push(...Array.from({ length: 200 }, (_, at) => `t-${now}-${at}`))
    sent.identify.push(...users.map((userId) => `i-${now}-${userId}`))
    sent.group.push(`g-${now}`)
  }
  const query = (sql: string): Promise<Record<string, unknown>[]> => peer.query(sql)
  const staged = async (): Promise<number> =>
    Number((await query('select toUInt32(count()) as n from company.tributary_stage').catch(() => []))[0]?.n ?? 0)
  const isStaged = (): Promise<unknown> => eventually('events are staged', async () => (await staged()) > 0, 60_000)
  const startLoad = async (): Promise<string> =>
    String((await running.api.ok('POST', `/${destination}/warehouseLoads`, {})).name)
  const read = async (name: string): Promise<Load> => (await running.api.ok('GET', `/${name}`)) as Load
  const status = () => running.api.ok('GET', `/${destination}/warehouseLoads:status`)
  const killAndRestart = async (): Promise<void> => {
    await running.kill()
    running = await start()
  }

  await send()
  await isStaged()
  // The load of the first events is killed, and so are the next events, which wait to be staged.
  await send()
  const killed = await startLoad()
  await eventually('the load has begun', async () => (await read(killed)).state !== 'waiting')
  await killAndRestart()
  // The process is killed again while the events are being staged.
  const before = await staged()
  await send()
  await eventually('more events are staged', async () => (await staged()) !== before, 60_000)
  await killAndRestart()
  await send()
  await eventually('the killed load has ended', async () => (await read(killed)).finish_time !== null, 120_000)
  await eventually('no event waits', async () => Number((await status()).waiting_event_count) === 0, 60_000)
  const last = await startLoad()
  const ended = await eventually(
    'the last load has ended',
    async () => {
      const load = await read(last)
      return load.finish_time !== null && load
    },
    120_000,
  )
  expect(ended).toMatchObject({ state: 'succeeded' })

  const ids = async (table: string): Promise<string[]> =>
    (await query(`select id from company.${table}`)).map(({ id }) => String(id)).toSorted()
  expect(await ids('tracks')).toEqual(sent.track.toSorted())
  expect(await ids('order_completed')).toEqual(sent.track.toSorted())
  expect(await ids('identifies')).toEqual(sent.identify.toSorted())
  expect(await ids('groups')).toEqual(sent.group.toSorted())
  expect(await query('select id, toUInt32(round) as round from company.users order by id')).toEqual(
    Array.from({ length: 10 }, (_, at) => ({ id: `u${at}`, round })),
  )
  expect(await query('select id, toUInt32(round) as round from company.accounts')).toEqual([{ id: 'acme', round }])
  expect(await staged()).toBe(0)

  const { warehouse_loads } = await running.api.ok('GET', `/${destination}/warehouseLoads`)
  const loads = warehouse_loads as Load[]
  expect(loads.map(({ name }) => name)).toEqual([last, killed])
  expect(loads.map(({ state }) => state)).toEqual(['succeeded', 'succeeded'])
  expect(await status()).toMatchObject({ waiting_event_count: 0, loads_last_day: 2, billed: false })
  const { complete_time } = await status()
  expect(Date.parse(String(complete_time))).toBeGreaterThan(Date.now() - 10 * 60_000)
  const { tables } = await running.api.ok('GET', `/${destination}/warehouseLoads:tables`)
  expect((tables as { table: string }[]).map(({ table }) => table)).toEqual([
    'accounts',
    'groups',
    'identifies',
    'order_completed',
    'tracks',
    'users',
  ])
})
