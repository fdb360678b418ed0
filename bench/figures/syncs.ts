import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createWebhook, eventually } from '@tributary/test-kit'
import type { BareRows } from '../bare-rows.ts'
import { type CountingPeer, startCountingPeer } from '../counting-peer.ts'
import { type Figure, inTurns, mean, runLoad, sizeOf, spreadOfRatio, thousands } from '../harness.ts'
import { beginMemory, MiB } from '../memory.ts'
import { type Bench, startBench } from '../product.ts'
import { beginRun, createCustomerSync, endOfRun, rowsOfBatch, startCustomers, stepsOf } from '../rows-world.ts'
import { measureSyncDiff } from './syncs-diff.ts'

const allRows = sizeOf('ROWS', 1_000_000)
const memoryLimit = 1024
const compareSeconds = 20
const connections = 4
const sendPairs = 2
const sendRatio = 0.6
const besidePairs = 2
const besideRatio = 0.85
const load = { rate: 2000, events: 40_000, people: 20_000 }
/** One of this number of rows changes between two runs. */
const changedEvery = 100

type World = { bench: Bench; peer: CountingPeer; rows: number; sync: string }

/** Measures rows per second that a handwritten client sends to a peer. */
const sendBare = async ({ peer, rows }: World): Promise<number> => {
  const options: BareRows = { port: Number(new URL(peer.url).port), rows, rowsOfBatch, connections }
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../bare-rows.ts', import.meta.url)), JSON.stringify(options)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`The client ended with ${code}`)
  return rows / Number(output)
}

/** Measures rows per second that a run sends to the peer, from the first tenth of the rows to the last row. */
const sendAll = async ({ bench, peer, rows, sync }: World, resync: boolean): Promise<number> => {
  const arrived = peer.expect(rows)
  const run = await beginRun(bench.product.api, sync, resync)
  const { tenth, last } = await arrived
  const ended = await endOfRun(bench.product.api, run)
  const { read, compare, send } = stepsOf(ended)
  process.stdout.write(
    `  a run of all rows: ${read.toFixed(1)} s reading, ${compare.toFixed(1)} comparing, ${send.toFixed(1)} sending\n`,
  )
  return (rows * 0.9) / ((last - tenth) / 1000)
}

const measureSending = async (world: World): Promise<Figure> => {
  const rates = await inTurns(sendPairs, ['bare', 'product'] as const, (kind) =>
    kind === 'bare' ? sendBare(world) : sendAll(world, true),
  )
  const ratio = mean(rates.product) / mean(rates.bare)
  return {
    figure: `rows of a sync to a peer without limits, batches of ${rowsOfBatch}`,
    target: `>= ${sendRatio} of ${thousands(mean(rates.bare))}/s of a bare client`,
    measured: `${thousands(mean(rates.product))}/s (ratio ± ${spreadOfRatio(rates.product, rates.bare).toFixed(2)})`,
    ratio,
    pass: ratio >= sendRatio,
  }
}

/** Measures a run of unchanged rows, and a run in which 1 % of the rows are changed, 1 % new, and 1 % gone. */
const measureChanges = async (
  { bench, peer, rows, sync }: World,
  change: () => Promise<unknown>,
): Promise<Figure[]> => {
  const { api, pid } = bench.product
  const before = peer.events()
  const memory = beginMemory([pid])
  const unchanged = await endOfRun(api, await beginRun(api, sync))
  const sent = peer.events() - before
  await change()
  const changed = await endOfRun(api, await beginRun(api, sync))
  const peak = memory.end() / MiB
  const { read, compare } = stepsOf(changed)
  const of = `a run of ${thousands(rows)} rows`
  return [
    {
      figure: `${of} that are as they were`,
      target: 'sends nothing',
      measured: `sent ${sent}; ${stepsOf(unchanged).read.toFixed(1)} s reading, ${stepsOf(unchanged).compare.toFixed(1)} s comparing`,
      pass: sent === 0 && unchanged.counts?.unchanged === rows,
    },
    {
      figure: `${of} of which 1% is new, changed, and gone each, comparing`,
      target: `< ${compareSeconds} s`,
      measured: `${compare.toFixed(1)} s, after ${read.toFixed(1)} s of reading`,
      pass: compare < compareSeconds && changed.counts?.changed === Math.floor(rows / changedEvery),
    },
    {
      figure: 'memory meanwhile, all processes of the product',
      target: `< ${memoryLimit} MiB`,
      measured: `${Math.round(peak)} MiB`,
      pass: peak > 0 && peak < memoryLimit,
    },
  ]
}

