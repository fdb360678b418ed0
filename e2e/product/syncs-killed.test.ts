import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminCredentials,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'

/**
 * The points at which the process kills itself, like SIGKILL: after each step of a run. The tests of the engine use all
 * of them. With the whole product, the short run uses two points, and the long run (`npm run soak`) uses all.
 */
const points = [
  ...(Number(process.env.SOAK_ROUNDS ?? 0) === 0 ? [] : ['stage', 'plan', 'confirm']),
  'append',
  'outcomes',
].map((step) => `sync.after-${step}`)

/** Content of a request to the webhook. */
type Sent = { recordId: string; operation: string; object: string; key: string; payload: { plan?: string } }

test('a sync run killed at each step has the same result, resends rows with the same ID, and leaves nothing for the next run', async () => {
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-syncs-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const receiver = stack.use(await startWebhookReceiver())
  let product: Product | undefined
  stack.defer(async () => void (await product?.stop()))
  const start = async (env: Record<string, string> = {}) => {
    product = await startProduct({ dataDir, env })
    await product.api.login(adminCredentials)
    return product
  }

  // The first runs, one of each sync, pass the point before. The first product is killed at it in the run after them.
  const [firstPoint = '', ...otherPoints] = points
  const first = await start({ TRIBUTARY_FAULT: `${firstPoint}:${points.length + 1}` })
  const { api } = first
  const { workspace } = await createWorkspace(api)
  const make = async (kind: string, body: Record<string, unknown>): Promise<string> =>
    String((await api.ok('POST', `/${workspace}/${kind}`, body)).name)
  const dataSource = await make('dataSources', { title: 'List', app: { name: 'catalogDataSources/file' } })
  const upload = (lines: readonly string[]) =>
    api.ok('POST', `/${dataSource}/uploads`, {
      upload_id: randomUUID(),
      file_name: 'people.csv',
      offset: 0,
      content: Buffer.from(['email,plan', ...lines].join('\n')).toString('base64'),
      last: true,
    })
  await upload(['ada,pro', 'bob,free', 'cyd,free'])
  const model = await make('models', {
    title: 'List',
    data_source: dataSource,
    query: { schema: 'file', table: 'rows' },
    primary_key: ['email'],
  })
  const destination = await make('destinations', {
    title: 'Endpoint',
    app: { name: 'catalogDestinations/webhook' },
    settings: { url: receiver.url },
  })
  const syncs = new Map<string, string>()
  for (const point of points)
    syncs.set(
      point,
      await make('syncs', {
        title: point,
        model,
        destination,
        object: 'records',
        object_name: point,
        mode: 'FULL_SYNC',
        identifier: 'email',
        guard_percent: 100,
        fields: ['email', 'plan'].map((name) => ({ column: name, target: name })),
      }),
    )
  const runsOf = async (running: Product, sync: string) => {
    const { runs } = await running.api.ok('GET', `/${sync}/runs`)
    return runs as { state: string; counts: unknown; finish_time: string | null }[]
  }
  /** Waits until the last run of a sync has ended; it must be run number `n`. */
  const ended = (running: Product, sync: string, n: number) =>
    eventually(
      'the run has ended',
      async () => {
        const runs = await runsOf(running, sync)
        return runs.length === n && runs[0]?.finish_time !== null && runs[0]
      },
      90_000,
    )
  const begin = (running: Product, sync: string) => running.api.ok('POST', `/${sync}:run`, {})
  for (const sync of syncs.values()) await begin(first, sync)
  for (const sync of syncs.values()) expect(await ended(first, sync, 1)).toMatchObject({ state: 'succeeded' })
  await upload(['ada,pro', 'bob,pro', 'dee,free'])
  receiver.calls.length = 0

  let doomed = first
  for (const [point, sync] of syncs) {
    if (otherPoints.includes(point)) doomed = await start({ TRIBUTARY_FAULT: point })
    // The process may end before it responds.
    await begin(doomed, sync).catch(() => {})
    await doomed.ended
  }
  const last = await start()
  for (const [point, sync] of syncs) {
    // An earlier run that was continued may have reached the fault first.
    if ((await runsOf(last, sync)).length === 1) await begin(last, sync)
    expect([point, await ended(last, sync, 2)]).toMatchObject([
      point,
      { state: 'succeeded', counts: { read: 3, added: 1, changed: 1, unchanged: 1, removed: 1, waiting: 0 } },
    ])
  }
  const sent = (): Sent[] => receiver.calls.map(({ body }) => JSON.parse(body) as Sent)
  for (const point of points) {
    const rows = sent().filter(({ object }) => object === point)
    const byId = new Map(
      rows.map(({ recordId, operation, key, payload }) => [recordId, `${operation} ${key} ${payload.plan}`]),
    )
    expect([point, [...byId.values()].toSorted()]).toEqual([
      point,
      ['delete cyd undefined', 'upsert bob pro', 'upsert dee free'],
    ])
  }
  const before = receiver.calls.length
  for (const sync of syncs.values()) await begin(last, sync)
  for (const sync of syncs.values())
    expect(await ended(last, sync, 3)).toMatchObject({ state: 'succeeded', counts: { read: 3, unchanged: 3 } })
  expect(receiver.calls).toHaveLength(before)
})
