import { join } from 'node:path'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { partitionOf } from '../log/entries.ts'
import { openJournal } from '../log/file-journal/journal.ts'
import type { ConsumerJournal } from '../log/journal-port.ts'
import { type LogReader, type LogRecord, type LogWriter } from '../log/port.ts'
import { openLogReader } from '../log/sqlite/reader.ts'
import { createFolder } from '../log/sqlite/testing.ts'
import { openLogWriter } from '../log/sqlite/writer.ts'
import { createConsumer } from './consumer.ts'
import { consumerConformance } from './consumer-conformance.ts'
import { BeginAnew, type Consumer, type ConsumerDeps } from './consumer-port.ts'

const openWorld = async (partitions: number, segmentBytes?: number) => {
  const folder = await createFolder()
  const dir = join(folder.path, 'log')
  const writer: LogWriter = await openLogWriter({
    dir,
    partitions,
    inline: true,
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
  })
  const reader: LogReader = openLogReader({ dir })
  const journal: ConsumerJournal = openJournal({ file: join(folder.path, 'journal.db'), filterBytes: 1024 })
  return {
    writer,
    reader,
    journal,
    async append(key: string, text: string | Buffer): Promise<void> {
      await writer.append({ key, meta: '{}', body: Buffer.from(text) })
      reader.notice()
    },
    async close(): Promise<void> {
      reader.close()
      journal.close()
      await writer.close()
      await folder.remove()
    },
  }
}
type World = Awaited<ReturnType<typeof openWorld>>

const quick = { commitMs: 10, retryBaseMs: 5, retryCapMs: 20 }
const open = (world: World, more: Pick<ConsumerDeps, 'handle'> & Partial<ConsumerDeps>): Consumer =>
  createConsumer({ name: 'tested', ...world, logger: silentLogger, metrics: noMetrics, settings: quick, ...more })
const textOf = (record: LogRecord): string => Buffer.from(record.body).toString()

consumerConformance('of this package', async () => {
  const world = await openWorld(16)
  return {
    partitions: 16,
    append: (key, number) => world.append(key, String(number)),
    open: async (handle) =>
      open(world, {
        handle: async (records) => {
          for (const record of records) await handle(record.key, Number(textOf(record)))
          return ''
        },
      }),
    close: () => world.close(),
  }
})

