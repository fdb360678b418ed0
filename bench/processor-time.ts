import { readdirSync, readFileSync } from 'node:fs'
import { processFamily } from '@tributary/test-kit'

const ticksPerSecond = 100

/** Reads the name and the processor time in s from a `stat` file; undefined if the process or thread has ended. */
const read = (path: string): { name: string; seconds: number } | undefined => {
  try {
    const text = readFileSync(path, 'utf8')
    const end = text.lastIndexOf(')')
    const fields = text.slice(end + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return { name: text.slice(text.indexOf('(') + 1, end), seconds: ticks / ticksPerSecond }
  } catch {
    return undefined
  }
}

/** Returns the processor time in s that a process and all its children have used. */
export const processorSeconds = (pid: number): number =>
  processFamily(pid).reduce((sum, each) => sum + (read(`/proc/${each}/stat`)?.seconds ?? 0), 0)

/**
 * Returns the processor time in s by process and thread, under `<process>/<thread>`. Threads with the same name are
 * added up, except in the first process.
 */
export const threadSeconds = (pid: number): Map<string, number> => {
  const sums = new Map<string, number>()
  for (const each of processFamily(pid)) {
    const owner = read(`/proc/${each}/stat`)
    if (owner === undefined) continue
    for (const thread of readdirSync(`/proc/${each}/task`)) {
      const found = read(`/proc/${each}/task/${thread}/stat`)
      if (found === undefined) continue
      const name = each === pid ? `server/${found.name}` : `${owner.name}/${found.name}`
      sums.set(name, (sums.get(name) ?? 0) + found.seconds)
    }
  }
  return sums
}

/** Returns how often the threads of a process have waited by themselves, under the names of `threadSeconds`. */
export const threadSwitches = (pid: number): Map<string, number> => {
  const sums = new Map<string, number>()
  for (const each of processFamily(pid)) {
    const owner = read(`/proc/${each}/stat`)
    if (owner === undefined) continue
    for (const thread of readdirSync(`/proc/${each}/task`)) {
      const folder = `/proc/${each}/task/${thread}`
      const found = read(`${folder}/stat`)
      if (found === undefined) continue
      const count = Number(
        /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`${folder}/status`, 'utf8'))?.[1] ?? 0,
      )
      const name = each === pid ? `server/${found.name}` : `${owner.name}/${found.name}`
      sums.set(name, (sums.get(name) ?? 0) + count)
    }
  }
  return sums
}

/**
 * Returns the processor time of a process's threads since `before`, per event: 'name 1.2, …' in µs, the largest first.
 */
export const costsByThread = (pid: number, before: ReadonlyMap<string, number>, events: number): string =>
  [...threadSeconds(pid)]
    .map(([name, seconds]) => [name, ((seconds - (before.get(name) ?? 0)) / events) * 1e6] as const)
    .filter(([, microseconds]) => microseconds >= 0.5)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, time]) => `${name} ${time.toFixed(1)}`)
    .join(', ')
