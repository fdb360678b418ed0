// A part of npm run soak: 50 million events of 200,000 people, and what an event costs in the end and in the beginning. Ends with 1 when that
// has grown too much. `TRIBUTARY_BENCH_EVENTS` and `TRIBUTARY_BENCH_PEOPLE` make it shorter; it takes about an hour, and 20 GB of disk.

import { eventually } from '@tributary/test-kit'
import { metric, printFigures, runLoad, sizeOf, thousands } from './harness.ts'
import { processorSeconds } from './processor-time.ts'
import { startBench } from './product.ts'

const events = sizeOf('EVENTS', 50_000_000)
const people = sizeOf('PEOPLE', 200_000)
/** The first part and the last one are compared. */
const parts = 10
/** Accepted at once, before all of it is stored and known to profiles: what waits is on disk. */
const atOnce = 250_000
const maxGrowth = 1.3

const bench = await startBench({})
await using _ = bench.product
const { pid, url } = bench.product

const send = async (run: string, count: number): Promise<void> => {
  const load = { port: bench.port, key: bench.key, connections: 16, eventsPerRequest: 100, people, run }
  for (let sent = 0; sent < count; ) {
    sent += (await runLoad({ ...load, run: `${run}-${sent}`, events: Math.min(atOnce, count - sent) })).accepted
    await bench.settle()
    const stored = await bench.stored()
    const known = (): Promise<number> => metric(url, 'tributary_profile_events_total')
    await eventually('profiles of all events', async () => (await known()) >= stored, 600_000)
  }
}

// New people cost more, and are not what grows.
await send('first', people)
/** Processor time of the whole product an event, µs, by part. */
const costs: number[] = []
for (let part = 0; part < parts; part++) {
  const [before, time, began] = [await bench.stored(), processorSeconds(pid), performance.now()]
  await send(`part-${part}`, events / parts)
  const stored = (await bench.stored()) - before
  const cost = ((processorSeconds(pid) - time) * 1e6) / stored
  costs.push(cost)
  const seconds = (performance.now() - began) / 1000
  process.stdout.write(
    `  ${thousands(before + stored)} events: ${cost.toFixed(1)} µs of processor time each, ${thousands(stored / seconds)}/s\n`,
  )
}
const [first = Number.NaN, last = Number.NaN] = [costs[0], costs.at(-1)]
const passes = printFigures([
  {
    figure: `processor time of an event, the last of ${thousands(events)} with profiles of ${thousands(people)} people`,
    target: `<= ${maxGrowth} of ${first.toFixed(0)} µs of the first`,
    measured: `${last.toFixed(0)} µs`,
    ratio: last / first,
    pass: last / first <= maxGrowth,
  },
])
process.exitCode = passes ? 0 : 1
