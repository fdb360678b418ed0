import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readMetrics } from '@tributary/test-kit'

/**
 * One measured figure. `measured` and `target` are texts with units; `ratio` decides whether the figure passes, if
 * there is one.
 */
export type Figure = { figure: string; target: string; measured: string; ratio?: number; pass: boolean }

/** Prints the table of figures and returns true if all figures pass. */
export const printFigures = (figures: readonly Figure[]): boolean => {
  const rows = figures.map(({ figure, target, measured, ratio, pass }) => [
    figure,
    target,
    measured,
    ratio === undefined ? '' : ratio.toFixed(2),
    pass ? 'PASS' : 'MISS',
  ])
  const table = [['figure', 'target', 'measured', 'ratio', ''], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  for (const row of table)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    )
  return figures.every(({ pass }) => pass)
}

/** Returns the value below which `share` (0 to 1) of the values lie; NaN without values. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** Returns the middle value; NaN without values. */
export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** Returns the arithmetic mean; NaN without values. */
export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the standard error of the mean; NaN for fewer than two values. */
const standardError = (values: readonly number[]): number => {
  const middle = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0)
  return Math.sqrt(squares / (values.length - 1) / values.length)
}

/**
 * Returns the uncertainty of the ratio of two means: one standard error, computed from the standard errors of both
 * means.
 */
export const spreadOfRatio = (values: readonly number[], baseline: readonly number[]): number =>
  (mean(values) / mean(baseline)) *
  Math.hypot(standardError(values) / mean(values), standardError(baseline) / mean(baseline))

/**
 * Measures two or more kinds in pairs of rounds, in the order one, other, other, one …. So a machine that becomes
 * slower in the meantime affects all kinds equally. Each kind has `pairs` rounds; `round` counts all rounds, starting
 * with 0.
 */
export const inTurns = async <Kind extends string>(
  pairs: number,
  kinds: readonly [Kind, Kind, ...Kind[]],
  measure: (kind: Kind, round: number) => Promise<number>,
): Promise<Record<Kind, number[]>> => {
  const values = Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Record<Kind, number[]>
  const turn = [...kinds, ...kinds.toReversed()]
  for (let round = 0; round < pairs * kinds.length; round++) {
    const kind = turn[round % turn.length] ?? kinds[0]
    values[kind].push(await measure(kind, round))
  }
  return values
}

/**
 * Returns a size of a measurement. `TRIBUTARY_BENCH_<name>` sets a smaller size for a short run, whose figures are less
 * reliable.
 */
export const sizeOf = (name: string, size: number): number =>
  Math.min(Number(process.env[`TRIBUTARY_BENCH_${name}`] ?? size), size)

/** Formats a number in thousands: 12345 becomes `12.3 k`. */
export const thousands = (value: number): string => `${(value / 1000).toFixed(1)} k`

/**
 * Report of a run of the load generator. Latencies in ms; `seconds` is the time from the first request to the last
 * response.
 */
export type LoadReport = {
  accepted: number
  refused: Record<string, number>
  seconds: number
  p50: number
  p95: number
  p99: number
  cpuSeconds: number
}

export type LoadOptions = {
  port: number
  key: string
  connections: number
  /** Number of events per request: 1 sends single calls to /v1/track, more send batches. */
  eventsPerRequest: number
  /** Duration of the load in seconds, if `events` is not given. */
  seconds?: number
  /** Number of accepted events after which the load ends, if `seconds` is not given. */
  events?: number
  /** Events per second; without it, the next request follows each response immediately. */
  rate?: number
  /**
   * The number of users (at most 10^6). The events belong to one user after the other. If the number is absent, all
   * events belong to one user.
   */
  people?: number
  /** Prefix of every message ID, so that events of different runs are not duplicates of each other. */
  run: string
}

/** Runs the load generator in its own process and returns its report. */
export const runLoad = async (options: LoadOptions): Promise<LoadReport> => {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./load.ts', import.meta.url)), JSON.stringify(options)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`The load generator ended with ${code}`)
  return JSON.parse(output)
}

/** A child process that listens on a port, which it printed as `listening <port>`. */
export type Listening = { port: number; stop(): Promise<void> }

/** Starts a script of this folder as a process and waits until it listens. */
export const startListening = async (script: string, args: readonly string[]): Promise<Listening> => {
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
  })
  const ended = once(child, 'exit')
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      const found = /listening (\d+)/.exec(chunk.toString())
      if (found !== null) resolve(Number(found[1]))
    })
    void ended.then(() => reject(new Error(`${script} ended before it listened`)))
  })
  return {
    port,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The environment that `npm start` sets for the product, used however the benchmark was started. */
export const startEnvironment: Record<string, string> = {
  MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2',
}

/** Returns the peak resident memory of a process since its start, in bytes; 0 if the process has ended. */
export const peakResidentBytes = (pid: number): number => {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

/** Resets the peak memory of a process, so that a later peak covers only the time from now on. Linux only. */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

/** Returns the ID of a child process of `parent` whose command line contains `text`. */
export const childOf = (parent: number, text: string): number | undefined => {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const ppid = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1])
      if (ppid === parent && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text)) return Number(name)
    } catch {
      // The process ended after it was listed and before it was read.
    }
  }
  return undefined
}

/** Reads the value of a metric, summed over its labels, from a product's `/metrics`. */
export const metric = async (origin: string, name: string): Promise<number> => {
  const text = await (await readMetrics(origin)).text()
  let sum = 0
  for (const line of text.split('\n'))
    if (line.startsWith(name) && /^[ {]/.test(line.slice(name.length))) sum += Number(line.slice(line.lastIndexOf(' ')))
  return sum
}
