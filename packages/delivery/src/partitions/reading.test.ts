import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextRound } from 'node:timers/promises'
import { noMetrics, pieceMs, silentLogger } from '@tributary/kernel'
import { openLogReader, openLogWriter } from '@tributary/storage'
import { expect, it, onTestFinished } from 'vitest'
import { createLogReading, createPlaces, type Place } from './reading.ts'

const events = 4

/** Uses the thread as long as the mapping of a large record. */
const work = (): void => {
  const until = process.threadCpuUsage().user + 2 * 1000 * pieceMs
  while (process.threadCpuUsage().user < until);
}

/** Reads a log of one partition with a few records, which each keep the thread for a whole piece. */
const startReading = async (offered: (offset: number, place: Place) => void) => {
  const dir = mkdtempSync(join(tmpdir(), 'tributary-reading-'))
  const writer = await openLogWriter({ dir, partitions: 1, inline: true })
  for (let left = events; left > 0; left--)
    await writer.append({
      key: 'w',
      meta: JSON.stringify({ w: 'w', s: 's', d: ['d'], n: 1 }),
      body: Buffer.from('[{}]\n'),
    })
  const reader = openLogReader({ dir })
  const places = createPlaces(1)
  const [place] = places as [Place]
  Object.assign(place, { owned: true, given: 1, end: events })
  const reading = createLogReading({
    reader,
    journal: { saw: () => {} },
    places,
    offer: (_, record) => {
      work()
      offered(record.reference.offset, place)
    },
    settings: { openRecords: 1000 },
    logger: silentLogger,
    metrics: noMetrics,
  })
  const running = reading.run()
  onTestFinished(async () => {
    reading.stop()
    await running
    reader.close()
    await writer.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return { place }
}

it('other work of the thread runs between the records of a piece that take long', async () => {
  const offsets: number[] = []
  /** The number of records that were offered at each round of the event loop. */
  const rounds = new Set<number>()
  await startReading((offset) => offsets.push(offset))
  while (offsets.length < events) {
    await nextRound()
    rounds.add(offsets.length)
  }
  expect(offsets).toEqual([0, 1, 2, 3])
  expect([...rounds].filter((count) => count > 0)).toEqual([1, 2, 3, 4])
})

it('if the partition is taken away between two records, the later records are not offered', async () => {
  const offsets: number[] = []
  const { place } = await startReading((offset, of) => {
    offsets.push(offset)
    if (offset !== 1) return
    of.owned = false
    setImmediate(() => {
      // Another owner has gone on, and the partition comes back.
      Object.assign(of, { owned: true, given: 2, next: 3 })
    })
  })
  while (place.next < events) await nextRound()
  expect(offsets).toEqual([0, 1, 3])
  expect(place.tracker.size()).toBe(0)
})