describe('a consumer', () => {
  let world: World
  let consumer: Consumer
  beforeEach(async () => {
    world = await openWorld(2, 20_000)
  })
  afterEach(async () => {
    await consumer.stop()
    await world.close()
  })

  test('a failed batch is handled again, in order, while other partitions continue', async () => {
    const seen: string[] = []
    let failures = 3
    const others = Promise.withResolvers<void>()
    consumer = open(world, {
      async handle(records) {
        const texts = records.map(textOf)
        if (texts.includes('bad') && failures-- > 0) {
          if (failures === 0) await others.promise
          throw new Error('not now')
        }
        seen.push(...texts)
        if (texts.includes('other')) others.resolve()
        return ''
      },
    })
    consumer.give([0, 1])
    // FNV-1a assigns these two keys to different partitions.
    for (const text of ['bad', 'after']) await world.append('a', text)
    await world.append('b', 'other')
    await consumer.idle()
    expect(seen).toEqual(['other', 'bad', 'after'])
    expect(failures).toBe(-1)
  })

  test('a consumer uses no more memory than allowed, whatever its backlog', async () => {
    const settings = { ...quick, readBytes: 4000, aheadBytes: 10_000, shareBytes: 1000, atOnce: 1 }
    await Promise.all(Array.from({ length: 200 }, (_, n) => world.append(n % 2 === 0 ? 'a' : 'b', Buffer.alloc(1000))))
    let [read, handled, most] = [0, 0, 0]
    const reader: ConsumerDeps['reader'] = {
      ...world.reader,
      async read(...asked) {
        const records = await world.reader.read(...asked)
        read += records.length
        most = Math.max(most, read - handled)
        return records
      },
    }
    const gate = Promise.withResolvers<void>()
    consumer = open(world, {
      reader,
      settings,
      async handle(records) {
        if (handled === 0) await gate.promise
        handled += records.length
        return ''
      },
    })
    consumer.give([0, 1])
    setTimeout(gate.resolve, 50)
    await consumer.idle()
    expect(handled).toBe(200)
    // One read may exceed the limit, since its size is known only afterwards.
    expect(most).toBeLessThanOrEqual(10 + 4 + 4)
  })

  test('after a failed commit the next owner handles the same records, and gets the notes with the position', async () => {
    const notes: string[] = []
    let refuse = true
    const journal: ConsumerDeps['journal'] = {
      ...world.journal,
      commit(...moved) {
        if (refuse) throw new Error('disk full')
        return world.journal.commit(...moved)
      },
    }
    const handle = async (records: readonly LogRecord[], note: string): Promise<string> => {
      notes.push(note)
      return `behind ${records.map(textOf).join()}`
    }
    consumer = open(world, { journal, handle })
    await world.append('a', 'x')
    consumer.give([0, 1])
    await expect.poll(() => notes).toEqual([''])
    await consumer.stop()
    refuse = false
    for (let times = 0; times < 2; times++) {
      consumer = open(world, { journal, handle })
      consumer.give([0, 1])
      await consumer.idle()
      await consumer.stop()
    }
    expect(notes).toEqual(['', ''])
    await world.append('a', 'y')
    consumer = open(world, { journal, handle })
    consumer.give([0, 1])
    await consumer.idle()
    expect(notes).toEqual(['', '', 'behind x'])
  })

  test('a consumer whose unread records were trimmed continues with the oldest remaining ones', async () => {
    const begun: (number | undefined)[] = []
    const seen: number[] = []
    const gate = Promise.withResolvers<void>()
    consumer = open(world, {
      settings: { ...quick, readBytes: 1 },
      async handle(records) {
        if (seen.length === 0) await gate.promise
        seen.push(...records.map(({ offset }) => offset))
        return 'note'
      },
      async begin(_, { place, start }) {
        begun.push(place?.offset)
        return { offset: Math.max(start, place?.offset ?? 0), note: '' }
      },
    })
    const partition = partitionOf('a', 2)
    consumer.give([partition])
    for (let n = 0; n < 9; n++) await world.append('a', Buffer.alloc(15_000))
    await world.writer.trim([{ partition, offset: 6 }])
    const first = (await world.reader.starts())[partition] ?? 0
    expect(first).toBeGreaterThan(3)
    gate.resolve()
    await consumer.idle()
    const [read = 0] = begun.slice(1)
    expect(begun).toEqual([undefined, read])
    expect(read).toBeLessThan(first)
    expect(seen).toEqual([
      ...Array.from({ length: read }, (_, n) => n),
      ...Array.from({ length: 9 - first }, (_, n) => first + n),
    ])
  })

  test('after work of its handler was rolled back, a consumer starts again at the position of the handler, and rereads later records', async () => {
    const seen: string[] = []
    let isBack = false
    consumer = open(world, {
      settings: { ...quick, readBytes: 1 },
      begin: async (_, { place }) => (isBack ? { offset: 1, note: 'back' } : (place ?? { offset: 0, note: '' })),
      async handle(records, note) {
        const texts = records.map(textOf)
        if (texts.includes('c') && !isBack) {
          isBack = true
          throw new BeginAnew('gone back')
        }
        seen.push(...texts.map((text) => `${text} ${note}`.trim()))
        return note
      },
    })
    for (const text of ['a', 'b', 'c', 'd']) await world.append('key', text)
    consumer.give([0, 1])
    await consumer.idle()
    expect(seen).toEqual(['a', 'b', 'b back', 'c back', 'd back'])
  })

  test('a lingering consumer passes nothing on until the time is over, and can be stopped meanwhile', async () => {
    const seen: string[][] = []
    const handle = async (records: readonly LogRecord[]): Promise<string> => {
      seen.push(records.map(textOf))
      return ''
    }
    consumer = open(world, { handle, settings: { ...quick, lingerMs: 600_000 } })
    consumer.give([0, 1])
    await consumer.idle()
    for (const text of ['a', 'b']) await world.append('key', text)
    await consumer.stop()
    expect(seen).toEqual([])
    consumer = open(world, { handle, settings: { ...quick, lingerMs: 1 } })
    consumer.give([0, 1])
    await consumer.idle()
    expect(seen).toEqual([['a', 'b']])
  })

  test('a lingering consumer with a backlog continues immediately, and records that arrive meanwhile form one batch', async () => {
    const seen: string[] = []
    const began = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    consumer = open(world, {
      settings: { ...quick, readBytes: 1, lingerMs: 600_000 },
      async handle(records) {
        seen.push(...records.map(textOf))
        if (seen.at(-1) === 'c') {
          began.resolve()
          await goOn.promise
        }
        return ''
      },
    })
    for (const text of ['a', 'b', 'c']) await world.append('key', text)
    consumer.give([0, 1])
    await began.promise
    await world.append('key', 'd')
    goOn.resolve()
    await vi.waitFor(() => expect(Math.max(...world.journal.positions().values())).toBe(3))
    await consumer.stop()
    expect(seen).toEqual(['a', 'b', 'c'])
  })
})
