import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import { type LogPosition, openJournal, openLogReader, openLogWriter } from '@tributary/storage'
import { expect, test } from 'vitest'
import { createClient, needed } from '../threads/messages/message.ts'
import { createRoleThread } from '../threads/role-thread.ts'
import { askPositions, createLogRetention } from './retention.ts'

test('a log is trimmed only to records that are old enough, and never beyond what a consumer needs', async () => {
  const trims: (readonly LogPosition[])[] = []
  let needed: LogPosition[] = [{ partition: 0, offset: 7 }]
  let old: LogPosition[] = []
  const asked: number[] = []
  const retention = createLogRetention({
    log: { trim: async (before) => void trims.push(before) },
    positionsBefore: async (time) => {
      asked.push(time)
      return old
    },
    keepMs: 300,
    needed: async () => needed,
    clock: () => 1000,
  })
  await retention.run()
  expect([asked, trims]).toEqual([[700], []])
  old = [
    { partition: 0, offset: 10 },
    { partition: 1, offset: 20 },
  ]
  await retention.run()
  needed = [
    { partition: 0, offset: 100 },
    { partition: 1, offset: 100 },
  ]
  await retention.run()
  // Initially, no consumer has read partition 1.
  expect(trims).toEqual([
    [
      { partition: 0, offset: 7 },
      { partition: 1, offset: 0 },
    ],
    old,
  ])
})

test('old records of a partition that was never committed stay until they are read', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tributary-retention-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(dir, { recursive: true, force: true }))
  const log = await openLogWriter({ dir: join(dir, 'log'), partitions: 2, inline: true, segmentBytes: 64 * 1024 })
  stack.defer(() => log.close())
  const journal = openJournal({ file: join(dir, 'journal.db') })
  stack.defer(() => journal.close())
  const body = randomBytes(60_000)
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) await log.append({ key, meta: '{}', body })
  const reader = openLogReader({ dir: join(dir, 'log') })
  stack.defer(() => reader.close())
  const ends = await reader.ends()
  expect(ends.every((end) => end > 0)).toBe(true)
  const retention = createLogRetention({
    log,
    positionsBefore: (time) => reader.positionsBefore(time),
    keepMs: 0,
    needed: async () => [...journal.positions()].map(([partition, offset]) => ({ partition, offset })),
    clock: () => Date.now() + 1000,
  })
  const commit = (partition: number) => journal.commit(new Map([[partition, ends[partition] ?? 0]]))
  const left = async (partition: number): Promise<number> => (await reader.read(partition, 0, 1e9)).length
  commit(0)
  await retention.run()
  expect(await left(1)).toBe(ends[1])
  commit(1)
  await retention.run()
  expect(await left(1)).toBeLessThan(ends[1] ?? 0)
})

test('a message that a thread cannot handle, such as a renamed one, is an error, and nothing is trimmed', async () => {
  const host = new URL('../threads/thread-host.ts', import.meta.url).href
  const forms = new URL('../threads/messages/message.ts', import.meta.url).href
  const program = `import { hostRole } from ${JSON.stringify(host)}
    import { needed, refresh } from ${JSON.stringify(forms)}
    await hostRole({
      role: { start() {}, async stop() {}, wake() {} },
      messages: { positions: needed, other: refresh },
      answers: { positions: () => [{ partition: 0, offset: 3 }], other: () => undefined },
      metrics: { drain: () => [] },
      close: async () => {},
    })`
  const thread = createRoleThread({
    name: 'tested',
    entry: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
    data: () => ({ value: {}, transfer: [] }),
    heapMiB: 64,
    logger: silentLogger,
    onMetrics: () => {},
    onReplaced: () => {},
  })
  await thread.start()
  try {
    const trims: unknown[] = []
    // The thread has no handler for these messages, as if another version had sent them.
    const names = ['positions', 'places', 'other', 'toString', '__proto__']
    const role = createClient(Object.fromEntries(names.map((name) => [name, needed])), thread.relay)
    const run = (question: string): Promise<void> =>
      createLogRetention({
        log: { trim: async (before) => void trims.push(before) },
        positionsBefore: async () => [{ partition: 0, offset: 9 }],
        keepMs: 0,
        needed: () => askPositions(role, question),
        clock: () => 0,
      }).run()
    for (const question of ['places', 'other', 'toString', '__proto__']) await expect(run(question)).rejects.toThrow()
    expect(trims).toEqual([])
    await expect(role.ask('places')).rejects.toThrow('no answer to the question "places"')
    await run('positions')
    expect(trims).toEqual([[{ partition: 0, offset: 3 }]])
  } finally {
    await thread.stop()
  }
})
