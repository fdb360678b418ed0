import { silentLogger } from '@tributary/kernel'
import { openRelational, runningPostgresUrl } from '@tributary/storage'
import { createWebhook } from '@tributary/test-kit'
import { type Asked, startVendorPeer } from '../../e2e/vendors/start-peer.ts'
import { type CountingPeer, startCountingPeer } from '../counting-peer.ts'
import { type Figure, inTurns, mean, percentile, runLoad, sizeOf, spreadOfRatio, thousands } from '../harness.ts'
import { type Bench, startBench } from '../product.ts'

const events = sizeOf('EVENTS', 30_000)
const conversions = sizeOf('CONVERSIONS', 1_000_000)
const pairs = 3
const targets = { platforms: 0.5, beside: 0.95, qualityMs: 1000 } as const
const looks = 20

/** A vendor that takes everything and counts the events of a request by a word that each has once. */
const createCounter = (word: RegExp, answerOf: (events: number) => object) => {
  let taken = 0
  let wanted = { events: Number.POSITIVE_INFINITY, done: () => {} }
  return {
    answer: ({ body }: Asked) => {
      const count = JSON.stringify(body).match(word)?.length ?? 0
      taken += count
      if (taken >= wanted.events) wanted.done()
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answerOf(count)) }
    },
    expect: (count: number): Promise<void> =>
      new Promise((resolve) => {
        taken = 0
        wanted = { events: count, done: resolve }
      }),
  }
}

/** Events a second from the first request until all three have all of them. */
const measureRound = async (
  bench: Bench,
  { key, run, arrived }: { key: string; run: string; arrived: () => Promise<unknown> },
): Promise<number> => {
  const all = arrived()
  const began = performance.now()
  await runLoad({ port: bench.port, key, connections: 8, eventsPerRequest: 100, events, run })
  await all
  return events / ((performance.now() - began) / 1000)
}

/** Rows as a million conversions of 60 days leave behind: counts by platform, day and kind. */
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
  await relational.pool.query(
    `insert into signal_conversions (signal_id, workspace_id, key, origin, event_id, source_event, event_time, create_time,
       amount, currency, test, subjects, platforms)
     select $1, $2, decode(md5(n::text), 'hex'), 'event', 'order-' || n, '0-' || n || '-0', now(), now(), 5, 'EUR', false,
       array[decode(md5('p' || n), 'hex')], '[["' || $3 || '","",3]]' from generate_series(1, $4) as n`,
    [signal, bench.workspace.split('/').at(-1), destinations[0], conversions],
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

/** Conversions to three platforms beside the same events to three webhooks, what others feel of it, and how soon quality opens. */
export const measureSignals = async (): Promise<Figure[]> => {
  const meta = createCounter(/"event_name"/g, (count) => ({ events_received: count }))
  const tiktok = createCounter(/"event_id"/g, () => ({ code: 0, message: 'OK' }))
  const analytics = createCounter(/"timestamp_micros"/g, () => ({}))
  await using metaPeer = await startVendorPeer('graph.facebook.com', meta.answer)
  await using tiktokPeer = await startVendorPeer('business-api.tiktok.com', tiktok.answer)
  await using analyticsPeer = await startVendorPeer('www.google-analytics.com', analytics.answer)
  const webhooks: CountingPeer[] = [await startCountingPeer(), await startCountingPeer(), await startCountingPeer()]
  const bench = await startBench({
    env: {
      TRIBUTARY_FLAGS: 'signals=on',
      NODE_OPTIONS: `--import=${new URL('../../e2e/vendors/hook.ts', import.meta.url).href}`,
      VENDOR_PEERS: JSON.stringify({
        'https://graph.facebook.com': metaPeer.url,
        'https://business-api.tiktok.com': tiktokPeer.url,
        'https://www.google-analytics.com': analyticsPeer.url,
      }),
    },
  })
  await using _ = bench.product
  const { api } = bench.product
  const sourceOf = async (title: string): Promise<{ source: string; key: string }> => {
    const source = String(
      (await api.ok('POST', `/${bench.workspace}/sources`, { title, app: { name: 'catalogSources/http' } })).name,
    )
    return { source, key: String((await api.ok('POST', `/${bench.workspace}/writekeys`, { source })).key) }
  }
  const [hooked, signaled] = [await sourceOf('Webhooks'), await sourceOf('Signals')]
  for (const [index, { url }] of webhooks.entries())
    await createWebhook(
      api,
      bench.workspace,
      hooked.source,
      { url, batching: true, batch_size: 100, batch_wait_ms: 100 },
      `W${index}`,
    )
  const make = async (app: string, settings: object): Promise<string> =>
    String(
      (
        await api.ok('POST', `/${bench.workspace}/destinations`, {
          title: app,
          app: { name: `catalogDestinations/${app}` },
          settings,
        })
      ).name,
    )
  const destinations = [
    await make('meta-conversions', { pixel_id: '123456789012345', access_token: 'token' }),
    await make('tiktok-events', { pixel_code: 'C0123ABCD4567EFGH890', access_token: 'token' }),
    await make('google-analytics', { measurement_id: 'G-A1B2C3D4E5', api_secret: 'secret' }),
  ]
  const signal = String(
    (
      await api.ok('POST', `/${bench.workspace}/signals`, {
        title: 'Orders',
        enabled: true,
        trigger: { type: 'events', sources: [signaled.source], events: [{ event_name: 'Order Completed' }] },
        conversion: { type: 'lead' },
        value: { type: 'event', amount_path: 'properties.total', currency_path: 'properties.currency' },
        event_id: { type: 'message_id' },
        platforms: destinations.map((destination) => ({ destination })),
      })
    ).name,
  )
  const platforms = () => Promise.all([meta, tiktok, analytics].map((each) => each.expect(events)))
  const rates = await inTurns(pairs, ['webhooks', 'platforms'] as const, (kind, round) =>
    measureRound(bench, {
      key: kind === 'webhooks' ? hooked.key : signaled.key,
      run: `${kind}-${round}`,
      arrived: kind === 'webhooks' ? () => Promise.all(webhooks.map((each) => each.expect(events))) : platforms,
    }),
  )
  const beside = await inTurns(pairs, ['alone', 'beside'] as const, async (kind, round) => {
    const load = { port: bench.port, key: signaled.key, connections: 2, eventsPerRequest: 20, rate: 500 }
    const other = kind === 'beside' ? runLoad({ ...load, run: `other-${round}`, seconds: 10 }) : undefined
    const rate = await measureRound(bench, {
      key: hooked.key,
      run: `${kind}-${round}`,
      arrived: () => Promise.all(webhooks.map((each) => each.expect(events))),
    })
    await other
    return rate
  })
  for (const peer of webhooks) await peer[Symbol.asyncDispose]()
  const idOf = (name: string): string => name.split('/').at(-1) ?? ''
  await fillCounts(bench, idOf(signal), destinations.map(idOf))
  return [
    ratioFigure(
      'conversions to three platforms, ratio to three webhooks',
      rates.platforms,
      rates.webhooks,
      targets.platforms,
    ),
    ratioFigure('collection and delivery beside 500 conversions/s', beside.beside, beside.alone, targets.beside),
    await measureQuality(bench, signal),
  ]
}
