import { setTimeout as pause } from 'node:timers/promises'
import type { AudienceQuery } from '@tributary/contract'
import { createSource, createWebhook, createWorkspace, eventually, startWebhookReceiver } from '@tributary/test-kit'
import { atLeast, did, lastDays, never, plans, queryOf, trait } from '../audience-queries.ts'
import { startCountingPeer } from '../counting-peer.ts'
import {
  type Figure,
  forgetPeak,
  inTurns,
  mean,
  median,
  metric,
  peakResidentBytes,
  percentile,
  runLoad,
  spreadOfRatio,
  thousands,
} from '../harness.ts'
import type { Bench } from '../product.ts'

const dayMs = 86_400_000
const MiB = 1024 * 1024
const audiences = 50
/** Number of users whose events the load sends. */
const people = 20_000
const enterMs = 5000
const exitMs = 60_000
const mergeMs = 5000
const beside = { rate: 500, seconds: 40, enters: 60, exits: 10, merges: 8 }
const turns = { rate: 2000, events: 16_000, pairs: 2 }
const targetRatio = 0.85
const limits = { server: 700, store: 2048 }

const events = ['Product Added', 'Cart Viewed', 'Checkout Started', 'Order Completed', 'Search Performed', 'Signed In']

/** Returns the query of an audience, similar to those that users create. Each number gives another query. */
const queryOfNumber = (n: number): AudienceQuery => {
  const plan = trait('plan', { operator: 'equals', value: plans[n % plans.length] })
  if (n % 5 < 3)
    return queryOf(
      'and',
      did(events[n % events.length] ?? '', { timeframe: lastDays(15 + n), ...atLeast(3) }),
      plan,
      did('Signed Out', { timeframe: lastDays(7), ...never }),
    )
  if (n % 5 === 3) {
    const total = { id: 'prop', name: 'total', valueType: 'number', operator: 'greater_than', value: '450' }
    return queryOf('and', did('Order Completed', { timeframe: lastDays(10 + n), selectedAttributes: [total] }))
  }
  return queryOf('and', plan, trait('age', { valueType: 'number', operator: 'at_least', value: String(89 - (n % 7)) }))
}

const probes = {
  enter: queryOf('and', did('Probe Entered', { timeframe: lastDays(30) })),
  exit: queryOf('and', did('Probe Left', { timeframe: lastDays(1) })),
  merge: queryOf('and', did('Probe Joined', { timeframe: lastDays(30), ...atLeast(2) })),
}
type Probe = keyof typeof probes

/** Creates fifty live audiences of a workspace, three of them sent to a webhook. */
const makeAudiences = async ({ product: { api }, workspace }: Bench, url: string): Promise<Record<Probe, string>> => {
  const { source } = await createSource(api, workspace, 'Unused')
  const destination = await createWebhook(api, workspace, source, { url }, 'Audiences')
  const create = async (title: string, query: AudienceQuery): Promise<string> =>
    String((await api.ok('POST', `/${workspace}/audiences`, { title, query }))['name'])
  const named = {} as Record<Probe, string>
  for (const [probe, query] of Object.entries(probes) as [Probe, AudienceQuery][])
    named[probe] = await create(probe, query)
  for (let n = 0; n < audiences - Object.keys(probes).length; n++) await create(`Audience ${n}`, queryOfNumber(n))
  const states = async (): Promise<string[]> => {
    const { audiences: listed } = await api.ok('GET', `/${workspace}/audiences`)
    return (listed as { state: string; title: string }[]).map(({ state }) => state)
  }
  await eventually(
    'all audiences are live',
    async () => {
      const found = await states()
      if (found.includes('failed')) throw new Error('An audience has failed')
      return found.length === audiences && found.every((state) => state === 'live')
    },
    300_000,
  )
  for (const name of Object.values(named)) await api.ok('POST', `/${name}:connectDestination`, { destination })
  return named
}

