import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openJournal, openLogReader } from '@tributary/storage'
import { createTestEventStore, type TestEventStore } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { batchOf, deliveredIds, openFiles, storeAll } from './test-world.ts'

const child = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
const workspaces = ['w-a', 'w-b', 'w-c']
const isLong = Number(process.env.SOAK_ROUNDS ?? 0) > 0

/** Runs the child to its end with these environment variables; resolves to whether it was killed. */
const runWith = async (variables: Record<string, string>, ...args: string[]): Promise<'killed' | 'finished'> => {
  const env = { ...process.env, ...variables }
  const running = spawn(process.execPath, [child, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  running.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const [code, signal] = await once(running, 'close')
  if (signal === 'SIGKILL') return 'killed'
  if (code !== 0) throw new Error(`The child ended with ${code}: ${errors}`)
  return 'finished'
}

/** Runs the child like `runWith`, with a clock that is this many minutes ahead. */
const runAhead = (minutes: number, ...args: string[]): Promise<'killed' | 'finished'> =>
  runWith({ CLOCK_AHEAD_MS: String(minutes * 60_000) }, ...args)

const run = (...args: string[]): Promise<'killed' | 'finished'> => runAhead(0, ...args)

/** Appends requests of three workspaces with accepted, rejected and repeated events. Returns the IDs to be stored. */
const fill = async (dir: string): Promise<string[]> => {
  const files = await openFiles(dir)
  const expected: string[] = []
  for (let n = 0; n < 8; n++) {
    for (const w of workspaces) {
      const { batch } = batchOf(`${w}-${n}`, 30)
      expected.push(...batch.map((_, index) => `${w}-${n}-${index}`))
      batch[3] = { ...batch[3], event: '' }
      batch.push({ ...batch[4] }, ...(n > 0 ? batchOf(`${w}-${n - 1}`, 2).batch : []))
      const meta = JSON.stringify({ w, s: `s-${w}`, k: 'batch', r: Date.now(), ip: '' })
      await files.requests.append({ key: w, meta, body: Buffer.from(JSON.stringify({ batch })) })
    }
  }
  await files.close()
  return expected.toSorted()
}

/**
 * Appends requests of three workspaces in one partition, with the numbers from `from` to `to`; the first workspace
 * sends most. Adds the IDs of each workspace, in their order.
 */
const fillOne = async (dir: string, expected: Map<string, string[]>, from: number, to: number): Promise<void> => {
  const files = await openFiles(dir)
  const send = async (w: string, n: number, events: number): Promise<void> => {
    const { batch } = batchOf(`${w}/${n}`, events)
    expected.set(w, [...(expected.get(w) ?? []), ...batch.map((_, index) => `${w}/${n}-${index}`)])
    const meta = JSON.stringify({ w, s: `s-${w}`, k: 'batch', r: Date.now(), ip: '' })
    await files.requests.append({ key: w, meta, body: Buffer.from(JSON.stringify({ batch })) })
  }
  for (let n = from; n < to; n++) {
    await send('w-0', n, 10)
    if (n % 10 === 9) await send('w-8', n, 3)
  }
  if (to === 40) for (let n = 0; n < 4; n++) await send('w-11', n, 5)
  await files.close()
}

let store: TestEventStore
beforeAll(async () => {
  store = await createTestEventStore()
})
afterAll(() => store.close())

const storedIds = async (): Promise<string[]> => {
  const rows = await store.query<{ message_id: string }>('select message_id from events order by message_id')
  return rows.map((row) => row.message_id).toSorted()
}

describe('after a kill', () => {
  it.each([
    ['pipeline.before-begin', '2'],
    ['pipeline.after-begin', '3'],
    ['pipeline.after-insert', '1'],
    ['pipeline.after-deliveries-append', '2'],
    ['pipeline.before-commit', '2'],
    ...(isLong
      ? [
          ['pipeline.after-begin', '1'],
          ['pipeline.after-insert', '3'],
        ]
      : []),
  ] as [string, string][])(
    'after a kill at %s, pass %s, every event is stored exactly once and appended to deliveries exactly once',
    async (point, count) => {
      await store.command('truncate table events')
      await store.command('truncate table dropped_events')
      const dir = await mkdtemp(join(tmpdir(), 'tributary-crash-'))
      try {
        const expected = await fill(dir)
        expect(await run(dir, store.url, point, count)).toBe('killed')
        // Kill it a second time, during or after recovery.
        await run(dir, store.url, point, count)
        await storeAll(dir, store.url)
        expect(await storedIds()).toEqual(expected)
        const rejected = await store.query<{ n: number }>("select count() as n from events where status = 'rejected'")
        expect(rejected).toEqual([{ n: 24 }])
        const discarded = await store.query<{ n: number }>('select sum(events) as n from dropped_events')
        expect(discarded).toEqual([{ n: 24 + 21 * 2 }])
        const deliveries = openLogReader({ dir: join(dir, 'deliveries') })
        const delivered = (await deliveredIds(deliveries)).toSorted()
        deliveries.close()
        expect(delivered).toEqual(expected.filter((id) => !id.endsWith('-3')))
        const journal = openJournal({ file: join(dir, 'journal.sqlite') })
        expect(journal.openRanges()).toEqual([])
        journal.close()
      } finally {
        await rm(dir, { recursive: true, force: true })
      }
    },
  )

  it.each([
    ['ahead of', 10],
    ['behind', -10],
  ])(
    "if a killed process's clock was ten minutes %s its successor's, each event is stored and appended to deliveries exactly once",
    async (_, minutes) => {
      await store.command('truncate table events')
      await store.command('truncate table dropped_events')
      const dir = await mkdtemp(join(tmpdir(), 'tributary-crash-'))
      try {
        const expected = await fill(dir)
        expect(await runAhead(minutes, dir, store.url, 'pipeline.after-deliveries-append', '3')).toBe('killed')
        expect(await runAhead(-minutes, dir, store.url, 'pipeline.before-commit', '2')).toBe('killed')
        await storeAll(dir, store.url)
        expect(await storedIds()).toEqual(expected)
        const deliveries = openLogReader({ dir: join(dir, 'deliveries') })
        const delivered = (await deliveredIds(deliveries)).toSorted()
        deliveries.close()
        expect(delivered).toEqual(expected.filter((id) => !id.endsWith('-3')))
      } finally {
        await rm(dir, { recursive: true, force: true })
      }
    },
  )

  it.each([
    ['pipeline.before-begin', 2, 3],
    ['pipeline.after-begin', 2, 1],
    ['pipeline.after-insert', 2, 2],
    ['pipeline.after-deliveries-append', 7, 4],
    ['pipeline.before-commit', 2, 3],
    ['pipeline.overtaking', 1, 2],
    ['pipeline.overtaken', 1, 2],
  ])(
    'after kills at %s, pass %s and then %s, while a workspace is overtaken, each event is stored and appended once, in order',
    async (point, first, second) => {
      await store.command('truncate table events')
      const dir = await mkdtemp(join(tmpdir(), 'tributary-crash-'))
      const overtaken = { OVERTAKEN: 'w-0' }
      try {
        const expected = new Map<string, string[]>()
        // With a new journal, everything may be stored already. The pipeline checks that in a single reading.
        await fillOne(dir, expected, 0, 1)
        await storeAll(dir, store.url)
        await fillOne(dir, expected, 1, 40)
        expect(await runWith(overtaken, dir, store.url, point, String(first))).toBe('killed')
        await runWith(overtaken, dir, store.url, point, String(second))
        if (isLong) await runWith(overtaken, dir, store.url, 'pipeline.after-deliveries-append', '3')
        await storeAll(dir, store.url, overtaken.OVERTAKEN)
        const ids = [...expected.values()].flat().toSorted()
        expect(await storedIds()).toEqual(ids)
        const deliveries = openLogReader({ dir: join(dir, 'deliveries') })
        const delivered = await deliveredIds(deliveries)
        deliveries.close()
        expect(delivered.toSorted()).toEqual(ids)
        for (const [w, own] of expected) expect(delivered.filter((id) => id.startsWith(`${w}/`))).toEqual(own)
        // Others have overtaken the workspace.
        expect(delivered.indexOf('w-11/3-4')).toBeLessThan(delivered.indexOf('w-0/39-9'))
        const journal = openJournal({ file: join(dir, 'journal.sqlite') })
        expect(journal.openRanges()).toEqual([])
        const [partition] = [...journal.notes().keys()]
        expect(journal.positions().get(partition ?? -1)).toBe(48)
        journal.close()
      } finally {
        await rm(dir, { recursive: true, force: true })
      }
    },
  )
})
