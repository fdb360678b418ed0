import {
  createDestination,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  startVendorPeers,
  processFamily,
} from '@tributary/test-kit'
import { readFileSync, readdirSync } from 'node:fs'
import { startArrivals } from './arrivals.ts'
import { startCountingPeer } from './counting-peer.ts'
import { percentile, runLoad } from './harness.ts'
import { mapManyFields } from './mapping.ts'
import { threadSeconds } from './processor-time.ts'
import { startBench } from './product.ts'
import { createVendor } from './vendors.ts'
const batches = { batching: true, batch_size: 100, batch_wait_ms: 100 }
const apps = [
  ['meta-conversions', { pixel_id: '123456789012345', access_token: 'token' }],
  ['tiktok-events', { pixel_code: 'C0123ABCD4567EFGH890', access_token: 'token' }],
  ['google-analytics', { measurement_id: 'G-A1B2C3D4E5', api_secret: 'secret' }],
] as const
const HALF = Number(process.env.HALF ?? 1000),
  SECONDS = Number(process.env.SECONDS ?? 8),
  PAIRS = Number(process.env.PAIRS ?? 3)
const delays = (pid: number) => {
  const m = new Map<string, number[]>()
  for (const t of readdirSync(`/proc/${pid}/task`)) {
    try {
      const [run, wait, n] = readFileSync(`/proc/${pid}/task/${t}/schedstat`, 'utf8').split(' ').map(Number)
      const name = readFileSync(`/proc/${pid}/task/${t}/comm`, 'utf8').trim()
      const o = m.get(name) ?? [0, 0, 0]
      m.set(name, [o[0]! + run!, o[1]! + wait!, o[2]! + n!])
    } catch {}
  }
  return m
}
const cpu = () => readFileSync('/proc/stat', 'utf8').split('\n')[0]!.trim().split(/\s+/).slice(1, 9).map(Number)
const stack = new AsyncDisposableStack()
try {
  const vendors = {
    'graph.facebook.com': createVendor(/"event_name"/g, (count) => ({ events_received: count })),
    'business-api.tiktok.com': createVendor(/"event_id"/g, () => ({ code: 0, message: 'OK' })),
    'www.google-analytics.com': createVendor(/"timestamp_micros"/g, () => ({})),
  }
  const answers = Object.fromEntries(Object.entries(vendors).map(([host, { answer }]) => [host, answer]))
  const { command } = stack.use(await startVendorPeers(answers))
  const peers = []
  while (peers.length < 3) peers.push(stack.use(await startCountingPeer()))
  let ages: number[] = []
  const arrivals = stack.use(await startArrivals('other', (age) => ages.push(age)))
  const bench = await startBench({ command })
  stack.use(bench.product)
  const { api } = bench.product
  const hooked = await createSource(api, bench.workspace, 'Webhooks'),
    sold = await createSource(api, bench.workspace, 'Platforms')
  for (const [place, { url }] of peers.entries())
    await mapManyFields(
      api,
      await createWebhook(api, bench.workspace, hooked.source, { url, ...batches }, `Webhook ${place}`),
      23,
    )
  for (const [app, settings] of apps)
    await createDestination(api, bench.workspace, sold.source, { app, settings: { ...settings }, title: app })
  const { workspace } = await createWorkspace(api, 'Other')
  const other = await createSource(api, workspace)
  await createWebhook(api, workspace, other.source, { url: arrivals.url })
  const base = { port: bench.port, connections: 4, seconds: SECONDS }
  for (let round = -1; round < PAIRS; round++)
    for (const kind of round % 2 ? ['with', 'without'] : ['without', 'with']) {
      await bench.settle()
      ages = []
      const t0 = threadSeconds(process.pid)
      const d0 = delays(bench.product.pid)
      const s0 = performance.now()
      const c0 = cpu()
      const [report] = await Promise.all([
        runLoad({ ...base, key: other.key, eventsPerRequest: 1, rate: 200, run: `other.${kind}-${round}` }),
        runLoad({ ...base, key: hooked.key, eventsPerRequest: 50, rate: HALF, run: `half-${kind}-${round}` }),
        ...(kind === 'with'
          ? [runLoad({ ...base, key: sold.key, eventsPerRequest: 10, rate: 500, run: `sold-${round}` })]
          : []),
      ])
      const secs = (performance.now() - s0) / 1000
      const c1 = cpu()
      const t1 = threadSeconds(process.pid)
      const d1 = delays(bench.product.pid)
      await eventually('all', () => ages.length >= report.accepted, 60000)
      const use = [...t1]
        .map(([n, s]) => [n, ((s - (t0.get(n) ?? 0)) / secs) * 100] as const)
        .filter(([, s]) => s > 0.8)
        .toSorted((a, b) => b[1] - a[1])
      const total = use.reduce((a, [, s]) => a + s, 0)
      console.log(
        `${kind} ${round}: ack p50 ${report.p50.toFixed(1)} p95 ${report.p95.toFixed(1)} p99 ${report.p99.toFixed(1)}; hook p50 ${percentile(ages, 0.5).toFixed(1)} p95 ${percentile(ages, 0.95).toFixed(1)} p99 ${percentile(ages, 0.99).toFixed(1)}; cpu ${total.toFixed(0)} %: ${use.map(([n, s]) => `${n} ${s.toFixed(1)}`).join(', ')}`,
      )
      console.log(
        '   machine ' +
          c1.map((v, i) => ((v - c0[i]!) / secs).toFixed(0)).join(' ') +
          ' (user nice sys idle iowait irq sirq steal)',
      )
      console.log(
        '   waits ms/s: ' +
          [...d1]
            .map(([n, [r, w, c]]) => {
              const [r0, w0, c0] = d0.get(n) ?? [0, 0, 0]
              return [n, (r! - r0!) / secs / 1e6, (w! - w0!) / secs / 1e6, (c! - c0!) / secs] as const
            })
            .filter((x) => x[1] > 3)
            .map(([n, r, w, c]) => `${n} run ${r.toFixed(0)} wait ${w.toFixed(0)} n ${c.toFixed(0)}`)
            .join(', '),
      )
    }
} finally {
  await stack.disposeAsync()
}
process.exit(0)
