import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { readAll } from '../conformance.ts'
import { bodyOf } from './load-body.ts'
import { openLogReader } from './reader.ts'
import { openLogWriter } from './writer.ts'

const loadProcess = fileURLToPath(new URL('./load-process.ts', import.meta.url))
export const maxBodyBytes = 4000

/** The output of a load process so far. */
export type Load = {
  child: ChildProcess
  /** Maps `<partition> <offset>` to the ID of each acknowledged record. */
  acknowledged: Map<string, string>
  /** IDs of rejected records, with the name of the error. */
  refused: Map<string, string>
  /** Resolves when `enough` returns true; rejects if the process ends earlier or the deadline passes. */
  until(what: string, enough: () => boolean): Promise<void>
  /** Sends SIGKILL only to the writing process, not to its wrapper; resolves when both have ended. */
  killWriter(): Promise<void>
  /** Sends SIGKILL; resolves when the process has ended and its output is read completely. */
  kill(): Promise<void>
}

type LoadOptions = { wrap?: string[]; inline?: boolean; env?: Record<string, string> }

/**
 * Starts a process that appends to the log in `dir` until it is ended. It runs under the command line `wrap`, with the
 * variables `env` added.
 */
export const startLoad = (dir: string, seed: string, options: LoadOptions = {}): Load => {
  const own = [
    process.execPath,
    loadProcess,
    dir,
    '16',
    seed,
    String(maxBodyBytes),
    options.inline ? 'inline' : 'worker',
  ]
  const [command = '', ...args] = [...(options.wrap ?? []), ...own]
  const env = { ...process.env, ...options.env }
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true, env })
  const acknowledged = new Map<string, string>()
  const refused = new Map<string, string>()
  let writerPid: number | undefined
  const watchers = new Set<() => void>()
  if (child.stdout === null) throw new Error('The load process has no output')
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const [kind, first = '', second = '', id = ''] = line.split(' ')
    if (kind === 'ready') writerPid = Number(first)
    if (kind === 'ack') acknowledged.set(`${first} ${second}`, id)
    if (kind === 'no') refused.set(first, second)
    for (const watcher of watchers) watcher()
  })
  const ended = new Promise<void>((resolve) => lines.once('close', resolve))
  return {
    child,
    acknowledged,
    refused,
    until: (what, enough) =>
      new Promise((resolve, reject) => {
        const finish = (error?: Error): void => {
          clearTimeout(late)
          watchers.delete(check)
          if (error === undefined) resolve()
          else reject(error)
        }
        const check = (): void => {
          if (enough()) finish()
        }
        const late = setTimeout(() => finish(new Error(`${what}: not within 30 s`)), 30_000)
        void ended.then(() => finish(enough() ? undefined : new Error(`${what}: the load process ended`)))
        watchers.add(check)
        check()
      }),
    async killWriter() {
      if (writerPid !== undefined) process.kill(writerPid, 'SIGKILL')
      await ended
    },
    async kill() {
      // Kills the whole process group, so that the wrapper ends, too.
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The process has already ended.
      }
      await ended
    },
  }
}

/**
 * Asserts that a log has every acknowledged record unchanged at its position, dense offsets, no rejected record, and no
 * duplicates. Returns the number of records.
 */
export const expectIntact = async (dir: string, loads: readonly Load[]): Promise<number> => {
  const reader = openLogReader({ dir })
  try {
    const records = await readAll(reader)
    const held = new Map<string, string>()
    const next = new Map<number, number>()
    for (const { partition, offset, meta: id, body } of records) {
      if (offset !== (next.get(partition) ?? 0))
        expect.fail(`partition ${partition}: ${offset} follows ${next.get(partition)}`)
      next.set(partition, offset + 1)
      if (!bodyOf(id, maxBodyBytes).equals(body)) expect.fail(`record ${id} has other bytes than were appended`)
      held.set(`${partition} ${offset}`, id)
    }
    expect(new Set(held.values()).size).toBe(records.length)
    const ids = new Set(held.values())
    for (const { acknowledged, refused } of loads) {
      for (const [position, id] of acknowledged)
        if (held.get(position) !== id) expect.fail(`acknowledged ${id} is lost`)
      for (const id of refused.keys()) if (ids.has(id)) expect.fail(`refused ${id} can be read`)
    }
    return records.length
  } finally {
    reader.close()
  }
}

/**
 * Kills a writing process at a random moment under load, `rounds` times on one log, writing alternately in a worker and
 * in its main thread. After each kill the log must be intact and writable. Returns the number of records.
 */
export const killRounds = async (dir: string, rounds: number): Promise<number> => {
  const loads: Load[] = []
  let records = 0
  for (let round = 0; round < rounds; round++) {
    const load = startLoad(dir, `round${round}`, { inline: round % 2 === 1 })
    loads.push(load)
    const enough = 1 + Math.floor(Math.random() * 2500)
    await load.until(`${enough} acknowledgements`, () => load.acknowledged.size >= enough)
    await load.kill()
    const writer = await openLogWriter({ dir, partitions: 8, inline: true })
    records = await expectIntact(dir, loads)
    await writer.close()
  }
  return records
}
