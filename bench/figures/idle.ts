import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createSource, createWebhook, processFamily, startWebhookReceiver } from '@tributary/test-kit'
import type { Figure } from '../harness.ts'
import { MiB, shareOf } from '../memory.ts'
import { processorSeconds, threadSeconds } from '../processor-time.ts'
import { startBench } from '../product.ts'

const pairs = 10
/** How long the product rests before the measurement, and how long that lasts, in seconds. */
const restSeconds = Number(process.env['TRIBUTARY_BENCH_REST_SECONDS'] ?? 60)
const seconds = Number(process.env['TRIBUTARY_BENCH_SECONDS'] ?? 60)
const targets = { core: 0.02, bytes: 400 * MiB } as const

/** The kinds of processes, and what their command lines contain. The first that matches counts. */
const kinds = [
  ['database', /^postgres/],
  ['event store', /chdb|event-store/],
  ['server', /./],
] as const

const kindOf = (pid: number): string => {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return kinds.find(([, pattern]) => pattern.test(command))?.[0] ?? 'server'
  } catch {
    return 'ended'
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`
const mebibytes = (bytes: number): string => `${Math.round(bytes / MiB)} MiB`

/** Measures processor time and memory of a product with ten sources and ten destinations that gets no events. */
export const measureIdle = async (): Promise<Figure[]> => {
  await using receiver = await startWebhookReceiver()
  const bench = await startBench({})
  await using product = bench.product
  for (let pair = 0; pair < pairs; pair++) {
    const { source } = await createSource(product.api, bench.workspace, `Source ${pair}`)
    await createWebhook(product.api, bench.workspace, source, { url: receiver.url })
  }
  await pause(restSeconds * 1000)
  const threads = threadSeconds(product.pid)
  const before = processorSeconds(product.pid)
  await pause(seconds * 1000)
  const core = (processorSeconds(product.pid) - before) / seconds
  for (const [name, after] of [...threadSeconds(product.pid)].toSorted(([a], [b]) => a.localeCompare(b))) {
    const share = (after - (threads.get(name) ?? 0)) / seconds
    if (share >= 0.0005) process.stdout.write(`  ${name.padEnd(32)} ${percent(share)}\n`)
  }
  const family = processFamily(product.pid).map((pid) => ({ pid, kind: kindOf(pid) }))
  const memoryOf = (kind: string, part: 'Pss' | 'Pss_Anon'): number =>
    family.filter((each) => each.kind === kind).reduce((sum, { pid }) => sum + shareOf(pid, part), 0)
  for (const [kind] of kinds)
    process.stdout.write(
      `  ${kind}: ${family.filter((each) => each.kind === kind).length} processes, ${mebibytes(memoryOf(kind, 'Pss'))}, of which ${mebibytes(memoryOf(kind, 'Pss_Anon'))} are no files\n`,
    )
  const all = kinds.reduce((sum, [kind]) => sum + memoryOf(kind, 'Pss'), 0)
  const own = memoryOf('server', 'Pss')
  return [
    {
      figure: `${seconds} s without events, after ${restSeconds} s, processor time of all processes`,
      target: `< ${percent(targets.core)} of a core`,
      measured: percent(core),
      pass: core < targets.core,
    },
    {
      figure: 'same, memory of all processes',
      target: `< ${mebibytes(targets.bytes)}`,
      measured: `${mebibytes(all)}, of which the server ${mebibytes(own)}`,
      pass: all < targets.bytes,
    },
  ]
}
