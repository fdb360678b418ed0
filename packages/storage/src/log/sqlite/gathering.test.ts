import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { readAll } from '../conformance.ts'
import { openLogReader } from './reader.ts'
import { createFolder } from './testing.ts'
import { openLogWriter } from './writer.ts'

let now = 0
let commits = 0
beforeEach(() => {
  now = 1_000_000
  commits = 0
})

const open = (dir: string) =>
  openLogWriter({
    dir,
    partitions: 1,
    inline: true,
    gatherMs: 3_600_000,
    clock: () => now,
    onCommit: () => void commits++,
  })
type Writer = Awaited<ReturnType<typeof open>>

const append = (writer: Writer, from: number, count: number) =>
  Array.from({ length: count }, (_, index) =>
    writer.append({ key: 'k', meta: '{}', body: Buffer.from(String(from + index)) }),
  )
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await nextTurn()
}
const texts = async (dir: string): Promise<string[]> => {
  const reader = openLogReader({ dir })
  try {
    return (await readAll(reader)).map((record) => Buffer.from(record.body).toString())
  } finally {
    reader.close()
  }
}

describe('commits of the log on SQLite', () => {
  it('after a busy commit, entries wait for a full group or the end of the log, and are all written', async () => {
    await using folder = await createFolder()
    const writer = await open(folder.path)
    await Promise.all(append(writer, 0, 1))
    now += 4
    await Promise.all(append(writer, 1, 6))
    expect(commits).toBe(2)
    const gathered = append(writer, 7, 31)
    await turns()
    expect(commits).toBe(2)
    await Promise.all([...gathered, ...append(writer, 38, 1)])
    expect(commits).toBe(3)
    const last = append(writer, 39, 2)
    await turns()
    expect(commits).toBe(3)
    await writer.close()
    expect((await Promise.all(last)).map(({ offset }) => offset)).toEqual([39, 40])
    expect(await texts(folder.path)).toEqual(Array.from({ length: 41 }, (_, index) => String(index)))
  })

  it.each([
    { entries: 1, elapsedMs: 0, waits: false },
    { entries: 5, elapsedMs: 1, waits: false },
    { entries: 6, elapsedMs: 4, waits: true },
    { entries: 6, elapsedMs: 5, waits: false },
    { entries: 14, elapsedMs: 10, waits: false },
    { entries: 15, elapsedMs: 10, waits: true },
    { entries: 31, elapsedMs: 1000, waits: false },
  ])(
    'after a commit of $entries entries, $elapsedMs ms after the one before it, the next waits: $waits',
    async ({ entries, elapsedMs, waits }) => {
      await using folder = await createFolder()
      const writer = await open(folder.path)
      await Promise.all(append(writer, 0, 1))
      now += elapsedMs
      await Promise.all(append(writer, 1, entries))
      const last = append(writer, 1 + entries, 1)
      await turns()
      expect(commits).toBe(waits ? 2 : 3)
      await writer.close()
      await Promise.all(last)
    },
  )
})
