import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readMetrics } from '@tributary/test-kit'

/** One measured figure. `measured` and `target` are texts with units; `ratio` is what decides, where one does. */
export type Figure = { figure: string; target: string; measured: string; ratio?: number; pass: boolean }

/** Prints the table of figures and returns true when all pass. */
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

/** The value below which `share` (0 to 1) of the values lie; NaN of none. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** The middle value; NaN of none. */
export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** The arithmetic mean; NaN of none. */
export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The standard error of the mean; NaN of fewer than two. */
const standardError = (values: readonly number[]): number => {
  const middle = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0)
  return Math.sqrt(squares / (values.length - 1) / values.length)
}

/** Returns the uncertainty of the ratio of two means: one standard error, from those of both means. */
export const spreadOfRatio = (values: readonly number[], baseline: readonly number[]): number =>
  (mean(values) / mean(baseline)) *
  Math.hypot(standardError(values) / mean(values), standardError(baseline) / mean(baseline))

/**
 * Measures two things or more in pairs of rounds: one, other, other, one …, so that a machine that becomes slower
 * meanwhile costs all of them the same. Each has `pairs` rounds; `round` counts from 0 over all.
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
 * A size of a figure. `TRIBUTARY_BENCH_<name>` sets a smaller size for a short run, whose figures are less reliable.
 */
export const sizeOf = (name: string, size: number): number =>
  Math.min(Number(process.env[`TRIBUTARY_BENCH_${name}`] ?? size), size)

/** 12345 → `12.3 k`. */
export const thousands = (value: number): string => `${(value / 1000).toFixed(1)} k`

/** Report of a run of the load generator. Latencies in ms; `seconds` is from the first request to the last answer. */
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
  /** 1 sends single calls to /v1/track, more send batches. */
  eventsPerRequest: number
  /** Ends after this time … */
  seconds?: number
  /** … or after this many accepted events. */
  events?: number
  /** Events per second; without it, the next request follows each response immediately. */
  rate?: number
  /**
   * The number of people (at most 10^6) that the events belong to in turn; without it, all events belong to one person.
   */
  people?: number
  /** Begins every message id, so that runs do not deduplicate each other. */
  run: string
}

/** Runs the load generator in a process of its own and returns its report. */
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

/** A child that printed `listening <port>`. */
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

/** The environment that `npm start` sets for the product, however this was started. */
export const startEnvironment: Record<string, string> = {
  MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2',
}

/** The most memory a process had resident since its start, bytes; 0 when it is gone. */
export const peakResidentBytes = (pid: number): number => {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

/** Forgets the most memory that a process had, so that its peak is of what comes now. Linux. */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

/** The child of `parent` whose command line contains `text`. */
export const childOf = (parent: number, text: string): number | undefined => {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const ppid = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1])
      if (ppid === parent && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text)) return Number(name)
    } catch {
      // Ended between listing and reading.
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
