import { noMetrics, silentLogger } from '@tributary/kernel'
import { type EventStore, EventStoreUnavailable, InsertRejected, type Rows } from '@tributary/storage'
import { createTestEventStore, type TestEventStore } from '@tributary/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRetryWrite, Stopped } from '../../retrying.ts'
import { batchAgain } from '../store.ts'
import type { Batch } from './insert.ts'
import { createInserter } from './insert.ts'
import { microBatch } from './test-batches.ts'

let store: TestEventStore
beforeAll(async () => {
  store = await createTestEventStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  await store.command('truncate table events')
  await store.command('truncate table dropped_events')
})

const batch = (token: string, messageIds: readonly string[]): Batch =>
  batchAgain(
    token,
    [{ partition: 0, from: 0, to: 1, token }],
    [microBatch(0, 0, messageIds, Date.now())],
    Promise.resolve(),
  )

const inserter = (insert: EventStore['insert'] = store.insert, signal = new AbortController().signal) => {
  const inserted: number[] = []
  const settings = { retryBaseMs: 1, retryCapMs: 2, patience: 64 }
  const deps = { clock: Date.now, logger: silentLogger, metrics: noMetrics, settings, signal }
  const run = createInserter({
    ...deps,
    eventStore: { insert },
    retryWrite: createRetryWrite(deps),
    onInserted: (rows) => inserted.push(rows),
  })
  return { run, inserted }
}

const stored = () =>
  store.query<{ id: string; status: string }>('select message_id as id, status from events order by message_id')
const discarded = async () =>
  (await store.query<{ n: number }>('select sum(events) as n from dropped_events'))[0]?.n ?? 0

describe('inserting a batch', () => {
  it('inserting a batch stores the rows and discarded counts under its token, and frees the memory of the rows', async () => {
    const { run, inserted } = inserter()
    const once = batch('t-1', ['a', 'b', 'b'])
    const [rows] = once.rows as readonly [Rows]
    const copy = { ...once, rows: [{ ...rows, bytes: Buffer.from(rows.bytes) }] }
    await run(once)
    expect(await stored()).toMatchObject([{ id: 'a' }, { id: 'b' }])
    expect(inserted).toEqual([2])
    // The second insert has the same token, so the engine drops it.
    await run(copy)
    expect([(await stored()).length, await discarded()]).toEqual([2, 1])
    expect(rows.bytes.length).toBe(0)
  })

  it('inserting a batch retries with the same token while the store is down', async () => {
    const tokens: (string | undefined)[] = []
    const { run } = inserter((table, rows, options) => {
      tokens.push(options?.token)
      return tokens.length % 3 === 0
        ? store.insert(table, rows, options)
        : Promise.reject(new EventStoreUnavailable('away'))
    })
    await run(batch('t-2', ['a', 'a']))
    expect([(await stored()).length, await discarded()]).toEqual([1, 1])
    expect(tokens).toEqual(Array(6).fill('t-2'))
  })

  it('a refused row becomes a rejected event; the other rows are stored unchanged', async () => {
    const { run, inserted } = inserter((table, rows, options) => {
      const text = typeof rows === 'object' && 'pieces' in rows ? Buffer.concat(rows.pieces).toString() : ''
      // The full replacement of the refused row is refused, too.
      return text.includes('Poison') && text.includes('accepted')
        ? Promise.reject(new InsertRejected(117, 'Cannot parse this'))
        : store.insert(table, rows, options)
    })
    await run(batch('t-3', ['a', 'Poison', 'b', 'c']))
    expect((await stored()).map(({ id, status }) => `${id} ${status}`)).toEqual([
      'Poison rejected',
      'a accepted',
      'b accepted',
      'c accepted',
    ])
    expect(inserted).toEqual([4])
  })

  it('discarded counts are inserted after the rows, and not at all if there are none', async () => {
    const tables: string[] = []
    const { run, inserted } = inserter(async (table) => {
      tables.push(table)
    })
    await run(batch('t-4', ['a', 'a']))
    expect(tables).toEqual(['events', 'dropped_events'])
    await run(batchAgain('t-5', [], [], Promise.resolve()))
    expect([tables.length, inserted]).toEqual([2, [1]])
  })

  it('inserting a batch rejects if it is stopped while the store is down', async () => {
    const stop = new AbortController()
    const { run } = inserter(() => {
      stop.abort()
      return Promise.reject(new EventStoreUnavailable('away'))
    }, stop.signal)
    await expect(run(batch('t-6', ['a']))).rejects.toBeInstanceOf(Stopped)
  })
})
