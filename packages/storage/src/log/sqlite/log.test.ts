import { randomUUID } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setFaultHandler } from '@tributary/kernel'
import { afterEach, describe, expect, test } from 'vitest'
import { logConformance, readAll } from '../conformance.ts'
import { partitionOf } from '../entries.ts'
import { LogUnavailable, type LogWriter } from '../port.ts'
import { producerConformance } from '../producer-conformance.ts'
import { openLogReader } from './reader.ts'
import { listSegments, openForWriting, segmentBytesOnDisk, segmentPath } from './segment.ts'
import { createFolder } from './testing.ts'
import { openLogWriter } from './writer.ts'

for (const inline of [false, true])
  for (const conformance of [logConformance, producerConformance])
    conformance(`SQLite, ${inline ? 'in the calling thread' : 'in a worker'}`, async () => {
      const folder = await createFolder()
      return {
        openWriter: (options) => openLogWriter({ dir: folder.path, inline, ...options }),
        openReader: async () => openLogReader({ dir: folder.path }),
        remove: () => folder.remove(),
      }
    })

const entry = (text: string) => ({ key: 'k', meta: '{}', body: Buffer.from(text) })
const texts = async (dir: string): Promise<string[]> => {
  const reader = openLogReader({ dir })
  try {
    return (await readAll(reader)).map((record) => Buffer.from(record.body).toString())
  } finally {
    reader.close()
  }
}

/** Causes the engine's own error with its own code, in a database that may not grow. */
const refuseSpace = (): void => {
  const small = new DatabaseSync(':memory:')
  small.exec('pragma max_page_count = 2; create table t (b blob); insert into t values (zeroblob(100000))')
}