/**
 * Measures events per second that are collected and delivered, alone and during a run that sends all rows of a sync
 * again, in alternation.
 */
const measureBeside = async (bench: Bench, sync: string): Promise<Figure> => {
  await using peer = await startCountingPeer()
  const { api } = bench.product
  const webhook = { url: peer.url, batching: true, batch_size: 100 }
  await createWebhook(api, bench.workspace, `${bench.workspace}/sources/${bench.sourceId}`, webhook, 'Events')
  const measure = async (kind: 'alone' | 'beside', round: number): Promise<number> => {
    const run = kind === 'beside' ? await beginRun(api, sync, true) : undefined
    if (run !== undefined)
      await eventually('the run reads', async () => (await api.ok('GET', `/${run}`))['state'] !== 'queued', 60_000)
    const delivered = peer.expect(load.events)
    const began = performance.now()
    await runLoad({
      port: bench.port,
      key: bench.key,
      connections: 8,
      eventsPerRequest: 20,
      ...load,
      run: `beside-${round}`,
    })
    const { last } = await delivered
    if (run !== undefined) await endOfRun(api, run)
    await bench.settle()
    return load.events / ((last - began) / 1000)
  }
  await measure('alone', -1)
  const rates = await inTurns(besidePairs, ['alone', 'beside'] as const, measure)
  const ratio = mean(rates.beside) / mean(rates.alone)
  return {
    figure: `collected and delivered beside a run of a sync, at ${thousands(load.rate)} events/s`,
    target: `>= ${besideRatio} of ${thousands(mean(rates.alone))}/s without`,
    measured: `${thousands(mean(rates.beside))}/s (ratio ± ${spreadOfRatio(rates.beside, rates.alone).toFixed(2)})`,
    ratio,
    pass: ratio >= besideRatio,
  }
}

/**
 * Measures runs of a sync from a customer's PostgreSQL to a webhook. The figures are the time and memory for finding
 * changes, the rate of sent rows, and the cost for collection and delivery.
 */
const measureRuns = async (rows: number, isAsked: (part: string) => boolean): Promise<Figure[]> => {
  await using customers = await startCustomers(rows)
  await using peer = await startCountingPeer()
  const bench = await startBench({})
  await using _ = bench.product
  const world = { bench, peer, rows, sync: await createCustomerSync(bench, customers.peer, peer.url) }
  await sendAll(world, false)
  const figures: Figure[] = []
  if (isAsked('changes')) figures.push(...(await measureChanges(world, () => customers.change(changedEvery))))
  if (isAsked('send')) figures.push(await measureSending(world))
  if (isAsked('beside')) figures.push(await measureBeside(bench, world.sync))
  return figures
}

/** Measures only the runs that find changes, with this number of rows. */
export const measureManyRows = (rows: number): Promise<Figure[]> => measureRuns(rows, (part) => part === 'changes')

/**
 * Measures the cost of syncs; `TRIBUTARY_BENCH_ROWS` sets a smaller number of rows, `TRIBUTARY_BENCH_ONLY` selects some
 * of the parts.
 */
export const measureSyncs = async (): Promise<Figure[]> => {
  const asked = process.env['TRIBUTARY_BENCH_ONLY']?.split(',')
  const isAsked = (part: string): boolean => asked === undefined || asked.includes(part)
  const figures = isAsked('compare') ? await measureSyncDiff() : []
  if (['changes', 'send', 'beside'].some(isAsked)) figures.push(...(await measureRuns(allRows, isAsked)))
  return figures
}
