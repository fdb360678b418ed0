import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { partitionOf } from './entries.ts'
import {
  type LogEntry,
  LogOverloaded,
  type LogPosition,
  type LogReader,
  type LogRecord,
  type LogWriter,
} from './port.ts'

/** A log under test, on any engine. The suite creates a new one for each test. */
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

/** Reads every record of a log, partition by partition, with `maxBytes` per call. */
export const readAll = async (reader: LogReader, maxBytes = 64 * 1024): Promise<LogRecord[]> => {
  const records: LogRecord[] = []
  const starts = await reader.starts()
  for (let partition = 0; partition < reader.partitions; partition++) {
    let offset = starts[partition] ?? 0
    for (;;) {
      const page = await reader.read(partition, offset, maxBytes)
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
const placeOf = ({ partition, offset }: LogPosition): LogPosition => ({ partition, offset })
const never = new AbortController().signal
const noise = (bytes: number, seed: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, i) => (Math.imul(i + seed, 2654435761) >>> 13) & 0xff)

/** The guarantees of every log, on any engine. */
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

    test('an acknowledged entry is read back unchanged, with its key, meta, and time', async () => {
      const bodies = [new Uint8Array(0), noise(1, 1), noise(70_000, 2), noise(3_000_000, 3)]
      const before = Date.now()
      const positions = await Promise.all(bodies.map((body, i) => writer.append(entry('wörk', body, `{"n":"☃${i}"}`))))
      const records = await (await reader()).read(partitionOf('wörk', 4), 0, 10_000_000)
      expect(records.map(placeOf)).toEqual(positions)
      records.forEach((record, i) => {
        expect(Buffer.compare(record.body, bodies[i] ?? new Uint8Array(1))).toBe(0)
        expect(record).toMatchObject({ key: 'wörk', meta: `{"n":"☃${i}"}` })
        expect(record.time).toBeGreaterThanOrEqual(before)
        expect(record.time).toBeLessThanOrEqual(Date.now())
      })
    })

    test('all entries of a key go to its partition, in the order of the calls, at ascending offsets', async () => {
      const keys = ['a', 'b', 'c', 'd', 'e']
      const positions = await Promise.all(
        Array.from({ length: 500 }, (_, i) => writer.append(entry(keys[i % 5] ?? 'a', String(i)))),
      )
      positions.forEach(({ partition }, i) => expect(partition).toBe(partitionOf(keys[i % 5] ?? 'a', 4)))
      const records = await readAll(await reader(), 40)
      expect(records).toHaveLength(500)
      for (const partition of [0, 1, 2, 3]) {
        const own = records.filter((record) => record.partition === partition)
        const offsets = own.map(({ offset }) => offset)
        expect(offsets).toEqual([...new Set(offsets)].toSorted((a, b) => a - b))
        const numbers = own.map((record) => Number(textOf(record)))
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
        expect(own.map(placeOf)).toEqual(numbers.map((n) => positions[n]))
      }
    })

    test('an entry that names a partition is appended to it, alone and in a group of that partition', async () => {
      const partition = (partitionOf('k', 4) + 1) % 4
      expect((await writer.append({ ...entry('k', 'alone'), partition })).partition).toBe(partition)
      await writer.appendGroup([
        { ...entry('k', 'first'), partition },
        { ...entry('other', 'second'), partition },
      ])
      const records = await (await reader()).read(partition, 0, 1_000_000)
      expect(records.map((record) => [record.key, textOf(record)])).toEqual([
        ['k', 'alone'],
        ['k', 'first'],
        ['other', 'second'],
      ])
      await expect(writer.appendGroup([{ ...entry('k', 'apart'), partition }, entry('k', 'own')])).rejects.toThrow(
        RangeError,
      )
      await expect(writer.append({ ...entry('k', 'beyond'), partition: 4 })).rejects.toThrow(RangeError)
    })

    test('a reader sees later appends of another opening, and its end is after the newest record', async () => {
      const opened = await reader()
      await writer.append(entry('k', 'first'))
      const { partition, offset } = await writer.append(entry('k', 'second'))
      expect((await opened.read(partition, offset, 100)).map(textOf)).toEqual(['second'])
      expect((await opened.ends())[partition]).toBe(offset + 1)
    })

    test('a read returns at least one record, then as many as fit, and none at the end', async () => {
      const offsets: number[] = []
      for (let i = 0; i < 10; i++) offsets.push((await writer.append(entry('k', noise(1000, i)))).offset)
      const opened = await reader()
      const partition = partitionOf('k', 4)
      const from = async (index: number, maxBytes: number): Promise<number[]> =>
        (await opened.read(partition, offsets[index] ?? -1, maxBytes)).map(({ offset }) => offset)
      expect(await from(0, 1)).toEqual(offsets.slice(0, 1))
      expect(await from(2, 3500)).toEqual(offsets.slice(2, 5))
      expect(await from(7, 1_000_000)).toEqual(offsets.slice(7))
      expect(await opened.read(partition, (offsets[9] ?? 0) + 1, 1_000_000)).toEqual([])
    })

    test('find returns as many records as fit, in the requested order, and undefined for a position that has no record', async () => {
      const places: LogPosition[] = []
      for (let i = 0; i < 40; i++) places.push(await writer.append(entry(`k${i % 3}`, noise(1000, i))))
      const opened = await reader()
      const asked = [places[30], places[3], places[4], places[3], places[39]].filter((place) => place !== undefined)
      const found = await opened.find(asked)
      expect(found.map((record) => record && placeOf(record))).toEqual(asked)
      found.forEach((record, i) =>
        expect(record?.body).toEqual(
          noise(
            1000,
            places.findIndex((place) => place === asked[i]),
          ),
        ),
      )
      expect((await opened.find(places, 3500)).map((record) => record && placeOf(record))).toEqual(places.slice(0, 3))
      expect(await opened.find(places, 1)).toHaveLength(1)
      expect(await opened.find([])).toEqual([])
      const ends = await opened.ends()
      expect(await opened.find(ends.map((offset, partition) => ({ partition, offset })))).toEqual(
        Array.from({ length: 4 }, () => undefined),
      )
    })

    test('a trimmed record is not found, but its neighbor is', async () => {
      const opened = await reader()
      const { partition, offset } = await writer.append(entry('k', 'first'))
      let last = offset
      for (let i = 0; i < 30; i++) last = (await writer.append(entry('k', noise(50_000, i)))).offset
      await writer.trim([{ partition, offset: last }])
      const start = (await opened.starts())[partition] ?? 0
      expect(start).toBeGreaterThan(offset)
      const [gone, held] = await opened.find([
        { partition, offset },
        { partition, offset: start },
      ])
      expect([gone, held?.offset]).toEqual([undefined, start])
    })

    test('a wait ends immediately if a named partition has new records, and otherwise at the next append', async () => {
      const opened = await reader()
      const [first, other] = [partitionOf('k', 4), (partitionOf('k', 4) + 1) % 4]
      const end = (await opened.ends())[first] ?? 0
      const ended: string[] = []
      const waits = [
        opened.wait([{ partition: first, offset: end }], never).then(() => ended.push('one')),
        opened
          .wait(
            [0, 1, 2, 3].map((partition) => ({ partition, offset: end })),
            never,
          )
          .then(() => ended.push('all')),
      ]
      const stopping = new AbortController()
      const idle = opened.wait([{ partition: other, offset: 0 }], stopping.signal).then(() => ended.push('idle'))
      await nextTurn()
      expect(ended).toEqual([])
      const { offset } = await writer.append(entry('k', 'news'))
      opened.notice()
      await Promise.all(waits)
      expect(ended.toSorted()).toEqual(['all', 'one'])
      await opened.wait([{ partition: first, offset }], never)
      stopping.abort()
      await idle
      await opened.wait([{ partition: first, offset: offset + 1 }], stopping.signal)
    })

    test('a wait also ends without a notice, and when the reader is closed', async () => {
      const opened = await log.openReader()
      const partition = partitionOf('k', 4)
      const waited = opened.wait([{ partition, offset: 0 }], never)
      const { offset } = await writer.append(entry('k', 'news'))
      await waited
      const last = opened.wait([{ partition, offset: offset + 1 }], never)
      opened.close()
      await last
    })

    test('a reader of addressed records gets all addressed records in order, and the offset up to which it skipped others', async () => {
      const of = (body: string, addressed: boolean): LogEntry => ({ ...entry('k', body), addressed })
      for (const body of ['-', '-', 'a', '-']) await writer.append(of(body, body !== '-'))
      await writer.appendGroup([of('-', false), of('b', true)])
      for (const body of ['c', '-', '-']) await writer.append(of(body, body !== '-'))
      const opened = await reader()
      const partition = partitionOf('k', 4)
      const all = await opened.read(partition, 0, 1_000_000)
      expect(all.map(textOf)).toEqual(['-', '-', 'a', '-', '-', 'b', 'c', '-', '-'])
      const byOffset = new Map(all.map((record) => [record.offset, record]))
      const end = (all.at(-1)?.offset ?? 0) + 1
      for (const maxBytes of [1, 1_000_000])
        for (const from of byOffset.keys()) {
          const read: LogRecord[] = []
          for (let at = from; at < end; at = (read.at(-1)?.offset ?? end) + 1)
            read.push(...(await opened.read(partition, at, maxBytes, 'addressed')))
          const passed = ({ meta, body }: LogRecord): boolean => meta === '' && body.byteLength === 0
          const wanted = all.filter((record) => record.offset >= from && /[abc]/.test(textOf(record)))
          const given = read.filter((record) => !passed(record))
          expect(given.filter((record) => textOf(record) !== '-')).toEqual(wanted)
          for (const record of given) expect(record).toEqual(byOffset.get(record.offset))
          expect(read.map(({ offset }) => offset)).toEqual(read.map(({ offset }) => offset).toSorted((a, b) => a - b))
          expect(read.at(-1)?.offset).toBe(end - 1)
        }
    })

    test('every opening begins an incarnation with its first append, and a continuing reader sees each', async () => {
      const opened = await reader()
      const partition = partitionOf('k', 4)
      const appended: [number, number][] = []
      const read: LogRecord[] = []
      for (let opening = 0; opening < 4; opening++) {
        await writer.close()
        writer = await log.openWriter({ partitions: 4 })
        // The third opening appends nothing.
        for (let n = 0; n < 3 && opening !== 2; n++)
          appended.push([opening, (await writer.append(entry('k', `${opening}`))).offset])
        const from = (read.at(-1)?.offset ?? -1) + 1
        if (opening !== 2) await opened.wait([{ partition, offset: from }], never)
        read.push(...(await opened.read(partition, from, 1_000_000)))
      }
      expect(read.map((record) => [Number(textOf(record)), record.offset])).toEqual(appended)
      const names = [...new Set(read.map(({ incarnation }) => incarnation))]
      expect(names).toEqual(names.toSorted())
      expect(read.map(({ incarnation }) => names.indexOf(incarnation))).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2])
      const firsts = [0, 3, 6].map((at) => read[at]?.offset)
      const ranges = await opened.incarnations(partition)
      expect(ranges.slice(-3).map(({ incarnation }) => incarnation)).toEqual(names)
      ranges.slice(-3).forEach(({ from }, at) => {
        expect(from).toBeLessThanOrEqual(firsts[at] ?? -1)
        if (at > 0) expect(from).toBeGreaterThan(read[at * 3 - 1]?.offset ?? -1)
      })
      expect((await opened.find(read.map(placeOf))).map((record) => record?.incarnation)).toEqual(
        read.map(({ incarnation }) => incarnation),
      )
    })

    test('onCommit is called after the records can be read', async () => {
      await writer.close()
      const partition = partitionOf('k', 4)
      const seen: Promise<LogRecord[]>[] = []
      let opened: LogReader | undefined
      writer = await log.openWriter({
        partitions: 4,
        onCommit: () => opened !== undefined && seen.push(opened.read(partition, 0, 100)),
      })
      opened = await reader()
      await writer.append(entry('k', 'x'))
      expect((await Promise.all(seen)).map((records) => records.map(textOf))).toEqual([['x']])
    })

    test('append rejects with LogOverloaded beyond maxQueuedBytes, and succeeds again after the queue has drained', async () => {
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
      expect(await readAll(await reader())).toHaveLength(20 - refused.length + 1)
    })

    test('a meta over 64 KiB is rejected and leaves no record', async () => {
      await expect(writer.append(entry('k', 'x', 'm'.repeat(65_537)))).rejects.toBeInstanceOf(RangeError)
      await writer.append(entry('k', 'y', 'm'.repeat(65_536)))
      expect((await readAll(await reader())).map(textOf)).toEqual(['y'])
    })

    test('offsets continue after the last one when the log is opened again', async () => {
      const places = await Promise.all(
        Array.from({ length: 50 }, (_, i) => writer.append(entry(`k${i % 7}`, String(i)))),
      )
      await writer.close()
      writer = await log.openWriter({ partitions: 4 })
      const after = await writer.append(entry('k0', 'after'))
      for (const { partition, offset } of places)
        if (partition === after.partition) expect(offset).toBeLessThan(after.offset)
      const opened = await reader()
      const records = await readAll(opened)
      expect(records).toHaveLength(51)
      expect(records.filter(({ key }) => key === 'k0').at(-1)?.body).toEqual(entry('', 'after').body)
      const stats = await writer.stats()
      expect(stats.partitions.map(({ next }) => next)).toEqual(await opened.ends())
      expect(stats.bytes).toBeGreaterThan(0)
    })

    test('close waits for earlier appends', async () => {
      const appended = Array.from({ length: 20 }, (_, i) => writer.append(entry('k', String(i))))
      await writer.close()
      await Promise.all(appended)
      expect(await readAll(await reader())).toHaveLength(20)
      await expect(writer.append(entry('k', 'late'))).rejects.toThrow()
    })

    test('trim removes only segments that are completely below the offset, while a reader continues', async () => {
      const opened = await reader()
      const offsets: number[] = []
      for (let i = 0; i < 30; i++) offsets.push((await writer.append(entry('k', noise(50_000, i)))).offset)
      const partition = partitionOf('k', 4)
      const before = (await writer.stats()).bytes
      await writer.trim([{ partition, offset: offsets[20] ?? 0 }])
      const first = (await opened.starts())[partition] ?? -1
      expect(first).toBeGreaterThan(offsets[0] ?? 0)
      expect(first).toBeLessThanOrEqual(offsets[20] ?? 0)
      expect((await writer.stats()).bytes).toBeLessThan(before)
      const next = (offsets[29] ?? 0) + 1
      expect((await writer.stats()).partitions[partition]).toEqual({ partition, first, next })
      expect((await opened.read(partition, 0, 1))[0]?.offset).toBe(first)
      const rest = await opened.read(partition, first, 10_000_000)
      expect(rest.map(({ offset }) => offset)).toEqual(offsets.filter((offset) => offset >= first))
      for (const record of rest)
        expect(Buffer.compare(record.body, noise(50_000, offsets.indexOf(record.offset)))).toBe(0)
      await writer.trim([{ partition, offset: next }])
      const { offset } = await writer.append(entry('k', 'still'))
      expect((await opened.read(partition, next, 100)).map(textOf)).toEqual(['still'])
      await opened.wait([{ partition, offset }], never)
    })

    test('a reader that continues through many segments skips and repeats nothing', async () => {
      const opened = await reader()
      const read: number[] = []
      const appended: number[] = []
      const partition = partitionOf('k', 4)
      const done = new AbortController()
      const writing = (async () => {
        for (let i = 0; i < 60; i++)
          for (const { offset } of await Promise.all(
            [0, 1, 2].map((n) => writer.append(entry('k', noise(10_000, i * 3 + n)))),
          ))
            appended.push(offset)
        done.abort()
      })()
      for (let next = 0; ; ) {
        const last = done.signal.aborted
        const page = await opened.read(partition, next, 100_000)
        for (const record of page) {
          expect(Buffer.compare(record.body, noise(10_000, read.length))).toBe(0)
          read.push(record.offset)
          next = record.offset + 1
        }
        if (page.length > 0) continue
        if (last) break
        await opened.wait([{ partition, offset: next }], done.signal)
      }
      await writing
      expect(read).toEqual(appended)
    })
  })
}
