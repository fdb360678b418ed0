import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LogEntry, LogOverloaded, type LogReader, type LogRecord, type LogWriter, partitionOf } from './port.ts'

/** One log, wherever it lives. The suite makes a new one for each test. */
export type LogUnderTest = {
  openWriter(options: {
    partitions: number
    maxQueuedBytes?: number
    segmentBytes?: number
    onCommit?(): void
  }): Promise<LogWriter>
  openReader(): Promise<LogReader>
  remove(): Promise<void>
}

/** Every record of a log, partition by partition, read with `maxBytes` a call. */
export const readAll = (reader: LogReader, maxBytes = 64 * 1024): LogRecord[] => {
  const records: LogRecord[] = []
  for (let partition = 0; partition < reader.partitions; partition++) {
    let offset = reader.starts()[partition] ?? 0
    for (;;) {
      const page = reader.read(partition, offset, maxBytes)
      records.push(...page)
      const last = page.at(-1)
      if (last === undefined) break
      offset = last.offset + 1
    }
  }
  return records
}

const entry = (key: string, body: string | Uint8Array, meta = '{}'): LogEntry => ({
  key,
  meta,
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
})
const textOf = (record: LogRecord): string => new TextDecoder().decode(record.body)
const noise = (bytes: number, seed: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, i) => (Math.imul(i + seed, 2654435761) >>> 13) & 0xff)

