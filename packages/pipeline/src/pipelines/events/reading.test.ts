import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { openJournal, partitionOf } from '@tributary/storage'
import { createTestEventStoreOnUse, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDeliverBranch } from '../../branches/deliver.ts'
import { createFloods } from '../../overtaking/floods.ts'
import { createOvertakings, createReadings, formatOvertaking, type Overtakings } from '../../overtaking/overtakings.ts'
import { createProcessor } from '../../process.ts'
import { defaultPipelineSettings } from '../../settings.ts'
import { type Files, openFiles } from '../test-world.ts'
import { createNews } from './news.ts'
import { createRestOf, type RestOf, readLoop } from './read-loop.ts'
import { startUp } from './start-up.ts'

const partition = partitionOf('w', 8)
let dir: string
let files: Files
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-reading-'))
  files = await openFiles(dir)
})
afterEach(async () => {
  await files.close()
  await rm(dir, { recursive: true, force: true })
})

const send = (count: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      files.requests.append({
        key: 'w',
        meta: JSON.stringify({ w: 'w', s: 's', k: 'single', r: 1, ip: '' }),
        body: Buffer.from('{"type":"track","event":"Bought","userId":"u"}'),
      }),
    ),
  )

const overtakingsOf = (journal: Files['journal']) =>
  createOvertakings({
    journal,
    partitions: 8,
    retryWrite: async (_, task) => await task(),
    logger: silentLogger,
    metrics: noMetrics,
    onBegin() {},
  })

describe('the start of reading', () => {
  const begin = async (journal = files.journal) => {
    const reported: string[] = []
    const overtakings = overtakingsOf(journal)
    const processor = createProcessor({
      isPassedOver: overtakings.isPassedOver,
      journal,
      destinationsFor: () => [],
      schemaFor: () => undefined,
      isWatched: () => false,
      deliveryRecordBytes: 512 * 1024,
    })
    const deliver = createDeliverBranch({
      ...files,
      logger: silentLogger,
      metrics: noMetrics,
      settings: defaultPipelineSettings,
      signal: new AbortController().signal,
      onDrain() {},
    })
    const from = await startUp({
      ...files,
      journal,
      processor,
      deliver,
      store: {
        begin: () => reported.push('store begins'),
        committed: () => journal.positions(),
        async repeat(token, ranges, batches, appended) {
          await appended
          reported.push(`repeat ${token}, ${batches.reduce((sum, { rows }) => sum + rows.ends.length, 0)} rows`)
          journal.commit(new Map(ranges.map((range) => [range.partition, range.to])))
        },
      },
      progress: { begin: (starts) => reported.push(`${starts.length} partitions`) },
      storedStatuses: async () => new Map(),
      overtakings,
      clock: Date.now,
      eventStore: createTestEventStoreOnUse(),
      asking: (question) => question(),
      logger: silentLogger,
      readBytes: 1024 * 1024,
      onAlreadyAppended: () => reported.push('appended deliveries are known'),
    })
    return { ...from, reported }
  }

  it('with a new journal, everything in the log may already be stored', async () => {
    await send(3)
    const { next, unknownBefore, reported } = await begin()
    expect([next.size, next.get(partition), unknownBefore[partition]]).toEqual([8, 0, 3])
    expect(reported).toEqual(['store begins', 'appended deliveries are known', '8 partitions'])
  })

  it('open ranges of two readings are appended in read order: before the double reading, then ahead, then behind', async () => {
    const names = ['first', 'slow', 'fast', 'slow', 'fast']
    for (const key of names)
      await files.requests.append({
        key,
        partition,
        meta: JSON.stringify({ w: key, s: key, k: 'single', r: 1, ip: '' }),
        body: Buffer.from(`{"type":"track","event":"Bought","userId":"u","messageId":"${key}"}`),
      })
    const overtaking = { from: 1, workspaces: new Map([['slow', 1]]), until: undefined }
    files.journal.commit(new Map([[partition + 8, 1]]), new Map([[partition, formatOvertaking(overtaking)]]))
    const token = 't-1'
    const ranges = [
      { partition, from: 0, to: 2, token },
      { partition: partition + 8, from: 1, to: 3, token },
    ]
    files.journal.begin(ranges, [], 0)
    const journal = openJournal({ file: join(dir, 'journal.sqlite') })
    const { next, reported } = await begin(journal)
    journal.close()
    expect([next.get(partition), next.get(partition + 8)]).toEqual([2, 3])
    expect(reported).toContain('repeat t-1, 3 rows')
    const appended = await files.deliveriesReader.read(partition, 0, 1024 * 1024)
    expect(appended.map(({ key }) => key)).toEqual(['first', 'fast', 'slow'])
  })

  it('open ranges are repeated before the start offset, which follows them, is determined', async () => {
    await send(3)
    files.journal.saw(await files.reader.read(partition, 0, 1024 * 1024))
    files.journal.begin([{ partition, from: 0, to: 2, token: 't-1' }], [], 0)
    const journal = openJournal({ file: join(dir, 'journal.sqlite') })
    const { next, unknownBefore, reported } = await begin(journal)
    journal.close()
    expect([next.get(partition), unknownBefore[partition]]).toEqual([2, 0])
    expect(reported).toEqual(['store begins', 'appended deliveries are known', 'repeat t-1, 2 rows', '8 partitions'])
  })
})

const readingsOf = (overtakings: Overtakings, next: Map<number, number>, unknownBefore: readonly number[]) =>
  createReadings({
    journal: files.journal,
    overtakings,
    floods: createFloods({ afterMs: 1000, minBytes: 1 }),
    next,
    unknownBefore,
    mayOvertake: () => false,
    committed: () => new Map(),
    turnBytes: 1024 * 1024,
  })

