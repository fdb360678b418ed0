import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LogUnderTest, readAll } from './conformance.ts'
import { partitionOf } from './entries.ts'
import { type LogEntry, type LogReader, type LogWriter, StaleProducer } from './port.ts'

const entry = (key: string, body: string): LogEntry => ({ key, meta: '{}', body: new TextEncoder().encode(body) })
const partition = partitionOf('k', 4)

/** The guarantees of every log for producers that append groups, on any engine. */
export const producerConformance = (name: string, make: () => Promise<LogUnderTest>): void => {
  describe(`producers of a log: ${name}`, () => {
    let log: LogUnderTest
    let writer: LogWriter
    const reopen = async (): Promise<void> => {
      await writer.close()
      writer = await log.openWriter({ partitions: 4, segmentBytes: 20_000 })
    }
    const texts = async (): Promise<string[]> => {
      const reader: LogReader = await log.openReader()
      try {
        return (await readAll(reader)).map(({ body }) => new TextDecoder().decode(body))
      } finally {
        reader.close()
      }
    }
    beforeEach(async () => {
      log = await make()
      writer = await log.openWriter({ partitions: 4, segmentBytes: 20_000 })
    })
    afterEach(async () => {
      await writer.close()
      await log.remove()
    })

    test('the entries of a group are adjacent and in order, whatever else is appended meanwhile', async () => {
      const groups = Array.from({ length: 40 }, (_, n) => [0, 1, 2].map((i) => entry('k', `${n}.${i}`)))
      const places = await Promise.all(
        groups.flatMap((group, n) => [writer.appendGroup(group), writer.append(entry('k', `between ${n}`))]),
      )
      const first = places[0]?.offset ?? Number.NaN
      expect(places.map((place) => (place?.offset ?? Number.NaN) - first)).toEqual(
        Array.from({ length: 40 }, (_, n) => [n * 4, n * 4 + 3]).flat(),
      )
      expect(await texts()).toEqual(groups.flatMap((_, n) => [`${n}.0`, `${n}.1`, `${n}.2`, `between ${n}`]))
    })

    test('a group of several partitions, without entries or with a note over 1 KiB is rejected and leaves no record', async () => {
      const other = ['a', 'b', 'c', 'd', 'e'].find((key) => partitionOf(key, 4) !== partition) ?? ''
      const epoch = await writer.beginEpoch('p')
      const long = { producer: 'p', epoch, sequence: 1, note: 'n'.repeat(1025) }
      await expect(writer.appendGroup([entry('k', '1'), entry(other, '2')])).rejects.toBeInstanceOf(RangeError)
      await expect(writer.appendGroup([])).rejects.toBeInstanceOf(RangeError)
      await expect(writer.appendGroup([entry('k', '1')], long)).rejects.toBeInstanceOf(RangeError)
      expect(await texts()).toEqual([])
      expect(await writer.lastSequences('p')).toEqual([])
    })

    test('a sequence is stored once: a repeated or earlier one is not written', async () => {
      const epoch = await writer.beginEpoch('p')
      const append = (sequence: number) =>
        writer.appendGroup([entry('k', `${sequence}`)], { producer: 'p', epoch, sequence, note: `at ${sequence}` })
      const first = await append(10)
      const [again, second, ...later] = await Promise.all([append(10), append(20), append(20), append(15)])
      expect([again, ...later]).toEqual([undefined, undefined, undefined])
      expect(second).toEqual({ partition, offset: (first?.offset ?? Number.NaN) + 1 })
      await reopen()
      expect(await append(20)).toBeUndefined()
      expect((await append(21))?.offset).toBeGreaterThan(second?.offset ?? Number.NaN)
      expect(await texts()).toEqual(['10', '20', '21'])
      expect(await writer.lastSequences('p')).toEqual([{ partition, epoch, sequence: 21, note: 'at 21' }])
    })

    test('once its successor has begun, a paused predecessor can append to no partition, even after a restart', async () => {
      const old = await writer.beginEpoch('p')
      await writer.appendGroup([entry('k', 'old')], { producer: 'p', epoch: old, sequence: 1 })
      const epoch = await writer.beginEpoch('p')
      expect(epoch).toBeGreaterThan(old)
      const late = (key: string) =>
        expect(
          writer.appendGroup([entry(key, 'late')], { producer: 'p', epoch: old, sequence: 9 }),
        ).rejects.toBeInstanceOf(StaleProducer)
      await Promise.all(['k', 'a', 'b', 'c'].map(late))
      await writer.appendGroup([entry('k', 'new')], { producer: 'p', epoch, sequence: 2 })
      await reopen()
      await late('k')
      expect(await texts()).toEqual(['old', 'new'])
      expect(await writer.lastSequences('p')).toEqual([{ partition, epoch, sequence: 2, note: '' }])
    })

    test('if two epochs race, each sequence is written once, by the later epoch from its beginning on', async () => {
      const first = await writer.beginEpoch('p')
      const run = async (epoch: number, name: string): Promise<void> => {
        for (let sequence = 1; sequence <= 30; sequence++) {
          const last = (await writer.lastSequences('p'))[0]?.sequence ?? 0
          if (sequence > last)
            await writer.appendGroup([entry('k', `${name} ${sequence}`)], { producer: 'p', epoch, sequence })
        }
      }
      const old = run(first, 'old')
      await writer.appendGroup([entry('k', 'other')])
      const [was] = await Promise.allSettled([old, writer.beginEpoch('p').then((epoch) => run(epoch, 'new'))])
      expect(was.status === 'rejected' ? was.reason : undefined).toBeInstanceOf(StaleProducer)
      const written = (await texts()).filter((text) => text !== 'other')
      expect(written.map((text) => Number(text.split(' ')[1]))).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
      expect(written.join().lastIndexOf('old')).toBeLessThan(written.join().indexOf('new'))
    })

    test('sequences are kept across segments and after trimming', async () => {
      const epoch = await writer.beginEpoch('p')
      await writer.appendGroup([entry('k', 'first')], { producer: 'p', epoch, sequence: 7, note: 'seven' })
      let end = 0
      for (let n = 0; n < 20; n++) end = (await writer.append(entry('k', 'x'.repeat(5000)))).offset + 1
      await writer.trim([{ partition, offset: end }])
      const [{ first } = { first: 0 }] = (await writer.stats()).partitions.filter(
        (each) => each.partition === partition,
      )
      expect(first).toBeGreaterThan(0)
      await reopen()
      expect(await writer.lastSequences('p')).toEqual([{ partition, epoch, sequence: 7, note: 'seven' }])
      expect(await writer.appendGroup([entry('k', 'first')], { producer: 'p', epoch, sequence: 7 })).toBeUndefined()
    })
  })
}
