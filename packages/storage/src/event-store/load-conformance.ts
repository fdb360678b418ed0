import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { countEvents, type EventStoreFixture, event, type OwnEventStore } from './conformance-fixture.ts'

/** A query that runs for minutes unless it is ended. The number identifies it among running queries. */
const endless = (mark: number): string =>
  `select count() as c${mark} from numbers(1000000000000) where sipHash64(number) % 7 = 1`

const running = async (store: OwnEventStore, mark: number): Promise<number> => {
  const rows = await store.query<{ n: number }>(
    'select count() as n from system.processes where position(query, {mark:String}) > 0 and query not like {self:String}',
    {
      mark: `as c${mark} `,
      self: '%system.processes%',
    },
  )
  return rows[0]?.n ?? -1
}

const until = async (what: string, check: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + 20_000
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within 20 s`)
    await pause(20)
  }
}

/** Tests of limits, and of many queries at a time. */
export const loadTests = (open: () => Promise<EventStoreFixture>): void => {
  it("an event store ends a query whose caller has gone, and rejects with the caller's reason", async () => {
    await using store = await open()
    const caller = new AbortController()
    const mark = Math.floor(Math.random() * 1e12)
    const query = store
      .query(endless(mark), {}, { slot: 'heavy', signal: caller.signal })
      .catch((error: unknown) => error)
    await until('the query runs', async () => (await running(store, mark)) === 1)
    caller.abort(new Error('closed the page'))
    expect(await query).toEqual(new Error('closed the page'))
    await until('the query has ended', async () => (await running(store, mark)) === 0)
  })

  it('an event store reports during a query how many rows of how many it has read', async () => {
    await using store = await open()
    const caller = new AbortController()
    const heard: { read: number; total: number }[] = []
    const options = {
      slot: 'heavy',
      signal: caller.signal,
      onProgress: (rows: { read: number; total: number }) => {
        heard.push(rows)
        if (heard.length === 2) caller.abort(new Error('heard enough'))
      },
    } as const
    await expect(store.query(endless(Math.floor(Math.random() * 1e12)), {}, options)).rejects.toThrow('heard enough')
    const [first, second] = heard
    expect(first?.read).toBeGreaterThan(0)
    expect(second?.read).toBeGreaterThan(first?.read ?? 0)
    expect(second?.total).toBe(1_000_000_000_000)
  })

  it('an event store runs short queries and inserts while more heavy queries wait than can run', async () => {
    await using store = await open()
    const caller = new AbortController()
    const mark = Math.floor(Math.random() * 1e12)
    let ended = 0
    const heavy = Array.from({ length: 8 }, (_, index) =>
      store
        .query(endless(mark), {}, { owner: `workspace ${index % 2}`, slot: 'heavy', signal: caller.signal })
        .catch(() => {
          ended += 1
        }),
    )
    try {
      await until('heavy queries run', async () => (await running(store, mark)) >= 3)
      await store.insert('events', event('1'), { token: 'a' })
      for (let round = 0; round < 5; round += 1) expect(await countEvents(store)).toBe(1)
      expect(ended).toBe(0)
    } finally {
      caller.abort()
      await Promise.all(heavy)
    }
    await until('all have ended', async () => (await running(store, mark)) === 0)
  })

  it('an event store reports an unavailable engine if no server responds', async () => {
    await using store = await open()
    const caller = new AbortController()
    caller.abort(new Error('too late'))
    await expect(store.query('select 1', {}, { signal: caller.signal })).rejects.toThrow('too late')
    expect(await store.ping()).toBe(true)
  })
}
