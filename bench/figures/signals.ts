import { silentLogger } from '@tributary/kernel'
import { openRelational, runningPostgresUrl } from '@tributary/storage'
import { createWebhook, startVendorPeers } from '@tributary/test-kit'
import { type CountingPeer, startCountingPeer } from '../counting-peer.ts'
import { type Figure, inTurns, mean, percentile, runLoad, sizeOf, spreadOfRatio, thousands } from '../harness.ts'
import { type Bench, startBench } from '../product.ts'
import { createVendor, type Vendor } from '../vendors.ts'

const events = sizeOf('EVENTS', 30_000)
const conversions = sizeOf('CONVERSIONS', 1_000_000)
const pairs = 3
/** The load of other events and conversions, at a rate that leaves the machine spare time. */
const paced = { events: Math.min(events, 16_000), rate: 2000, conversions: 500 }
const targets = { platforms: 0.5, beside: 0.95, qualityMs: 1000 } as const
const looks = 20
/** Number of conversions that one statement inserts into the database. */
const filledAtOnce = 100_000

type Round = { key: string; run: string; count: number; rate?: number; arrived: () => Promise<unknown> }

/**
 * Events per second from the first request until every receiver has all of its events. Earlier events are already
 * stored.
 */
const measureRound = async (bench: Bench, { key, run, count, rate, arrived }: Round): Promise<number> => {
  await bench.settle()
  const all = arrived()
  const began = performance.now()
  const load = { port: bench.port, key, connections: 8, eventsPerRequest: 100, events: count, run }
  await runLoad(rate === undefined ? load : { ...load, eventsPerRequest: 20, rate })
  await all
  return count / ((performance.now() - began) / 1000)
}

/** Inserts the rows that a million conversions of 60 days would leave: counts by platform, day and kind. */
const fillCounts = async (bench: Bench, signal: string, destinations: readonly string[]): Promise<void> => {
  const relational = openRelational({
    url: await runningPostgresUrl(`${bench.product.dataDir}/postgres`),
    logger: silentLogger,
    maxConnections: 2,
  })
  const kinds = ['sent', 'id:email', 'id:phone', 'id:click_id', 'id:external_id', 'fresh:2', 'not:too_old']
  await relational.pool.query(
    `insert into signal_counts (signal_id, destination_id, day, kind, count)
     select $1, destination, current_date - ago, kind, $4 from unnest($2::uuid[]) as destination,
       generate_series(1, 60) as ago, unnest($3::text[]) as kind`,
    [signal, destinations, kinds, Math.round(conversions / 60)],
  )
  for (let from = 1; from <= conversions; from += filledAtOnce)
    await relational.pool.query(
      `insert into signal_conversions (signal_id, workspace_id, key, origin, event_id, source_event, event_time, create_time,
         amount, currency, test, subjects, platforms)
       select $1, $2, decode(md5(n::text), 'hex'), 'event', 'order-' || n, '0-' || n || '-0', now(), now(), 5, 'EUR', false,
         array[decode(md5('p' || n), 'hex')], '[["' || $3 || '","",3]]' from generate_series($4::int, $5::int) as n`,
      [
        signal,
        bench.workspace.split('/').at(-1),
        destinations[0],
        from,
        Math.min(conversions, from + filledAtOnce - 1),
      ],
    )
  await relational.pool.query('analyze')
  await relational.close()
}

const measureQuality = async (bench: Bench, signal: string): Promise<Figure> => {
  const now = Math.floor(Date.now() / 1000)
  const query = `start_date.seconds=${now - 60 * 86_400}&end_date.seconds=${now}`
  const times: number[] = []
  for (let look = 0; look < looks; look++) {
    const began = performance.now()
    await bench.product.api.ok('GET', `/${signal}:getQuality?${query}`)
    await bench.product.api.ok('GET', `/${signal}/conversions?page_size=50`)
    times.push(performance.now() - began)
  }
  const p95 = percentile(times, 0.95)
  return {
    figure: `match quality and list of ${thousands(conversions)} conversions`,
    target: `p95 < ${targets.qualityMs / 1000} s`,
    measured: `${p95.toFixed(0)} ms`,
    pass: p95 < targets.qualityMs,
  }
}

const ratioFigure = (
  figure: string,
  values: readonly number[],
  baseline: readonly number[],
  target: number,
): Figure => {
  const ratio = mean(values) / mean(baseline)
  return {
    figure,
    target: `≥ ${target} of ${thousands(mean(baseline))}/s`,
    measured: `${thousands(mean(values))}/s (ratio ± ${spreadOfRatio(values, baseline).toFixed(2)})`,
    ratio,
    pass: ratio >= target,
  }
}

type World = {
  bench: Bench
  hooked: { key: string }
  signaled: { source: string; key: string }
  webhooks: readonly CountingPeer[]
  vendors: readonly Vendor[]
  destinations: readonly string[]
}

