import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { serverEntry } from '@tributary/test-kit'
import { startArrivals } from '../arrivals.ts'
import { type Figure, runLoad, sizeOf } from '../harness.ts'
import { threadSeconds, threadSwitches } from '../processor-time.ts'
import { startBench } from '../product.ts'
import { profiledSteps, type Window } from '../profiled-steps.ts'

const seconds = sizeOf('SECONDS', 20)
/** Load before the measurement, so that code is compiled. */
const warmSeconds = Math.min(10, seconds)
/** Time between two samples of the stacks, µs. */
const sampleMicroseconds = 500
/** Lines below this many µs are left out. */
const minMicroseconds = 0.5

const loads = {
  'single events': { connections: 64, eventsPerRequest: 1 },
  'batches of 100': { connections: 16, eventsPerRequest: 100 },
} as const
type Kind = keyof typeof loads

/** The cost of an event in a thread: processor time in µs, and how often the thread waited for work. */
type Cost = { name: string; microseconds: number; switches: number }

/**
 * Runs a load on a new product with all roles and a webhook that gets one event per request. Node gets these options.
 * Returns the costs of an event by thread, the most expensive first, and the time of the measurement.
 */
const measureLoad = async (kind: Kind, nodeOptions: readonly string[]): Promise<{ costs: Cost[]; window: Window }> => {
  let arrived = 0
  await using receiver = await startArrivals('full', () => arrived++)
  const command = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=16', ...nodeOptions, serverEntry]
  const bench = await startBench({ webhook: { url: receiver.url }, command })
  await using product = bench.product
  const load = { port: bench.port, key: bench.key, ...loads[kind] }
  await runLoad({ ...load, seconds: warmSeconds, run: 'warm' })
  await bench.settle()
  const [before, switchesBefore] = [threadSeconds(product.pid), threadSwitches(product.pid)]
  const from = Number(process.hrtime.bigint() / 1000n)
  const { accepted } = await runLoad({ ...load, seconds, run: 'full' })
  const to = Number(process.hrtime.bigint() / 1000n)
  await bench.settle()
  while (arrived < accepted) await pause(100)
  const switches = threadSwitches(product.pid)
  const costs = [...threadSeconds(product.pid)].map(([name, spent]) => ({
    name,
    microseconds: ((spent - (before.get(name) ?? 0)) / accepted) * 1e6,
    switches: ((switches.get(name) ?? 0) - (switchesBefore.get(name) ?? 0)) / accepted,
  }))
  return { costs: costs.toSorted((a, b) => b.microseconds - a.microseconds), window: { from, to } }
}

/** Measures the shares of the steps in each thread of the server, in a second product whose stacks are sampled. */
const measureSteps = async (kind: Kind): Promise<ReturnType<typeof profiledSteps>> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-profile-'))
  try {
    const options = ['--cpu-prof', `--cpu-prof-interval=${sampleMicroseconds}`, `--cpu-prof-dir=${folder}`]
    const { window } = await measureLoad(kind, options)
    return profiledSteps(folder, window)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const print = (name: string, microseconds: number, rest = ''): void => {
  if (microseconds >= minMicroseconds)
    process.stdout.write(`${name.padEnd(50)}${microseconds.toFixed(1).padStart(8)}${rest}\n`)
}

/**
 * Prints where the processor time of an event goes, by thread and step, for single events and for batches. Times of
 * threads come from the kernel, shares of steps from samples of the stacks. It promises no figure.
 */
export const measureProfile = async (): Promise<Figure[]> => {
  for (const kind of ['single events', 'batches of 100'] as const) {
    const { costs } = await measureLoad(kind, [])
    const steps = await measureSteps(kind)
    process.stdout.write(`${`${kind}: thread, step`.padEnd(50)}µs/event  waits/event\n`)
    for (const { name, microseconds, switches } of costs) {
      print(name, microseconds, switches.toFixed(3).padStart(13))
      const shares = [...(steps.get(name.replace('server/', '')) ?? [])].toSorted(([, a], [, b]) => b - a)
      for (const [step, share] of shares) print(`    ${step}`, share * microseconds)
    }
    print(
      'all',
      costs.reduce((sum, { microseconds }) => sum + microseconds, 0),
    )
  }
  return []
}
