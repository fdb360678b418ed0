import { measureDirectInsert } from '../direct-insert.ts'
import { type Figure, runLoad, thousands } from '../harness.ts'
import { startBench } from '../product.ts'
import { startSink } from '../sink.ts'

const targetRatio = 0.35
const targetRate = 20_000

/**
 * Events a second from acceptance to a queryable row, averaged over the load and the drain behind it, with one webhook
 * connected that takes batches; compared with direct inserts into the same table.
 */
export const measureStored = async (seconds: number): Promise<Figure[]> => {
  const direct = await measureDirectInsert(Math.min(seconds, 10))
  await using receiver = await startSink()
  const bench = await startBench({ webhook: { url: receiver.url, batching: true, batch_size: 100 } })
  await using _ = bench.product
  const load = { port: bench.port, key: bench.key, connections: 16, eventsPerRequest: 100 }
  await runLoad({ ...load, run: 'warm', events: 20_000 })
  await bench.settle()
  const before = await bench.stored()
  const began = performance.now()
  const report = await runLoad({ ...load, run: 'stored', seconds })
  for (let stored = 0; stored < report.accepted; ) {
    stored = (await bench.stored()) - before
    if (performance.now() - began > 600_000)
      throw new Error(`Only ${stored} of ${report.accepted} events were stored in 10 minutes`)
    // Metrics are renewed once a second; asking more often would only take processor time from the product.
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  const rate = report.accepted / (((await bench.lastStored()) - began) / 1000)
  const ratio = rate / direct
  const figure = 'stored and queryable, load and drain, one webhook'
  return [
    {
      figure,
      target: `>= ${targetRatio} of ${thousands(direct)}/s`,
      measured: `${thousands(rate)}/s`,
      ratio,
      pass: ratio >= targetRatio,
    },
    { figure, target: `>= ${thousands(targetRate)}/s`, measured: `${thousands(rate)}/s`, pass: rate >= targetRate },
  ]
}
