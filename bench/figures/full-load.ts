import { setTimeout as pause } from 'node:timers/promises'
import { startArrivals } from '../arrivals.ts'
import { type Figure, percentile, runLoad, sizeOf, thousands } from '../harness.ts'
import { costsByThread, processorSeconds, threadSeconds } from '../processor-time.ts'
import { startBench } from '../product.ts'

const connections = 64
const seconds = sizeOf('SECONDS', 60)
/** Part of the load, in percent, that may be answered with 429. */
const refusedPercent = 1
const targets = { p50: 1000, p99: 3000 } as const

/**
 * Measures the product under full load: single events of 64 connections, all roles, one healthy webhook that gets one
 * event per request. The age of an event is the time from its request to the webhook.
 */
export const measureFullLoad = async (): Promise<Figure[]> => {
  let ages: number[] = []
  await using receiver = await startArrivals('full', (age) => ages.push(age))
  const bench = await startBench({ webhook: { url: receiver.url } })
  await using product = bench.product
  const load = { port: bench.port, key: bench.key, connections, eventsPerRequest: 1, seconds }
  await runLoad({ ...load, seconds: 3, run: 'warm' })
  await bench.settle()
  await pause(1000)
  ages = []
  const before = threadSeconds(product.pid)
  const began = processorSeconds(product.pid)
  const report = await runLoad({ ...load, run: 'full' })
  const during = ages.length
  await bench.settle()
  const spent = ((processorSeconds(product.pid) - began) / report.accepted) * 1e6
  const refused = Object.values(report.refused).reduce((sum, count) => sum + count, 0)
  process.stdout.write(
    `full load: ${thousands(report.accepted / report.seconds)}/s accepted, refused ${JSON.stringify(report.refused)}, ${thousands(during / report.seconds)}/s delivered meanwhile, ` +
      `p50 ${report.p50.toFixed(1)} ms, p99 ${report.p99.toFixed(1)} ms, ${spent.toFixed(0)} µs/event: ${costsByThread(product.pid, before, report.accepted)}\n`,
  )
  const age = (name: 'p50' | 'p99', share: number): Figure => {
    const measured = percentile(ages, share)
    const complete = ages.length >= report.accepted
    return {
      figure: `age at a healthy webhook under full load, ${name}`,
      target: `< ${targets[name] / 1000} s`,
      measured: `${(measured / 1000).toFixed(2)} s${complete ? '' : ` (${ages.length} of ${report.accepted})`}`,
      pass: complete && measured < targets[name],
    }
  }
  const share = (100 * refused) / (refused + report.accepted)
  return [
    age('p50', 0.5),
    age('p99', 0.99),
    {
      figure: 'same, answers 429',
      target: `< ${refusedPercent} %`,
      measured: `${share.toFixed(2)} %`,
      pass: share < refusedPercent,
    },
  ]
}