const send = async ({ product, key }: Bench, ...batch: object[]): Promise<void> => {
  const { status } = await fetch(`${product.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch }),
  })
  if (status !== 200) throw new Error(`Events were answered with ${status}`)
}

/** Times at which entries and exits of users were reported, in epoch ms, by kind and user ID. */
type Seen = Map<string, number>

/** Starts a webhook that records when users entered and left. */
const startListener = async (): Promise<{ url: string; seen(): Seen } & AsyncDisposable> => {
  const receiver = await startWebhookReceiver()
  return {
    url: receiver.url,
    seen() {
      const found: Seen = new Map()
      for (const { body, time } of receiver.calls) {
        if (body === '') continue
        const { event, userId } = JSON.parse(body) as { event: string; userId: string }
        found.set(`${event} ${userId}`, time)
      }
      return found
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

/** Polls the members of audiences through the API until the signal aborts. */
const watchMembers = ({ product: { api } }: Bench, names: readonly string[], seen: Seen, signal: AbortSignal) =>
  Promise.all(
    names.map(async (name) => {
      while (!signal.aborted) {
        const { members } = await api.ok('GET', `/${name}/members?page_size=200`)
        for (const { profile } of members as { profile: { title: string } }[])
          if (!seen.has(profile.title)) seen.set(profile.title, Date.now())
        await pause(100)
      }
    }),
  )

type Probed = { enter: number[]; exit: number[]; merge: number[]; api: number[] }

/**
 * Sends events of users who enter, leave by time, and are merged, during a load. Measures the time until each change
 * was reported, in ms.
 */
const probe = async (bench: Bench, named: Record<Probe, string>, seenAtWebhook: () => Seen): Promise<Probed> => {
  const began = { enter: new Map<string, number>(), exit: new Map<string, number>(), merge: new Map<string, number>() }
  const { port, key } = bench
  const load = runLoad({
    port,
    key,
    connections: 8,
    eventsPerRequest: 10,
    people,
    run: 'live',
    rate: beside.rate,
    seconds: beside.seconds,
  })
  const atApi: Seen = new Map()
  const ending = new AbortController()
  const watching = watchMembers(bench, [named.enter, named.merge], atApi, ending.signal)
  const track = (event: string, part: object): object => ({ type: 'track', event, ...part })
  await pause(3000)
  const now = Date.now()
  for (let n = 0; n < beside.exits; n++) {
    // These events are almost one day old: one more each second leaves the one-day window, the first one after 25
    // seconds.
    const leaves = now + 25_000 + n * 1000
    began.exit.set(`exit-${n}`, leaves)
    await send(bench, track('Probe Left', { userId: `exit-${n}`, timestamp: new Date(leaves - dayMs).toISOString() }))
  }
  for (let n = 0; n < beside.merges; n++) {
    await send(
      bench,
      track('Probe Joined', { userId: `merge-${n}` }),
      track('Probe Joined', { anonymousId: `other-${n}` }),
    )
  }
  const everyMs = ((beside.seconds - 8) * 1000) / beside.enters
  for (let n = 0; n < beside.enters; n++) {
    const at = Date.now()
    began.enter.set(`enter-${n}`, at)
    await send(bench, track('Probe Entered', { userId: `enter-${n}` }))
    const merged = n - beside.enters + beside.merges * 4
    if (merged >= 0 && merged % 4 === 0) {
      began.merge.set(`merge-${merged / 4}`, Date.now())
      await send(bench, { type: 'identify', userId: `merge-${merged / 4}`, anonymousId: `other-${merged / 4}` })
    }
    await pause(Math.max(0, everyMs - (Date.now() - at)))
  }
  await load
  const event = { enter: 'Audience Entered', exit: 'Audience Exited', merge: 'Audience Entered' }
  const waits = (kind: Probe): number[] => {
    const seen = seenAtWebhook()
    return [...began[kind]].flatMap(([user, from]) => {
      const to = seen.get(`${event[kind]} ${user}`)
      return to === undefined ? [] : [to - from]
    })
  }
  // If a change is not reported within this time, it has no time in the result, so that the figure is missed.
  await eventually(
    'every change is reported',
    () => (Object.keys(began) as Probe[]).every((kind) => waits(kind).length === began[kind].size),
    exitMs,
  ).catch(() => {})
  ending.abort()
  await watching
  const api = [...began.enter, ...began.merge].flatMap(([user, from]) => {
    const to = atApi.get(user)
    return to === undefined ? [] : [to - from]
  })
  return { enter: waits('enter'), exit: waits('exit'), merge: waits('merge'), api }
}

/**
 * Measures events per second that are collected and delivered, with fifty live audiences and without any, in
 * alternation on one product.
 */
const measureTurns = async (bench: Bench, keyWithout: string, peer: Awaited<ReturnType<typeof startCountingPeer>>) => {
  const keys = { without: keyWithout, audiences: bench.key }
  const measure = async (kind: keyof typeof keys, round: number): Promise<number> => {
    const delivered = peer.expect(turns.events)
    const began = performance.now()
    const { port } = bench
    const load = { port, key: keys[kind], connections: 8, eventsPerRequest: 20, people, rate: turns.rate }
    await runLoad({ ...load, run: `turn-${kind}-${round}`, events: turns.events })
    const { last } = await delivered
    await bench.settle()
    const handled = (): Promise<number> => metric(bench.product.url, 'tributary_profile_events_total')
    const stored = await bench.stored()
    await eventually('profiles of all events', async () => (await handled()) >= stored, 120_000)
    return turns.events / ((last - began) / 1000)
  }
  // In the first round, every user is new, so it is not measured.
  await measure('without', -2)
  await measure('audiences', -1)
  return await inTurns(turns.pairs, ['without', 'audiences'] as const, measure)
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const timeFigure = (
  figure: string,
  target: string,
  waits: readonly number[],
  expected: number,
  limitMs: number,
  share: number,
): Figure => {
  const value = percentile(waits, share)
  return {
    figure,
    target,
    measured: `${seconds(value)} (median ${seconds(median(waits))} of ${waits.length})`,
    pass: waits.length === expected && value < limitMs,
  }
}

/**
 * Measures fifty live audiences of a filled workspace: how soon they follow events, their cost for collection and
 * delivery, and the memory in use. The event store's process is `storePid`; filling it does not count.
 */
export const measureLiveAudiences = async (bench: Bench, storePid: number): Promise<Figure[]> => {
  await using listener = await startListener()
  await using peer = await startCountingPeer()
  const { api, pid } = bench.product
  forgetPeak(storePid)
  const webhook = { url: peer.url, batching: true, batch_size: 100 }
  await createWebhook(api, bench.workspace, `${bench.workspace}/sources/${bench.sourceId}`, webhook, 'Events')
  const { workspace } = await createWorkspace(api, 'Without audiences')
  const without = await createSource(api, workspace, 'Load')
  await createWebhook(api, workspace, without.source, webhook, 'Events')
  const began = performance.now()
  const named = await makeAudiences(bench, listener.url)
  process.stdout.write(`  ${audiences} audiences live in ${seconds(performance.now() - began)}\n`)
  const found = await probe(bench, named, listener.seen)
  const rates = await measureTurns(bench, without.key, peer)
  const ratio = mean(rates.audiences) / mean(rates.without)
  const memory = (figure: string, ofPid: number, limit: number): Figure => {
    const bytes = peakResidentBytes(ofPid)
    return {
      figure,
      target: `< ${limit} MiB`,
      measured: `${Math.round(bytes / MiB)} MiB`,
      pass: bytes > 0 && bytes < limit * MiB,
    }
  }
  const of = `${audiences} live audiences, ${beside.rate} events/s`
  return [
    timeFigure(
      `entered, seen at a webhook, ${of}`,
      `p95 < ${enterMs / 1000} s`,
      found.enter,
      beside.enters,
      enterMs,
      0.95,
    ),
    timeFigure(
      'entered, seen by the API, same',
      `p95 < ${enterMs / 1000} s`,
      found.api,
      beside.enters + beside.merges,
      enterMs,
      0.95,
    ),
    timeFigure('left by time alone, after its instant', `<= ${exitMs / 1000} s`, found.exit, beside.exits, exitMs, 1),
    timeFigure('a merge reflected, seen at a webhook', `< ${mergeMs / 1000} s`, found.merge, beside.merges, mergeMs, 1),
    {
      figure: `collected and delivered with ${audiences} live audiences, at ${thousands(turns.rate)} events/s`,
      target: `>= ${targetRatio} of ${thousands(mean(rates.without))}/s without`,
      measured: `${thousands(mean(rates.audiences))}/s (ratio ± ${spreadOfRatio(rates.audiences, rates.without).toFixed(2)})`,
      ratio,
      pass: ratio >= targetRatio,
    },
    memory('server memory, live audiences', pid, limits.server),
    memory('event store memory, same', storePid, limits.store),
  ]
}
