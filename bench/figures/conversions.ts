import {
  createDestination,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  startVendorPeers,
} from '@tributary/test-kit'
import { type Arrivals, startArrivals } from '../arrivals.ts'
import { type CountingPeer, startCountingPeer } from '../counting-peer.ts'
import { type Figure, inTurns, mean, percentile, runLoad, sizeOf, spreadOfRatio, thousands } from '../harness.ts'
import { mapManyFields } from '../mapping.ts'
import { costsByThread, threadSeconds } from '../processor-time.ts'
import { type Bench, startBench } from '../product.ts'
import { createVendor, type Vendor } from '../vendors.ts'

const events = sizeOf('EVENTS', 12_000)
const pairs = 3
const targets = { platforms: 0.6, times: 1.5 } as const
/** Fields that a platform maps of an order, on average. */
const fields = 23
/** Events per second that are sent as conversions, and single events per second of the other workspace. */
const rates = { conversions: 500, other: 200 } as const
const seconds = sizeOf('SECONDS', 8)

type Way = { key: string; receivers: readonly { expect(events: number): Promise<unknown> }[] }
type World = { bench: Bench; webhooks: Way; platforms: Way }

const batches = { batching: true, batch_size: 100, batch_wait_ms: 100 }
const apps = [
  ['meta-conversions', { pixel_id: '123456789012345', access_token: 'token' }],
  ['tiktok-events', { pixel_code: 'C0123ABCD4567EFGH890', access_token: 'token' }],
  ['google-analytics', { measurement_id: 'G-A1B2C3D4E5', api_secret: 'secret' }],
] as const

/** Creates a source with three webhooks that map many fields, and one with three platforms and their presets. */
const prepare = async (bench: Bench, peers: readonly CountingPeer[], vendors: readonly Vendor[]): Promise<World> => {
  const { api } = bench.product
  const [hooked, sold] = [
    await createSource(api, bench.workspace, 'Webhooks'),
    await createSource(api, bench.workspace, 'Platforms'),
  ]
  for (const [place, { url }] of peers.entries())
    await mapManyFields(
      api,
      await createWebhook(api, bench.workspace, hooked.source, { url, ...batches }, `Webhook ${place}`),
      fields,
    )
  for (const [app, settings] of apps)
    await createDestination(api, bench.workspace, sold.source, { app, settings: { ...settings }, title: app })
  return {
    bench,
    webhooks: { key: hooked.key, receivers: peers },
    platforms: { key: sold.key, receivers: vendors },
  }
}

/** Events per second from the first request until every receiver has all events. */
const measureRound = async ({ bench }: World, { key, receivers }: Way, run: string): Promise<number> => {
  await bench.settle()
  const before = threadSeconds(bench.product.pid)
  const all = Promise.all(receivers.map((each) => each.expect(events)))
  const began = performance.now()
  await runLoad({ port: bench.port, key, connections: 8, eventsPerRequest: 100, events, run })
  await all
  const rate = events / ((performance.now() - began) / 1000)
  process.stdout.write(`${run}: ${thousands(rate)}/s, ${costsByThread(bench.product.pid, before, events)}\n`)
  return rate
}

/** Measures another workspace's single events beside half of what the product manages, with and without conversions. */
const measureBeside = async (world: World, other: { key: string }, half: number, ages: () => number[]) => {
  const { bench, webhooks, platforms } = world
  const toWebhook: Record<'without' | 'with', number[]> = { without: [], with: [] }
  const base = { port: bench.port, connections: 4, seconds }
  const acknowledged = await inTurns(pairs, ['without', 'with'] as const, async (kind, round) => {
    await bench.settle()
    ages()
    const load = { ...base, key: webhooks.key, eventsPerRequest: 50, rate: half, run: `half-${kind}-${round}` }
    const sold = { ...base, key: platforms.key, eventsPerRequest: 10, rate: rates.conversions, run: `sold-${round}` }
    const [report] = await Promise.all([
      runLoad({ ...base, key: other.key, eventsPerRequest: 1, rate: rates.other, run: `other.${kind}-${round}` }),
      runLoad(load),
      ...(kind === 'with' ? [runLoad(sold)] : []),
    ])
    const found: number[] = []
    await eventually(
      'all are at the webhook',
      () => found.push(...ages()) >= 0 && found.length >= report.accepted,
      60_000,
    )
    toWebhook[kind].push(percentile(found, 0.99))
    return report.p99
  })
  return { acknowledged, toWebhook }
}

const listed = (times: readonly number[]): string => times.map((time) => time.toFixed(1)).join(', ')

const besideFigure = (figure: string, times: Record<'without' | 'with', number[]>): Figure => {
  const ratio = mean(times.with) / mean(times.without)
  return {
    figure,
    target: `≤ ${targets.times} of ${mean(times.without).toFixed(1)} ms without`,
    measured: `${mean(times.with).toFixed(1)} ms (${listed(times.with)} against ${listed(times.without)})`,
    ratio,
    pass: ratio <= targets.times,
  }
}

/**
 * Measures orders that three platforms get by their presets, in turns with the same orders at three webhooks that map
 * as many fields. Then measures the effect of such orders on the events of another workspace.
 */
export const measureConversions = async (): Promise<Figure[]> => {
  await using stack = new AsyncDisposableStack()
  const vendors = {
    'graph.facebook.com': createVendor(/"event_name"/g, (count) => ({ events_received: count })),
    'business-api.tiktok.com': createVendor(/"event_id"/g, () => ({ code: 0, message: 'OK' })),
    'www.google-analytics.com': createVendor(/"timestamp_micros"/g, () => ({})),
  }
  const answers = Object.fromEntries(Object.entries(vendors).map(([host, { answer }]) => [host, answer]))
  const { command } = stack.use(await startVendorPeers(answers))
  const peers: CountingPeer[] = []
  while (peers.length < 3) peers.push(stack.use(await startCountingPeer()))
  let ages: number[] = []
  const arrivals: Arrivals = stack.use(await startArrivals('other', (age) => ages.push(age)))
  const bench = await startBench({ command })
  stack.use(bench.product)
  const { api } = bench.product
  const world = await prepare(bench, peers, Object.values(vendors))
  const { workspace } = await createWorkspace(api, 'Other')
  const other = await createSource(api, workspace)
  await createWebhook(api, workspace, other.source, { url: arrivals.url })
  const sent = await inTurns(pairs, ['webhooks', 'platforms'] as const, (kind, round) =>
    measureRound(world, world[kind], `${kind}-${round}`),
  )
  const ratio = mean(sent.platforms) / mean(sent.webhooks)
  const { acknowledged, toWebhook } = await measureBeside(world, other, mean(sent.webhooks) / 2, () => {
    const found = ages
    ages = []
    return found
  })
  return [
    {
      figure: `orders to three platforms, ratio to three webhooks that map ${fields} fields`,
      target: `≥ ${targets.platforms} of ${thousands(mean(sent.webhooks))}/s`,
      measured: `${thousands(mean(sent.platforms))}/s (ratio ± ${spreadOfRatio(sent.platforms, sent.webhooks).toFixed(2)})`,
      ratio,
      pass: ratio >= targets.platforms,
    },
    besideFigure(`acknowledged, p99, beside ${rates.conversions} conversions/s at half of the capacity`, acknowledged),
    besideFigure('same, from the request to the webhook, p99', toWebhook),
  ]
}