/** Creates a source with three webhooks, and a source for a signal with three platforms. */
const prepare = async (
  bench: Bench,
  webhooks: World['webhooks'],
  vendors: World['vendors'],
): Promise<World & { signal: string }> => {
  const { product, workspace } = bench
  const { api } = product
  const sourceOf = async (title: string): Promise<{ source: string; key: string }> => {
    const { name: source } = await api.ok('POST', `/${workspace}/sources`, {
      title,
      app: { name: 'catalogSources/http' },
    })
    return { source: String(source), key: String((await api.ok('POST', `/${workspace}/writekeys`, { source })).key) }
  }
  const [hooked, signaled] = [await sourceOf('Webhooks'), await sourceOf('Signals')]
  const batches = { batching: true, batch_size: 100, batch_wait_ms: 100 }
  for (const [index, { url }] of webhooks.entries())
    await createWebhook(api, workspace, hooked.source, { url, ...batches }, `Webhook ${index}`)
  const make = async (app: string, settings: object): Promise<string> => {
    const body = { title: app, app: { name: `catalogDestinations/${app}` }, settings }
    return String((await api.ok('POST', `/${workspace}/destinations`, body)).name)
  }
  const destinations = [
    await make('meta-conversions', { pixel_id: '123456789012345', access_token: 'token' }),
    await make('tiktok-events', { pixel_code: 'C0123ABCD4567EFGH890', access_token: 'token' }),
    await make('google-analytics', { measurement_id: 'G-A1B2C3D4E5', api_secret: 'secret' }),
  ]
  const { name } = await api.ok('POST', `/${workspace}/signals`, {
    title: 'Orders',
    enabled: true,
    trigger: { type: 'events', sources: [signaled.source], events: [{ event_name: 'Order Completed' }] },
    conversion: { type: 'purchase' },
    value: { type: 'event', amount_path: 'properties.total', currency_path: 'properties.currency' },
    event_id: { type: 'message_id' },
    platforms: destinations.map((destination) => ({ destination })),
  })
  return { bench, hooked, signaled, webhooks, vendors, destinations, signal: String(name) }
}

/** Measures the same events sent to three webhooks and to three platforms, in alternation. */
const measurePlatforms = async ({ bench, hooked, signaled, webhooks, vendors }: World): Promise<Figure> => {
  const rates = await inTurns(pairs, ['webhooks', 'platforms'] as const, (kind, round) => {
    const { key, peers } =
      kind === 'webhooks' ? { key: hooked.key, peers: webhooks } : { key: signaled.key, peers: vendors }
    const arrived = () => Promise.all(peers.map((each) => each.expect(events)))
    return measureRound(bench, { key, run: `${kind}-${round}`, count: events, arrived })
  })
  return ratioFigure(
    'conversions to three platforms, ratio to three webhooks',
    rates.platforms,
    rates.webhooks,
    targets.platforms,
  )
}

/** Measures collection and delivery, alone and during conversions, in alternation. */
const measureBeside = async ({ bench, hooked, signaled, webhooks }: World): Promise<Figure> => {
  const seconds = Math.ceil(paced.events / paced.rate) + 1
  const beside = await inTurns(pairs, ['alone', 'beside'] as const, async (kind, round) => {
    const load = { port: bench.port, key: signaled.key, connections: 2, eventsPerRequest: 20, rate: paced.conversions }
    const others: Promise<unknown>[] = []
    const rate = await measureRound(bench, {
      key: hooked.key,
      run: `${kind}-${round}`,
      count: paced.events,
      rate: paced.rate,
      arrived: async () => {
        const all = Promise.all(webhooks.map((each) => each.expect(paced.events)))
        if (kind === 'beside') others.push(runLoad({ ...load, run: `other-${round}`, seconds }))
        return await all
      },
    })
    await Promise.all(others)
    return rate
  })
  return ratioFigure(
    `collected and delivered at ${thousands(paced.rate)}/s beside ${paced.conversions} conversions/s`,
    beside.beside,
    beside.alone,
    targets.beside,
  )
}

/**
 * Measures conversions to three platforms compared with the same events to three webhooks, their effect on other
 * events, and the time to load the quality page.
 */
export const measureSignals = async (): Promise<Figure[]> => {
  const meta = createVendor(/"event_name"/g, (count) => ({ events_received: count }))
  const tiktok = createVendor(/"event_id"/g, () => ({ code: 0, message: 'OK' }))
  const analytics = createVendor(/"timestamp_micros"/g, () => ({}))
  await using stack = new AsyncDisposableStack()
  const { command } = stack.use(
    await startVendorPeers({
      'graph.facebook.com': meta.answer,
      'business-api.tiktok.com': tiktok.answer,
      'www.google-analytics.com': analytics.answer,
    }),
  )
  const webhooks: CountingPeer[] = []
  while (webhooks.length < 3) webhooks.push(stack.use(await startCountingPeer()))
  const bench = await startBench({ command })
  stack.use(bench.product)
  const world = await prepare(bench, webhooks, [meta, tiktok, analytics])
  const figures = [await measurePlatforms(world), await measureBeside(world)]
  const idOf = (name: string): string => name.split('/').at(-1) ?? ''
  await fillCounts(bench, idOf(world.signal), world.destinations.map(idOf))
  return [...figures, await measureQuality(bench, world.signal)]
}
