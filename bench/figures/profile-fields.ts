import { createSource, createWebhook } from '@tributary/test-kit'
import { type CountingPeer, startCountingPeer } from '../counting-peer.ts'
import { type Figure, inTurns, mean, runLoad, sizeOf, spreadOfRatio, thousands } from '../harness.ts'
import { mapPersons, personSources } from '../mapping.ts'
import { costsByThread, threadSeconds } from '../processor-time.ts'
import { type Bench, profilesKnow, startBench } from '../product.ts'

const events = sizeOf('EVENTS', 40_000)
/** The number of users, whose profiles have email, phone, and plan. */
const people = sizeOf('PEOPLE', 20_000)
const pairs = 3
const target = 0.85

const kinds = ['event', 'profile'] as const
type Kind = (typeof kinds)[number]
/** A source with a webhook of its own, whose mapping takes four of eight fields from the event or from the profile. */
type Way = { key: string; peer: CountingPeer; destination: string }
type World = { bench: Bench; ways: Record<Kind, Way> }

const batches = { batching: true, batch_size: 100, batch_wait_ms: 100 }

/** Sends an identify call of every user, with all traits that the mapping uses. */
export const identifyAll = async ({ port }: Bench, key: string): Promise<void> => {
  const headers = {
    authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
    'content-type': 'application/json',
  }
  for (let from = 0; from < people; from += 500) {
    const batch = Array.from({ length: Math.min(500, people - from) }, (_, index) => {
      const number = String(from + index).padStart(6, '0')
      const traits = { email: `person-${number}@example.com`, phone: `+49301${number}`, plan: 'team' }
      return { type: 'identify', userId: `person-${number}`, anonymousId: `device-${number}`, traits }
    })
    const { status } = await fetch(`http://127.0.0.1:${port}/v1/batch`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ batch }),
    })
    if (status !== 200) throw new Error(`Identify calls were answered with ${status}`)
  }
}

/** Resolves when everything that was accepted is stored, and profiles have read it. */
const settle = async (bench: Bench): Promise<void> => {
  await bench.settle()
  await profilesKnow(bench, await bench.stored())
}

const enable = ({ product }: Bench, { destination }: Way, enabled: boolean): Promise<unknown> =>
  product.api.ok('PATCH', `/${destination}`, { enabled })

const load = (bench: Bench, { key }: Way, run: string): Promise<{ accepted: number }> =>
  runLoad({ port: bench.port, key, connections: 8, eventsPerRequest: 100, events, people, run })

/** Rates of rounds that also wait until profiles have read all events, by kind. */
type Read = Record<Kind, number[]>

/** Events per second from the first request until all events are stored and at the webhook. */
const measureLive = async ({ bench, ways }: World, kind: Kind, round: number, read: Read): Promise<number> => {
  const way = ways[kind]
  await settle(bench)
  const stored = await bench.stored()
  const arrived = way.peer.expect(events)
  const before = threadSeconds(bench.product.pid)
  const began = performance.now()
  await load(bench, way, `live-${kind}-${round}`)
  const { last } = await arrived
  await profilesKnow(bench, stored + events)
  read[kind].push(events / ((performance.now() - began) / 1000))
  await bench.settle()
  const seconds = (Math.max(last, await bench.lastStored()) - began) / 1000
  process.stdout.write(
    `live, ${kind}: ${thousands(events / seconds)}/s, ${costsByThread(bench.product.pid, before, events)}\n`,
  )
  return events / seconds
}

/** Events per second from the resumption of a webhook until it has all events, which wait in the log. */
const measureBacklog = async ({ bench, ways }: World, kind: Kind, round: number): Promise<number> => {
  const way = ways[kind]
  await enable(bench, way, false)
  await load(bench, way, `backlog-${kind}-${round}`)
  await settle(bench)
  const arrived = way.peer.expect(events)
  const before = threadSeconds(bench.product.pid)
  await enable(bench, way, true)
  const { tenth, last } = await arrived
  const rate = (events * 0.9) / ((last - tenth) / 1000)
  process.stdout.write(`backlog, ${kind}: ${thousands(rate)}/s, ${costsByThread(bench.product.pid, before, events)}\n`)
  return rate
}

const figureOf = (figure: string, { event, profile }: Record<Kind, number[]>): Figure => {
  const ratio = mean(profile) / mean(event)
  return {
    figure,
    target: `≥ ${target} of ${thousands(mean(event))}/s`,
    measured: `${thousands(mean(profile))}/s (ratio ± ${spreadOfRatio(profile, event).toFixed(2)})`,
    ratio,
    pass: ratio >= target,
  }
}

/**
 * Measures the rate at which events of many users are stored and delivered with four fields of the profile. The rounds
 * are in turns with the same number of fields of the event.
 */
export const measureProfileFields = async (): Promise<Figure[]> => {
  await using stack = new AsyncDisposableStack()
  const bench = await startBench({})
  stack.use(bench.product)
  const { api } = bench.product
  const wayOf = async (kind: Kind): Promise<Way> => {
    const peer = stack.use(await startCountingPeer())
    const { source, key } = await createSource(api, bench.workspace, kind)
    const destination = await createWebhook(api, bench.workspace, source, { url: peer.url, ...batches }, kind)
    await mapPersons(api, destination, personSources[kind])
    return { key, peer, destination }
  }
  const world: World = { bench, ways: { event: await wayOf('event'), profile: await wayOf('profile') } }
  await identifyAll(bench, bench.key)
  await settle(bench)
  const backlog = await inTurns(pairs, kinds, (kind, round) => measureBacklog(world, kind, round))
  const read: Read = { event: [], profile: [] }
  const live = await inTurns(pairs, kinds, (kind, round) => measureLive(world, kind, round, read))
  return [
    figureOf('delivered from a backlog with four fields of the profile, ratio to fields of the event', backlog),
    figureOf('stored and delivered, same', live),
    figureOf('stored, delivered, and read by profiles, same', read),
  ]
}
