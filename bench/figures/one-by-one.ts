import { createWebhook } from '@tributary/test-kit'
import { startCountingPeer } from '../counting-peer.ts'
import { type Figure, inTurns, mean, runLoad, spreadOfRatio, thousands } from '../harness.ts'
import { costsByThread, processorSeconds, threadSeconds } from '../processor-time.ts'
import { startBench } from '../product.ts'

const targetRatio = 0.6
const targetMicroseconds = 100
const pairs = 4
const connections = 16
const bareSeconds = 3

/**
 * Measures delivery of one event per request: events per second between the first tenth of a backlog and its end. It is
 * compared, in alternation, with a bare client that sends to the same receiver on the same processors. Also measures
 * the product's processor time per event, from acceptance in batches to storage and delivery. `events` is the number
 * per round.
 */
export const measureOneByOne = async (events: number): Promise<Figure[]> => {
  await using peer = await startCountingPeer()
  const bench = await startBench({})
  await using _ = bench.product
  const { api, pid } = bench.product
  const source = `${bench.workspace}/sources/${bench.sourceId}`
  const destination = await createWebhook(api, bench.workspace, source, { url: peer.url })
  const enable = (enabled: boolean) => api.ok('PATCH', `/${destination}`, { enabled })
  const load = { port: bench.port, key: bench.key, connections: 8, eventsPerRequest: 100 }

  const bare = async (round: number): Promise<number> => {
    const client = { port: Number(new URL(peer.url).port), key: 'bare', connections, eventsPerRequest: 1 }
    const { accepted, seconds } = await runLoad({ ...client, run: `bare-${round}`, seconds: bareSeconds })
    return accepted / seconds
  }
  const drained = async (round: number): Promise<number> => {
    await enable(false)
    const { accepted } = await runLoad({ ...load, run: `drain-${round}`, events })
    await bench.settle()
    const arrived = peer.expect(accepted)
    await enable(true)
    const { tenth, last } = await arrived
    return (accepted * 0.9) / ((last - tenth) / 1000)
  }
  await drained(-1)
  const rates = await inTurns(pairs, ['bare', 'product'] as const, (kind, round) =>
    kind === 'bare' ? bare(round) : drained(round),
  )
  const ratio = mean(rates.product) / mean(rates.bare)

  const before = threadSeconds(pid)
  const began = processorSeconds(pid)
  const arrived = peer.expect(2 * events)
  const { accepted } = await runLoad({ ...load, run: 'whole-way', events: 2 * events })
  await arrived
  await bench.settle()
  const spent = ((processorSeconds(pid) - began) / accepted) * 1e6
  process.stdout.write(`one by one, µs/event: ${costsByThread(pid, before, accepted)}\n`)
  return [
    {
      figure: 'delivery, one by one, whole',
      target: `≥ ${targetRatio} of ${thousands(mean(rates.bare))}/s`,
      measured: `${thousands(mean(rates.product))}/s (ratio ± ${spreadOfRatio(rates.product, rates.bare).toFixed(2)})`,
      ratio,
      pass: ratio >= targetRatio,
    },
    {
      figure: 'processor time an event, stored and delivered one by one',
      target: `≤ ${targetMicroseconds} µs`,
      measured: `${spent.toFixed(0)} µs`,
      pass: spent <= targetMicroseconds,
    },
  ]
}