describe('the log on SQLite', () => {
  afterEach(() => setFaultHandler(undefined))

  test('the writing connection syncs every commit and the file is in write-ahead mode', async () => {
    await using folder = await createFolder()
    await using stack = new AsyncDisposableStack()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1 })
    stack.defer(() => writer.close())
    const db = openForWriting(folder.path, 1)
    stack.defer(() => db.close())
    expect(db.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 })
    expect(db.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' })
  })

  test('a reader of addressed records gets only the last offset, and no bodies, of chunks without addressed records', async () => {
    await using folder = await createFolder()
    await using stack = new AsyncDisposableStack()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    stack.defer(() => writer.close())
    for (const text of ['1', '2', '3']) await writer.append({ ...entry(text), addressed: false })
    await writer.append(entry('4'))
    const reader = openLogReader({ dir: folder.path })
    stack.defer(() => reader.close())
    const read = await reader.read(0, 0, 1000, 'addressed')
    expect(read.map(({ offset, body }) => [offset, Buffer.from(body).toString()])).toEqual([
      [2, ''],
      [3, '4'],
    ])
  })

  test('a reader that continues within chunks, and keeps the last chunk, reads the same records as any other', async () => {
    await using folder = await createFolder()
    await using stack = new AsyncDisposableStack()
    const writer = await openLogWriter({ dir: folder.path, partitions: 2, inline: true })
    stack.defer(() => writer.close())
    const keys = [0, 1].map(
      (wanted) => ['a', 'b', 'c', 'd', 'e', 'f'].find((key) => partitionOf(key, 2) === wanted) ?? '',
    )
    for (let group = 0; group < 6; group++)
      for (const key of keys)
        await writer.appendGroup(
          Array.from({ length: 7 }, (_, at) => ({ ...entry(`${key} ${group}.${at} ${'x'.repeat(100)}`), key })),
        )
    const readInPieces = async (options: { keepsChunks?: true }): Promise<string[]> => {
      const reader = openLogReader({ dir: folder.path, ...options })
      const found: string[] = []
      const next = [0, 0]
      const ends = await reader.ends()
      while (next.some((offset, partition) => offset < (ends[partition] ?? 0)))
        for (const partition of [0, 1])
          for (const { offset, body, incarnation } of await reader.read(partition, next[partition] ?? 0, 250)) {
            found.push(`${partition} ${offset} ${incarnation} ${Buffer.from(body).toString()}`)
            next[partition] = offset + 1
          }
      reader.close()
      return found
    }
    const plain = await readInPieces({})
    expect(plain).toHaveLength(84)
    expect(await readInPieces({ keepsChunks: true })).toEqual(plain)
  })

  test('a fault before the sync acknowledges nothing, leaves no record, and the next append succeeds', async () => {
    await using folder = await createFolder()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    await writer.append(entry('before'))
    setFaultHandler((point) => {
      if (point === 'log.before-sync') throw new Error('EIO')
    })
    const refused = await Promise.allSettled([writer.append(entry('lost')), writer.append(entry('lost'))])
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(writer.append(entry('lost'))).rejects.toBeInstanceOf(LogUnavailable)
    setFaultHandler(undefined)
    expect(await writer.append(entry('after'))).toEqual({ partition: 0, offset: 1 })
    expect(await texts(folder.path)).toEqual(['before', 'after'])
    await writer.close()
    expect(await texts(folder.path)).toEqual(['before', 'after'])
  })

  test('after a failed sync a new file is begun, and records that reappear in the old one are not read', async () => {
    await using folder = await createFolder()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    await writer.append(entry('before'))
    setFaultHandler((point) => {
      if (point === 'log.before-sync') throw new Error('EIO')
    })
    await expect(writer.append(entry('lost'))).rejects.toBeInstanceOf(LogUnavailable)
    setFaultHandler(undefined)
    expect(listSegments(folder.path)).toEqual([1, 2])
    // Simulates a disk that wrote the pages after all.
    const old = openForWriting(folder.path, 1)
    old.exec('insert into chunk select id + 1, partition, first + count, count, time, addressed, body, size from chunk')
    old.close()
    expect(await texts(folder.path)).toEqual(['before'])
    await writer.append(entry('after'))
    expect(await texts(folder.path)).toEqual(['before', 'after'])
    await writer.close()
  })

  test('a rejected commit advances no sequence, even if it reappears on disk and no new segment could be created', async () => {
    await using folder = await createFolder()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    const epoch = await writer.beginEpoch('p')
    const append = (to: LogWriter, sequence: number) =>
      to.appendGroup([entry(`${sequence}`)], { producer: 'p', epoch, sequence })
    await append(writer, 1)
    // A folder at the path of the next segment's draft prevents its creation.
    await mkdir(`${segmentPath(folder.path, 2)}.new/full`, { recursive: true })
    setFaultHandler((point) => {
      if (point === 'log.before-sync') throw new Error('EIO')
    })
    await expect(append(writer, 2)).rejects.toBeInstanceOf(LogUnavailable)
    setFaultHandler(undefined)
    await writer.close()
    // Simulates a disk that wrote the pages after all.
    const old = openForWriting(folder.path, 1)
    old.exec(
      'insert into chunk select id + 1, partition, first + count, count, time, addressed, body, size from chunk; update producer set sequence = 2 where sequence = 1',
    )
    old.close()
    await rm(`${segmentPath(folder.path, 2)}.new`, { recursive: true })
    const again = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    expect(await again.lastSequences('p')).toMatchObject([{ sequence: 1 }])
    expect(await append(again, 2)).toEqual({ partition: 0, offset: 1 })
    expect(await texts(folder.path)).toEqual(['1', '2'])
    await again.close()
  })

  test('a commit rejected for lack of space can be repeated with its sequence', async () => {
    await using folder = await createFolder()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    const epoch = await writer.beginEpoch('p')
    const append = () => writer.appendGroup([entry('once')], { producer: 'p', epoch, sequence: 1 })
    setFaultHandler(refuseSpace)
    await expect(append()).rejects.toBeInstanceOf(LogUnavailable)
    await expect(writer.beginEpoch('p')).rejects.toBeInstanceOf(LogUnavailable)
    setFaultHandler(undefined)
    expect(await append()).toEqual({ partition: 0, offset: 0 })
    expect(await append()).toBeUndefined()
    expect(await texts(folder.path)).toEqual(['once'])
    await writer.close()
  })

  test('a log from before producers existed accepts producers', async () => {
    await using folder = await createFolder()
    const before = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    await before.append(entry('before'))
    await before.close()
    const db = openForWriting(folder.path, 1)
    db.exec('drop table producer')
    db.close()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    expect(await writer.lastSequences('p')).toEqual([])
    const epoch = await writer.beginEpoch('p')
    await writer.appendGroup([entry('after')], { producer: 'p', epoch, sequence: 1 })
    expect(await texts(folder.path)).toEqual(['before', 'after'])
    await writer.close()
  })

  test('an incomplete segment and remains of a deleted one are removed at the next start', async () => {
    await using folder = await createFolder()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    await writer.append(entry('kept'))
    await writer.close()
    const rests = ['segment-0000000002.db.new', 'segment-0000000002.db.new-wal', 'segment-0000000000.db-wal']
    for (const rest of rests) await writeFile(join(folder.path, rest), 'half')
    const again = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    await again.append(entry('more'))
    expect(await texts(folder.path)).toEqual(['kept', 'more'])
    expect((await readdir(folder.path)).filter((name) => rests.includes(name))).toEqual([])
    await again.close()
  })

  test('a torn end is cut off and everything before it stays readable, at any position of the tear', async () => {
    await using folder = await createFolder()
    await using copies = await createFolder()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    for (let i = 0; i < 20; i++) await writer.append(entry(`${i}`.padEnd(3000, '.')))
    const wal = `${segmentPath(folder.path, 1)}-wal`
    const whole = await readFile(wal)
    await cp(segmentPath(folder.path, 1), join(copies.path, 'base.db'))
    await writer.close()
    let longest = 0
    const tears = Array.from({ length: Math.ceil(whole.length / 4099) }, (_, i) => i * 4099)
    for (const tear of [...tears, whole.length]) {
      const dir = join(copies.path, `at-${tear}`)
      await cp(join(copies.path, 'base.db'), segmentPath(dir, 1), { recursive: true })
      const torn = Buffer.concat([whole.subarray(0, tear), Buffer.alloc(512, 0xa5)])
      await writeFile(`${segmentPath(dir, 1)}-wal`, torn)
      const reopened = await openLogWriter({ dir, partitions: 1, inline: true })
      const { offset } = await reopened.append(entry('next'))
      const read = await texts(dir)
      expect(read.map((text) => text.replaceAll('.', ''))).toEqual([
        ...Array.from({ length: offset }, (_, i) => `${i}`),
        'next',
      ])
      expect(offset).toBeGreaterThanOrEqual(longest)
      longest = offset
      await reopened.close()
    }
    expect(longest).toBe(20)
  })

  test('many events use a fifth of their bytes on disk, and are read back unchanged', async () => {
    await using folder = await createFolder()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    const common = {
      type: 'track',
      context: {
        library: { name: 'analytics.js', version: '2.1.0' },
        page: { url: 'https://shop.example/checkout/done' },
      },
      properties: { currency: 'EUR', coupon: 'SPRING10', products: [{ sku: 'sku-1', quantity: 2, price: 39.95 }] },
    }
    const events = Array.from({ length: 2000 }, (_, index) =>
      JSON.stringify({ messageId: randomUUID(), event: 'Order Completed', userId: `user-${index}`, index, ...common }),
    )
    await Promise.all(events.map((event) => writer.append(entry(event))))
    expect(await texts(folder.path)).toEqual(events)
    await writer.close()
    expect(segmentBytesOnDisk(folder.path, 1)).toBeLessThan(Buffer.byteLength(events.join('')) / 5)
  })

  test('a segment from before compression existed can be read and appended to', async () => {
    await using folder = await createFolder()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    await writer.append(entry('before'))
    await writer.close()
    const old = openForWriting(folder.path, 1)
    old.exec('alter table chunk drop column size')
    old.close()
    expect(await texts(folder.path)).toEqual(['before'])
    const again = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    await again.beginEpoch('p')
    await again.append(entry('x'.repeat(100_000)))
    expect(await texts(folder.path)).toEqual(['before', 'x'.repeat(100_000)])
    await again.close()
  })

  test('a folder created with another number of partitions is rejected', async () => {
    await using folder = await createFolder()
    await (await openLogWriter({ dir: folder.path, partitions: 2 })).close()
    await expect(openLogWriter({ dir: folder.path, partitions: 3 })).rejects.toThrow('has 2 partitions, not 3')
  })

  test('positionsBefore never returns an offset younger than the time', async () => {
    await using folder = await createFolder()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true, segmentBytes: 2000 })
    for (let i = 0; i < 12; i++) await writer.append(entry('x'.repeat(900)))
    const reader = openLogReader({ dir: folder.path })
    const records = await readAll(reader)
    for (const asked of records.map(({ time }) => time)) {
      const [{ offset: limit } = { offset: -1 }] = await reader.positionsBefore(asked)
      expect(limit).toBeGreaterThanOrEqual(0)
      for (const { time } of records.slice(0, limit)) expect(time).toBeLessThanOrEqual(asked)
    }
    expect((await reader.positionsBefore(Date.now() + 1000))[0]?.offset).toBeGreaterThan(0)
    expect(await reader.positionsBefore(0)).toEqual([{ partition: 0, offset: 0 }])
    reader.close()
    await writer.close()
  })

  test('a record is deleted after its retention time and the maximum age of a file, even without further appends', async () => {
    await using folder = await createFolder()
    const hour = 3_600_000
    const start = Date.parse('2026-03-04T05:06:07.890Z')
    let now = start
    const [keepMs, segmentMs] = [72 * hour, 6 * hour]
    const writer = await openLogWriter({ dir: folder.path, partitions: 4, inline: true, segmentMs, clock: () => now })
    const reader = openLogReader({ dir: folder.path })
    const { partition } = await writer.append(entry('u-secret'))
    /** Trims old records each hour. */
    const goOn = async (hours: number): Promise<void> => {
      for (const end = now + hours * hour; now < end; ) {
        now += hour
        await writer.trim(await reader.positionsBefore(now - keepMs))
      }
    }
    await goOn(72)
    expect(await texts(folder.path)).toEqual(['u-secret'])
    await goOn(6)
    expect(now).toBe(start + keepMs + segmentMs)
    expect(await texts(folder.path)).toEqual([])
    const files = await Promise.all((await readdir(folder.path)).map((name) => readFile(join(folder.path, name))))
    expect(Buffer.concat(files).includes('u-secret')).toBe(false)
    await goOn(100)
    // A file without records is not followed by a new one.
    expect(listSegments(folder.path)).toEqual([2])
    expect(await writer.append(entry('later'))).toEqual({ partition, offset: 1 })
    await goOn(7)
    await writer.append(entry('after that'))
    expect(await texts(folder.path)).toEqual(['later', 'after that'])
    expect(listSegments(folder.path)).toEqual([2, 3])
    reader.close()
    await writer.close()
  })

  test('a log in use begins a new file when the current one is old', async () => {
    await using folder = await createFolder()
    let now = 1_000_000
    const options = { dir: folder.path, partitions: 1, inline: true, segmentMs: 1000, clock: () => now }
    const writer = await openLogWriter(options)
    await writer.append(entry('one'))
    now += 999
    await writer.append(entry('two'))
    expect(listSegments(folder.path)).toEqual([1])
    now += 1
    await writer.append(entry('three'))
    expect(listSegments(folder.path)).toEqual([1, 2])
    expect(await texts(folder.path)).toEqual(['one', 'two', 'three'])
    await writer.close()
  })

  test('after a rejection for lack of space the file stays in use', async () => {
    await using folder = await createFolder()
    const writer = await openLogWriter({ dir: folder.path, partitions: 1, inline: true })
    await writer.append(entry('before'))
    setFaultHandler(refuseSpace)
    await expect(writer.append(entry('lost'))).rejects.toBeInstanceOf(LogUnavailable)
    setFaultHandler(undefined)
    await writer.append(entry('after'))
    expect(listSegments(folder.path)).toEqual([1])
    expect(await texts(folder.path)).toEqual(['before', 'after'])
    await writer.close()
  })
})