/** What every log promises, whatever the engine. */
export const logConformance = (name: string, make: () => Promise<LogUnderTest>): void => {
  describe(`log: ${name}`, () => {
    let log: LogUnderTest
    let writer: LogWriter
    let readers: LogReader[]
    const reader = async (): Promise<LogReader> => {
      const opened = await log.openReader()
      readers.push(opened)
      return opened
    }
    beforeEach(async () => {
      log = await make()
      readers = []
      writer = await log.openWriter({ partitions: 4, segmentBytes: 200_000 })
    })
    afterEach(async () => {
      for (const opened of readers) opened.close()
      await writer.close()
      await log.remove()
    })

    test('an acknowledged entry is read back to the byte with its key, meta and time', async () => {
      const bodies = [new Uint8Array(0), noise(1, 1), noise(70_000, 2), noise(3_000_000, 3)]
      const before = Date.now()
      const positions = await Promise.all(bodies.map((body, i) => writer.append(entry('wörk', body, `{"n":"☃${i}"}`))))
      const records = (await reader()).read(partitionOf('wörk', 4), 0, 10_000_000)
      expect(records.map(({ partition, offset }) => ({ partition, offset }))).toEqual(positions)
      records.forEach((record, i) => {
        expect(Buffer.compare(record.body, bodies[i] ?? new Uint8Array(1))).toBe(0)
        expect(record).toMatchObject({ key: 'wörk', meta: `{"n":"☃${i}"}` })
        expect(record.time).toBeGreaterThanOrEqual(before)
        expect(record.time).toBeLessThanOrEqual(Date.now())
      })
    })

    test('everything of a key lands in its partition, in the order of the calls, at dense offsets from 0', async () => {
      const keys = ['a', 'b', 'c', 'd', 'e']
      const positions = await Promise.all(
        Array.from({ length: 500 }, (_, i) => writer.append(entry(keys[i % 5] ?? 'a', String(i)))),
      )
      positions.forEach(({ partition }, i) => expect(partition).toBe(partitionOf(keys[i % 5] ?? 'a', 4)))
      const records = readAll(await reader(), 40)
      expect(records).toHaveLength(500)
      for (const partition of [0, 1, 2, 3]) {
        const own = records.filter((record) => record.partition === partition)
        expect(own.map(({ offset }) => offset)).toEqual(own.map((_, i) => i))
        const numbers = own.map((record) => Number(textOf(record)))
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
      }
    })

    test('a reader sees what another one appends later, and changed() grows with it', async () => {
      const opened = await reader()
      const before = opened.changed()
      expect(opened.changed()).toBe(before)
      const { partition, offset } = await writer.append(entry('k', 'first'))
      expect(opened.changed()).toBeGreaterThan(before)
      expect(opened.read(partition, offset, 100).map(textOf)).toEqual(['first'])
      expect(opened.ends()[partition]).toBe(offset + 1)
    })

    test('read gives at least one record, then no more than fits, and nothing at the end', async () => {
      for (let i = 0; i < 10; i++) await writer.append(entry('k', noise(1000, i)))
      const opened = await reader()
      const partition = partitionOf('k', 4)
      expect(opened.read(partition, 0, 1)).toHaveLength(1)
      expect(opened.read(partition, 2, 3500).map(({ offset }) => offset)).toEqual([2, 3, 4])
      expect(opened.read(partition, 7, 1_000_000)).toHaveLength(3)
      expect(opened.read(partition, 10, 1_000_000)).toEqual([])
    })

    test('onCommit comes after the records can be read', async () => {
      await writer.close()
      const seen: number[] = []
      let opened: LogReader | undefined
      writer = await log.openWriter({ partitions: 4, onCommit: () => seen.push(opened?.changed() ?? -1) })
      opened = await reader()
      await writer.append(entry('k', 'x'))
      expect(seen).toEqual([1])
    })

    test('append rejects with LogOverloaded beyond maxQueuedBytes, and takes more when the queue has drained', async () => {
      await writer.close()
      writer = await log.openWriter({ partitions: 4, maxQueuedBytes: 10_000 })
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => writer.append(entry('k', noise(1000, i)))),
      )
      const refused = results.filter((result) => result.status === 'rejected')
      expect(refused.length).toBeGreaterThanOrEqual(10)
      for (const { reason } of refused) expect(reason).toBeInstanceOf(LogOverloaded)
      expect(writer.queuedBytes()).toBe(0)
      await writer.append(entry('k', noise(1000, 99)))
      expect(readAll(await reader())).toHaveLength(20 - refused.length + 1)
    })

    test('a meta over 64 KiB is refused and leaves no record', async () => {
      await expect(writer.append(entry('k', 'x', 'm'.repeat(65_537)))).rejects.toBeInstanceOf(RangeError)
      await writer.append(entry('k', 'y', 'm'.repeat(65_536)))
      expect(readAll(await reader()).map(textOf)).toEqual(['y'])
    })

    test('offsets go on where they were after closing and opening again', async () => {
      await Promise.all(Array.from({ length: 50 }, (_, i) => writer.append(entry(`k${i % 7}`, String(i)))))
      await writer.close()
      writer = await log.openWriter({ partitions: 4 })
      await writer.append(entry('k0', 'after'))
      const records = readAll(await reader())
      expect(records).toHaveLength(51)
      expect(records.filter(({ key }) => key === 'k0').at(-1)?.body).toEqual(entry('', 'after').body)
      const stats = await writer.stats()
      expect(stats.partitions.reduce((sum, { next }) => sum + next, 0)).toBe(51)
      expect(stats.bytes).toBeGreaterThan(0)
    })

    test('close waits for what was appended', async () => {
      const appended = Array.from({ length: 20 }, (_, i) => writer.append(entry('k', String(i))))
      await writer.close()
      await Promise.all(appended)
      expect(readAll(await reader())).toHaveLength(20)
      await expect(writer.append(entry('k', 'late'))).rejects.toThrow()
    })

    test('trim drops only what lies wholly below, while a reader reads on', async () => {
      const opened = await reader()
      for (let i = 0; i < 30; i++) await writer.append(entry('k', noise(50_000, i)))
      const partition = partitionOf('k', 4)
      const before = (await writer.stats()).bytes
      await writer.trim([{ partition, offset: 20 }])
      const first = opened.starts()[partition] ?? -1
      expect(first).toBeGreaterThan(0)
      expect(first).toBeLessThanOrEqual(20)
      expect((await writer.stats()).bytes).toBeLessThan(before)
      expect((await writer.stats()).partitions[partition]).toEqual({ partition, first, next: 30 })
      expect(opened.read(partition, 0, 1)[0]?.offset).toBe(first)
      const rest = opened.read(partition, first, 10_000_000)
      expect(rest.map(({ offset }) => offset)).toEqual(Array.from({ length: 30 - first }, (_, i) => first + i))
      for (const record of rest) expect(Buffer.compare(record.body, noise(50_000, record.offset))).toBe(0)
      await writer.trim([{ partition, offset: 30 }])
      await writer.append(entry('k', 'still'))
      expect(opened.read(partition, 30, 100).map(textOf)).toEqual(['still'])
    })

    test('a reader that follows through many segments misses and repeats nothing', async () => {
      const opened = await reader()
      const offsets: number[] = []
      const partition = partitionOf('k', 4)
      let done = false
      const writing = (async () => {
        for (let i = 0; i < 60; i++)
          await Promise.all([0, 1, 2].map((n) => writer.append(entry('k', noise(10_000, i * 3 + n)))))
        done = true
      })()
      for (;;) {
        const last = done
        const page = opened.read(partition, offsets.length, 100_000)
        for (const record of page) {
          offsets.push(record.offset)
          expect(Buffer.compare(record.body, noise(10_000, record.offset))).toBe(0)
        }
        if (last && page.length === 0) break
        await new Promise((resolve) => setImmediate(resolve))
      }
      await writing
      expect(offsets).toEqual(Array.from({ length: 180 }, (_, i) => i))
    })
  })
}
