import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSource, createWebhook, createWorkspace, eventually } from '@tributary/test-kit'
import { startArrivals } from '../arrivals.ts'
import { startCountingPeer } from '../counting-peer.ts'
import { type Figure, inTurns, mean, percentile, runLoad, sizeOf } from '../harness.ts'
import { mapPersons, personSources } from '../mapping.ts'
import { startBench } from '../product.ts'

/** The number of events that wait for the failing destination. */
const waiting = sizeOf('EVENTS', 20_000)
const pairs = 3
const seconds = sizeOf('SECONDS', 6)
/** Events per second of the busy destinations, and single events per second of the other workspace. */
const rates = { busy: 2000, other: 200 } as const
const people = 20_000
const maxTimes = 1.1

const kinds = ['event', 'profile', 'failing'] as const
type Kind = (typeof kinds)[number]

/** Starts a webhook that refuses every second request with 500, and later all of them. */
const startRefusing = async () => {
  const state = { all: false, requests: 0 }
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => void response.writeHead(state.all || state.requests++ % 2 === 0 ? 500 : 200).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    refuseAll: () => void (state.all = true),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const listed = (times: readonly number[]): string => times.map((time) => time.toFixed(1)).join(', ')

const figureOf = (figure: string, times: readonly number[], baseline: readonly number[]): Figure => {
  const ratio = mean(times) / mean(baseline)
  return {
    figure,
    target: `≤ ${maxTimes} of ${mean(baseline).toFixed(1)} ms`,
    measured: `${mean(times).toFixed(1)} ms (${listed(times)} against ${listed(baseline)})`,
    ratio,
    pass: ratio <= maxTimes,
  }
}

/**
 * Measures the single events of another workspace beside a busy destination that maps fields of the event or of the
 * profile. A third kind of round has many parked events for a failing destination, too.
 */
export const measureProfileNeighbors = async (): Promise<Figure[]> => {
  await using stack = new AsyncDisposableStack()
  let ages: number[] = []
  const arrivals = stack.use(await startArrivals('other', (age) => ages.push(age)))
  const peer = stack.use(await startCountingPeer())
  const refusing = stack.use(await startRefusing())
  const bench = await startBench({})
  stack.use(bench.product)
  const { api } = bench.product
  const other = await createSource(api, (await createWorkspace(api, 'Other')).workspace)
  await createWebhook(api, other.source.split('/sources/')[0] ?? '', other.source, { url: arrivals.url })
  const batches = { batching: true, batch_size: 100, batch_wait_ms: 100 }
  const wayOf = async (title: string, url: string, settings: object, sources: keyof typeof personSources) => {
    const { source, key } = await createSource(api, bench.workspace, title)
    const destination = await createWebhook(api, bench.workspace, source, { url, ...settings }, title)
    await mapPersons(api, destination, personSources[sources])
    return { key, destination }
  }
  const ways = {
    event: await wayOf('Event', peer.url, batches, 'event'),
    profile: await wayOf('Profile', peer.url, batches, 'profile'),
  }
  const failing = await wayOf('Failing', refusing.url, {}, 'profile')
  const enable = (enabled: boolean) => api.ok('PATCH', `/${failing.destination}`, { enabled })
  const base = { port: bench.port, connections: 4 }
  await runLoad({ ...base, key: failing.key, eventsPerRequest: 20, events: 2 * waiting, people, run: 'failing' })
  const parked = async (): Promise<number> => {
    const { waiting: held } = await api.ok('GET', `/${failing.destination}/deliveries`)
    return (held as { event_count: number }).event_count
  }
  await eventually('half of the events wait', async () => (await parked()) >= waiting * 0.9, 60_000)
  refusing.refuseAll()
  await enable(false)
  const rows = await parked()
  const toWebhook: Record<Kind, number[]> = { event: [], profile: [], failing: [] }
  const acknowledged = await inTurns(pairs, kinds, async (kind, round) => {
    await enable(kind === 'failing')
    await bench.settle()
    ages = []
    const { key } = ways[kind === 'event' ? 'event' : 'profile']
    const [report] = await Promise.all([
      runLoad({ ...base, seconds, key: other.key, eventsPerRequest: 1, rate: rates.other, run: `other.${round}` }),
      runLoad({ ...base, seconds, key, eventsPerRequest: 20, rate: rates.busy, people, run: `busy-${round}` }),
    ])
    await eventually('all are at the webhook', () => ages.length >= report.accepted, 60_000)
    toWebhook[kind].push(percentile(ages, 0.99))
    return report.p99
  })
  return (['profile', 'failing'] as const).flatMap((kind) => {
    const beside = kind === 'profile' ? 'fields of the profile' : `same, and ${rows} parked events of one that fails`
    return [
      figureOf(`another tenant, acknowledged, p99, beside ${beside}`, acknowledged[kind], acknowledged.event),
      figureOf(`to the webhook, p99, beside ${beside}`, toWebhook[kind], toWebhook.event),
    ]
  })
}