describe('reading', () => {
  /** Reads until `count` records are processed. */
  const read = async (count: number, unknownBefore: readonly number[], from = 0, restOf: RestOf = () => 1) => {
    const next = new Map(Array.from({ length: 8 }, (_, n) => [n, n === partition ? from : 0] as const))
    const taken: string[] = []
    const take = (how: string, offsets: readonly number[]): void => {
      for (const offset of offsets) {
        taken.push(`${how} ${offset}`)
        next.set(partition, offset + 1)
      }
    }
    const news = createNews({ reader: files.reader })
    await readLoop({
      ...files,
      next,
      unknownBefore,
      news,
      batcher: {
        consume: async (records) =>
          take(
            'new',
            records.map(({ offset }) => offset),
          ),
        consumeAgain: (records, stored) =>
          take(
            'again',
            records.map(({ offset }) => offset).filter((offset) => !stored.has(offset)),
          ),
      },
      alreadyStored: async () => new Set([1]),
      turnBytes: 1024 * 1024,
      restOf,
      readings: readingsOf(overtakingsOf(files.journal), next, unknownBefore),
      isFull: () => false,
      isRunning: () => taken.length < count,
      onRound() {
        if (taken.length >= count) news.close()
      },
    })
    return taken
  }

  it('reading processes new records, and compares records that may be stored with the stored events', async () => {
    await send(3)
    expect(await read(2, Array(8).fill(3))).toEqual(['again 0', 'again 2'])
    expect(await read(3, Array(8).fill(0))).toEqual(['new 0', 'new 1', 'new 2'])
    expect(await read(1, Array(8).fill(2), 2)).toEqual(['new 2'])
  })

  it('the rest after a round depends on its records, and on the time since the round before it', async () => {
    await send(3)
    const rounds: { records: number; elapsedMs: number }[] = []
    const reading = read(5, [], 0, (records, elapsedMs) => {
      rounds.push({ records, elapsedMs })
      return 30
    })
    await eventually('the first round ends', () => rounds.length === 1)
    await send(2)
    files.reader.notice()
    await reading
    const [first, ...later] = rounds
    expect(first).toEqual({ records: 3, elapsedMs: Number.POSITIVE_INFINITY })
    expect(later.reduce((sum, { records }) => sum + records, 0)).toBe(2)
    // Timers may end a millisecond early.
    for (const { elapsedMs } of later) expect(elapsedMs).toBeGreaterThanOrEqual(29)
  })

  it.each([
    { records: 16, elapsedMs: 4, restMs: 20 },
    { records: 15, elapsedMs: 4, restMs: 4 },
    { records: 30, elapsedMs: 20, restMs: 20 },
    { records: 29, elapsedMs: 20, restMs: 4 },
    { records: 1000, elapsedMs: Number.POSITIVE_INFINITY, restMs: 4 },
  ])('after $records records in $elapsedMs ms, the rest is $restMs ms', ({ records, elapsedMs, restMs }) => {
    expect(createRestOf(defaultPipelineSettings)(records, elapsedMs)).toBe(restMs)
  })

  it('the reading behind never passes the reading ahead, even if their meeting offset is already set', async () => {
    await send(6)
    const overtaking = { from: 0, workspaces: new Map([['w', 0]]), until: 6 }
    files.journal.commit(new Map(), new Map([[partition, formatOvertaking(overtaking)]]))
    const overtakings = overtakingsOf(files.journal)
    overtakings.load()
    const next = new Map([
      [partition, 0],
      [partition + 8, 2],
    ])
    const taken: string[] = []
    const news = createNews({ reader: files.reader })
    await readLoop({
      ...files,
      next,
      unknownBefore: [],
      news,
      batcher: {
        async consume(records, lane = -1) {
          for (const { offset } of records) {
            taken.push(`${lane === partition ? 'behind' : 'ahead'} ${offset}`)
            next.set(lane, offset + 1)
          }
        },
        consumeAgain() {},
      },
      alreadyStored: async () => new Set(),
      turnBytes: 1024 * 1024,
      restOf: () => 1,
      readings: readingsOf(overtakings, next, []),
      isFull: () => false,
      isRunning: () => taken.length < 10,
      onRound() {
        if (taken.length >= 10) news.close()
      },
    })
    const ahead = [2, 3, 4, 5].map((offset) => `ahead ${offset}`)
    expect(taken.slice(0, 6)).toEqual(['behind 0', 'behind 1', ...ahead])
    expect(taken.slice(6)).toEqual([2, 3, 4, 5].map((offset) => `behind ${offset}`))
  })

  it('reading waits for records that are not appended yet', async () => {
    const reading = read(1, [])
    await send(1)
    files.reader.notice()
    expect(await reading).toEqual(['new 0'])
  })
})

describe('the wait for new records', () => {
  const next = new Map([[partition, 0]])
  const newsOf = () => createNews({ reader: files.reader })

  it('the end of back-pressure during a round ends the next wait, but no later wait', async () => {
    const aborted: boolean[] = []
    const news = createNews({
      reader: {
        wait(places, signal) {
          aborted.push(signal?.aborted === true)
          news.drained()
          return files.reader.wait(places, signal)
        },
      },
    })
    const backPressured = new Set([partition])
    news.beginRound()
    news.drained()
    await news.wait(next, backPressured, 1)
    news.beginRound()
    await news.wait(next, backPressured, 1)
    expect(aborted).toEqual([true, false])
  })

  it('waits for new records end immediately after close', async () => {
    const news = newsOf()
    const waiting = news.wait(next, new Set(), 1)
    news.close()
    await waiting
    await news.wait(next, new Set(), 1)
  })
})
