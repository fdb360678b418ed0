import { createWebhook } from '@tributary/test-kit'
import { type CountingPeer, startCountingPeer } from '../counting-peer.ts'
import { type Figure, inTurns, mean, median, runLoad, spreadOfRatio, thousands } from '../harness.ts'
import { mapOrders } from '../mapping.ts'
import { type Bench, startBench } from '../product.ts'

const rounds = 3
/**
 * Number of pairs of rounds whose means are compared. A round takes less than a second, and a bound of 5 % needs a
 * stable mean.
 */
const pairs = 10

/** Accepts `events` events while the destinations are paused, so that the events wait in the log. */
const fill = async (bench: Bench, run: string, events: number): Promise<number> => {
  const load = { port: bench.port, key: bench.key, connections: 8, eventsPerRequest: 100 }
  const { accepted } = await runLoad({ ...load, run, events })
  await bench.settle()
  return accepted
}

const enable = async (bench: Bench, destination: string, enabled: boolean): Promise<void> => {
  await bench.product.api.ok('PATCH', `/${destination}`, { enabled })
}

/**
 * Measures events per second that a destination gets after it is resumed, from the first tenth of the events to the
 * last event.
 */
const drain = async (bench: Bench, peer: CountingPeer, destination: string, events: number): Promise<number> => {
  const arrived = peer.expect(events)
  await enable(bench, destination, true)
  const { tenth, last } = await arrived
  await enable(bench, destination, false)
  return (events * 0.9) / ((last - tenth) / 1000)
}

const figureOf = (figure: string, rates: readonly number[], floor: number): Figure => {
  const rate = median(rates)
  return {
    figure,
    target: `≥ ${thousands(floor)}/s`,
    measured: `${thousands(rate)}/s (${thousands(Math.min(...rates))}–${thousands(Math.max(...rates))})`,
    ratio: rate / floor,
    pass: rate >= floor,
  }
}

/**
 * Measures the rate of mapping and sending alone, to a peer on the same processors that accepts everything immediately.
 */
const measureRate = async (
  figure: string,
  options: { settings: Record<string, unknown>; mapped: boolean; events: number; floor: number },
): Promise<Figure> => {
  await using peer = await startCountingPeer()
  const bench = await startBench({})
  await using _ = bench.product
  const { api } = bench.product
  const source = `${bench.workspace}/sources/${bench.sourceId}`
  const destination = await createWebhook(api, bench.workspace, source, { url: peer.url, ...options.settings })
  if (options.mapped) await mapOrders(api, destination)
  await enable(bench, destination, false)
  const rates: number[] = []
  for (let round = 0; round < rounds; round++) {
    const accepted = await fill(bench, `rate-${round}`, options.events)
    rates.push(await drain(bench, peer, destination, accepted))
  }
  return figureOf(figure, rates, options.floor)
}

const maxLost = 0.05

/**
 * Measures how much a refusing and a hanging destination slow down a healthy one with the same backlog, in alternation.
 */
const measureNeighbours = async (events: number): Promise<Figure> => {
  await using healthy = await startCountingPeer()
  await using refusing = await startCountingPeer('refuses')
  await using hanging = await startCountingPeer('hangs')
  const bench = await startBench({})
  await using _ = bench.product
  const { api } = bench.product
  const source = `${bench.workspace}/sources/${bench.sourceId}`
  const webhookTo = async ({ url }: CountingPeer, title: string): Promise<string> => {
    const settings = { url, batching: true, batch_size: 100, batch_wait_ms: 100 }
    const destination = await createWebhook(api, bench.workspace, source, settings, title)
    await enable(bench, destination, false)
    return destination
  }
  const own = await webhookTo(healthy, 'Healthy')
  const others = [await webhookTo(refusing, 'Refusing'), await webhookTo(hanging, 'Hanging')]
  const rates = await inTurns(pairs, ['alone', 'beside'] as const, async (kind, round) => {
    const accepted = await fill(bench, `beside-${round}`, events)
    if (kind === 'beside') for (const other of others) await enable(bench, other, true)
    const rate = await drain(bench, healthy, own, accepted)
    for (const other of others) await enable(bench, other, false)
    return rate
  })
  const ratio = mean(rates.beside) / mean(rates.alone)
  return {
    figure: 'delivery beside a destination that answers 500 and one that never answers',
    target: `≥ ${1 - maxLost} of ${thousands(mean(rates.alone))}/s`,
    measured: `${thousands(mean(rates.beside))}/s (ratio ± ${spreadOfRatio(rates.beside, rates.alone).toFixed(2)})`,
    ratio,
    pass: ratio >= 1 - maxLost,
  }
}

/**
 * Measures how fast events are mapped and sent, and that destinations do not delay each other; `events` is the number
 * per round.
 */
export const measureDeliveries = async (events: number): Promise<Figure[]> => {
  const batches = { batching: true, batch_size: 100, batch_wait_ms: 100 }
  return [
    await measureRate('delivery, batches of 100, mapped', {
      settings: batches,
      mapped: true,
      events,
      floor: 3000,
    }),
    await measureRate('delivery, batches of 100, whole', {
      settings: batches,
      mapped: false,
      events,
      floor: 3000,
    }),
    await measureRate('delivery, one by one, mapped', { settings: {}, mapped: true, events: events / 4, floor: 800 }),
    await measureNeighbours(events),
  ]
}
