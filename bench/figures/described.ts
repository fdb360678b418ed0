import { readFileSync } from 'node:fs'
import { createDestination, createSource, createWebhook, startVendorPeers, type VendorAsked } from '@tributary/test-kit'
import { type Figure, inTurns, mean, runLoad, sizeOf, spreadOfRatio, thousands } from '../harness.ts'
import { mapManyFields } from '../mapping.ts'
import { costsByThread, threadSeconds } from '../processor-time.ts'
import { type Bench, startBench } from '../product.ts'

const events = sizeOf('EVENTS', 8000)
const pairs = 3
const target = 0.8

/**
 * Destinations by description without a limit of requests or of age, and the hosts that they ask with the settings of
 * their vectors. Four of them take many events in a request, and six take one.
 */
const hosts = {
  accoil: 'in.accoil.com',
  clevertap: 'eu1.api.clevertap.com',
  custify: 'api.custify.com',
  engage: 'api.engage.so',
  fullstory: 'api.fullstory.com',
  heap: 'heapanalytics.com',
  klime: 'i.klime.com',
  moengage: 'api-01.moengage.com',
  split: 'events.split.io',
  statsig: 'events.statsigapi.net',
} as const
const slugs = Object.keys(hosts) as (keyof typeof hosts)[]

/** The parts of a description that the measurement uses. */
type Description = {
  title: string
  limits: { max_events: number }
  vectors: { settings: Record<string, unknown>; accepts: { answer: number | { status: number; body?: object } } }
}

const described = slugs.map((slug) => {
  const file = new URL(`../../connectors/destinations/${slug}/description.json`, import.meta.url)
  return { slug, ...(JSON.parse(readFileSync(file, 'utf8')) as Description) }
})

/** Texts of each event of the load generator: destinations send some of them. */
const mark = /SPRING10|ord-20260115-0042|Order Completed/g

/** Counts the events that reach the hosts of one kind of destinations. */
const createCounter = () => {
  const perEvent = new Map<string, number>()
  const counts = new Map<string, number>()
  let wanted = { events: Number.POSITIVE_INFINITY, done: () => {} }
  const arrived = (host: string): number => (counts.get(host) ?? 0) / (perEvent.get(host) ?? 1)
  return {
    note({ host, text }: VendorAsked): void {
      counts.set(host, (counts.get(host) ?? 0) + (text.match(mark)?.length ?? 0))
      if (perEvent.size === slugs.length && [...perEvent.keys()].every((each) => arrived(each) >= wanted.events))
        wanted.done()
    },
    /** Learns how often the mark is in an event at each host, from one event. Returns the hosts that have it. */
    learn(): string[] {
      for (const [host, count] of counts) if (count > 0) perEvent.set(host, count)
      return [...perEvent.keys()]
    },
    /** Resolves when every host has this number of events. */
    expect: (count: number): Promise<void> =>
      new Promise((resolve) => {
        counts.clear()
        wanted = { events: count, done: resolve }
      }),
  }
}

type Counter = ReturnType<typeof createCounter>
type Way = { key: string; counter: Counter }

/** The hosts of the ten destinations with the answer of their vectors that accepts, and those of ten webhooks. */
const hostsOf = (counters: { described: Counter; webhooks: Counter }) => {
  const answers: Record<string, (asked: VendorAsked) => { status: number; headers: object; body: string }> = {}
  const headers = { 'content-type': 'application/json' }
  for (const [place, { slug, vectors }] of described.entries()) {
    const { answer } = vectors.accepts
    const { status, body = {} } = typeof answer === 'number' ? { status: answer } : answer
    answers[hosts[slug]] = (asked) => {
      counters.described.note(asked)
      return { status, headers, body: JSON.stringify(body) }
    }
    answers[`hooks-${place}.example.com`] = (asked) => {
      counters.webhooks.note(asked)
      return { status: 200, headers, body: '{}' }
    }
  }
  return answers as Parameters<typeof startVendorPeers>[0]
}

/** Fields that a destination maps of an order, on average. */
const fields = 12

const prepare = async (bench: Bench, counters: { described: Counter; webhooks: Counter }) => {
  const { api } = bench.product
  const ways = {
    described: { source: await createSource(api, bench.workspace, 'Described'), counter: counters.described },
    webhooks: { source: await createSource(api, bench.workspace, 'Webhooks'), counter: counters.webhooks },
  }
  for (const [place, { slug, title, limits, vectors }] of described.entries()) {
    const settings = { ...vectors.settings }
    await createDestination(api, bench.workspace, ways.described.source.source, { app: slug, settings, title })
    // The webhook takes as many events in a request as the destination.
    const batching = limits.max_events > 1 && { batching: true, batch_size: limits.max_events, batch_wait_ms: 1000 }
    const url = `https://hooks-${place}.example.com/`
    const webhook = { url, ...(batching === false ? {} : batching) }
    const made = await createWebhook(api, bench.workspace, ways.webhooks.source.source, webhook, `Webhook ${place}`)
    await mapManyFields(api, made, fields)
  }
  return ways
}

/** Events per second from the first request until every receiver has all events. */
const measureRound = async (bench: Bench, { key, counter }: Way, count: number, run: string): Promise<number> => {
  await bench.settle()
  const before = threadSeconds(bench.product.pid)
  const all = counter.expect(count)
  const began = performance.now()
  await runLoad({ port: bench.port, key, connections: 8, eventsPerRequest: Math.min(count, 100), events: count, run })
  await all
  const rate = count / ((performance.now() - began) / 1000)
  process.stdout.write(`${run}: ${thousands(rate)}/s, ${costsByThread(bench.product.pid, before, count)}\n`)
  return rate
}

/**
 * Measures events that ten destinations by description get by their presets. The rounds are in turns with the same
 * events at ten webhooks, which map as many fields and take as many events in a request.
 */
export const measureDescribed = async (): Promise<Figure[]> => {
  await using stack = new AsyncDisposableStack()
  const counters = { described: createCounter(), webhooks: createCounter() }
  const { command } = stack.use(await startVendorPeers(hostsOf(counters)))
  const bench = await startBench({ command })
  stack.use(bench.product)
  const ways = await prepare(bench, counters)
  for (const [kind, { source, counter }] of Object.entries(ways)) {
    await runLoad({
      port: bench.port,
      key: source.key,
      connections: 1,
      eventsPerRequest: 1,
      events: 1,
      run: `one-${kind}`,
    })
    await bench.settle()
    const reached = counter.learn()
    if (reached.length < slugs.length)
      throw new Error(`Of the ${kind}, the first event reached only ${reached.join(', ')}`)
  }
  const rates = await inTurns(pairs, ['webhooks', 'described'] as const, (kind, round) =>
    measureRound(bench, { key: ways[kind].source.key, counter: ways[kind].counter }, events, `${kind}-${round}`),
  )
  const ratio = mean(rates.described) / mean(rates.webhooks)
  return [
    {
      figure: `events to ten destinations by description, ratio to ten webhooks that map ${fields} fields`,
      target: `≥ ${target} of ${thousands(mean(rates.webhooks))}/s`,
      measured: `${thousands(mean(rates.described))}/s (ratio ± ${spreadOfRatio(rates.described, rates.webhooks).toFixed(2)})`,
      ratio,
      pass: ratio >= target,
    },
  ]
}
