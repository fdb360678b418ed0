// A part of npm run soak: measures the processor time of an event with 50 million existing events of 200,000 users, and
// with 5 million. Ends with code 1 if the time has grown too much. The existing events are inserted into the event
// store, and their message IDs into the pipeline's journal; the measured events are collected. The test takes about 20
// minutes and 20 GB of disk; `TRIBUTARY_BENCH_EVENTS` and `TRIBUTARY_BENCH_PEOPLE` make it shorter.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openJournal } from '@tributary/storage'
import { createTestEventStore, eventually, startSharedEventStore, type TestEventStore } from '@tributary/test-kit'
import { childOf, printFigures, runLoad, sizeOf, thousands } from './harness.ts'
import { processorSeconds } from './processor-time.ts'
import { type Bench, type Contents, continueBench, profilesKnow, startBench } from './product.ts'
import { peopleOfLoad } from './profiles-world.ts'
import { fillEventStore } from './stored-events.ts'

const events = sizeOf('EVENTS', 50_000_000)
const people = sizeOf('PEOPLE', 200_000)
/** Numbers of existing events with which the cost of new events is measured. */
const sizes = { few: events / 10, all: events }
/** Number of new events that are collected to measure the cost of an event. */
const collected = Math.min(1_500_000, sizes.few)
/** Maximum events that are sent before the script waits until all are stored and read by profiles. */
const atOnce = 500_000
const maxGrowth = 1.3
/** Number of IDs that are passed to the journal at a time. */
const rememberedAtOnce = 50_000
const days = 30

/** Collects events, and waits until they are stored and read by profiles. */
const send = async (bench: Bench, run: string, count: number): Promise<void> => {
  const load = { port: bench.port, key: bench.key, connections: 16, eventsPerRequest: 100, people }
  for (let sent = 0; sent < count; ) {
    sent += (await runLoad({ ...load, run: `${run}-${sent}`, events: Math.min(atOnce, count - sent) })).accepted
    await bench.settle()
    await profilesKnow(bench, await bench.stored())
  }
}

/** Stores new IDs in the journal, like the IDs of today's events. */
const remember = (dataDir: string, count: number): void => {
  const journal = openJournal({ file: join(dataDir, 'journal', 'pipeline.db') })
  for (let done = 0; done < count; done += rememberedAtOnce) {
    const bytes = randomBytes(16 * Math.min(rememberedAtOnce, count - done))
    const ids = Array.from({ length: bytes.length / 16 }, (_, index) => ({
      hash: bytes.subarray(index * 16, index * 16 + 16),
      partition: 0,
      offset: 0,
      index: 0,
    }))
    journal.remember(ids, Date.now())
  }
  journal.close()
}

/** Resolves when the event store has merged its filled parts, so that this work does not count for later events. */
const merged = async (store: TestEventStore): Promise<void> => {
  const underWay = async (): Promise<number> =>
    Number((await store.query<{ merges: string }>('select count() as merges from system.merges'))[0]?.merges)
  let quiet = 0
  await eventually(
    'the event store to come to rest',
    async () => {
      quiet = (await underWay()) === 0 ? quiet + 1 : 0
      return quiet >= 20
    },
    900_000,
  )
}

const began = performance.now()
const report = (what: string): void =>
  void process.stdout.write(`  ${what} after ${((performance.now() - began) / 1000).toFixed(0)} s\n`)

await using stack = new AsyncDisposableStack()
const dataDir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
stack.defer(() => rm(dataDir, { recursive: true, force: true }))
const shared = stack.use(await startSharedEventStore())
const storePid = childOf(process.pid, 'event-store')
if (storePid === undefined) throw new Error('The event store has no process')
const store = stack.use(await createTestEventStore(shared.url))
const env = { CLICKHOUSE_URL: store.url }

/** Creates the users before the measurement: new users cost more, and the growth of their number is not measured. */
const begin = async (): Promise<Contents> => {
  const bench = await startBench({ dataDir, env })
  await using _ = bench.product
  await send(bench, 'first', people)
  return { workspace: bench.workspace, sourceId: bench.sourceId, key: bench.key }
}
const contents = await begin()
report(`${thousands(people)} people`)

const ids = (count: number): string[] => Array.from({ length: count }, () => crypto.randomUUID())
const filling = {
  until: Date.now(),
  days,
  workspaces: [
    { id: contents.workspace.split('/').at(-1) ?? '', sources: [contents.sourceId, ...ids(3)] },
    ...ids(2).map((id) => ({ id, sources: ids(4) })),
  ],
  ids: peopleOfLoad(people),
}

/**
 * Measures the processor time of an event in µs with `size` existing events: the time of the whole product until
 * profiles have read the event.
 */
const costBeside = async (size: number, there: number): Promise<number> => {
  const total = size - collected
  await fillEventStore(store, { ...filling, events: total, there })
  remember(dataDir, total - there)
  await merged(store)
  report(`${thousands(total)} events there`)
  const bench = await continueBench(contents, { dataDir, env })
  await using _ = bench.product
  const time = (): number => processorSeconds(bench.product.pid) + processorSeconds(storePid)
  // Sends one event of each user first, because the product keeps users in memory after their first event.
  await send(bench, `seen-${size}`, people)
  const [before, from, start] = [await bench.stored(), time(), performance.now()]
  await send(bench, `of-${size}`, collected)
  const stored = (await bench.stored()) - before
  const cost = ((time() - from) * 1e6) / stored
  const seconds = (performance.now() - start) / 1000
  report(`${thousands(stored)} events beside those: ${cost.toFixed(1)} µs each, ${thousands(stored / seconds)}/s,`)
  return cost
}
const few = await costBeside(sizes.few, 0)
const all = await costBeside(sizes.all, sizes.few - collected)
const passes = printFigures([
  {
    figure: `processor time of an event, beside ${thousands(sizes.all)} of ${thousands(people)} people`,
    target: `<= ${maxGrowth} of ${few.toFixed(0)} µs beside ${thousands(sizes.few)}`,
    measured: `${all.toFixed(0)} µs`,
    ratio: all / few,
    pass: all / few <= maxGrowth,
  },
])
process.exitCode = passes ? 0 : 1
