import { silentLogger } from '@tributary/kernel'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openRelational } from '../../relational/open.ts'
import { connectionsOf, isInTenure, type Tenure, type TenureOptions, takeTenure } from './tenure.ts'

let store: TestDatabase
let tenures: Tenure[]
beforeEach(async () => {
  store = await createTestDatabase()
  tenures = []
})
afterEach(async () => {
  for (const tenure of tenures) await tenure.release()
  await store.close()
})

const take = async (more: Partial<TenureOptions> = {}): Promise<Tenure> => {
  const tenure = await takeTenure({
    url: store.url,
    name: 'main',
    of: 'the main process',
    logger: silentLogger,
    onLost: () => {},
    lookMs: 10,
    ttlMs: 60_000,
    ...more,
  })
  tenures.push(tenure)
  return tenure
}
/** Ends the lease by the clock of the database, as when its holder is paused and does not renew it. */
const passOver = () => store.pool.query('update coordination_leases set expire_time = clock_timestamp()')

describe('a tenure', () => {
  it('a tenure has one holder at a time, and the next holder gets it as soon as it is released', async () => {
    const first = await take()
    const waiting = vi.fn()
    let isTaken = false
    const second = take({ onWaiting: waiting }).then((tenure) => {
      isTaken = true
      return tenure
    })
    await vi.waitFor(() => expect(waiting).toHaveBeenCalledOnce())
    expect([isTaken, isInTenure(first)]).toEqual([false, true])
    await first.release()
    expect(isInTenure(first)).toBe(false)
    expect([(await second).epoch, isInTenure(await second), waiting.mock.calls.length]).toEqual([2, true, 1])
  })

  it('a tenure keeps its epoch when it is renewed', async () => {
    const lost = vi.fn()
    const tenure = await take({ renewMs: 30, onLost: lost })
    const renewed = async (): Promise<boolean> => {
      const { rows } = await store.pool.query<{ later: boolean }>(
        'select expire_time > $1::timestamptz as later from coordination_leases',
        [new Date(began + 60_500)],
      )
      return rows[0]?.later === true
    }
    const began = Date.now()
    await vi.waitFor(async () => expect(await renewed()).toBe(true), { timeout: 30_000 })
    expect([lost.mock.calls, isInTenure(tenure)]).toEqual([[], true])
  })

  it('a tenure has ended for a machine that was suspended, although its monotonic clock stood still meanwhile', async () => {
    const tenure = await take({ renewMs: 60_000 })
    expect(isInTenure(tenure)).toBe(true)
    const now = Date.now()
    vi.spyOn(Date, 'now').mockReturnValue(now + 60_000)
    try {
      expect(isInTenure(tenure)).toBe(false)
    } finally {
      vi.restoreAllMocks()
    }
  })

  it('a tenure that is released while it is renewed is free immediately', async () => {
    for (let round = 0; round < 20; round++) {
      const tenure = await take({ renewMs: 1 })
      await new Promise((resolve) => setTimeout(resolve, round))
      await tenure.release()
      const { rows } = await store.pool.query<{ over: boolean }>(
        'select expire_time <= clock_timestamp() as over from coordination_leases',
      )
      expect(rows).toEqual([{ over: true }])
    }
  })

  it("a paused holder's tenure ends, and the holder is notified once, even if no other tenure has begun", async () => {
    const lost = vi.fn()
    await take({ renewMs: 20, onLost: lost })
    await passOver()
    await vi.waitFor(() => expect(lost).toHaveBeenCalledOnce(), { timeout: 30_000 })
    const other = vi.fn()
    const second = await take({ renewMs: 20, onLost: other })
    await passOver()
    const third = await take()
    await vi.waitFor(() => expect(other).toHaveBeenCalledOnce(), { timeout: 30_000 })
    expect(third.epoch).toBeGreaterThan(second.epoch)
    expect(lost).toHaveBeenCalledOnce()
  })

  it('if the database does not respond, a tenure is given up before another process can have it', async () => {
    const lost = vi.fn()
    const tenure = await take({ ttlMs: 800, marginMs: 200, renewMs: 50, onLost: lost })
    const client = await store.pool.connect()
    await client.query('begin')
    await client.query('select from coordination_leases for update')
    await vi.waitFor(() => expect(lost).toHaveBeenCalledOnce(), { timeout: 30_000, interval: 10 })
    expect([isInTenure(tenure), lost.mock.calls[0]?.[0]]).toEqual([false, expect.stringContaining('not confirmed')])
    const { rows } = await store.pool.query<{ end: string }>(
      'select (extract(epoch from expire_time - clock_timestamp()) * 1000)::text as end from coordination_leases',
    )
    const left = Number(new BigInt64Array(tenure.until)[0] ?? 0n) - Number(process.hrtime.bigint())
    expect(left / 1e6).toBeLessThan(Number(rows[0]?.end) - 150)
    await client.query('rollback')
    client.release()
  })

  it("a new tenure ends the former one's connections with their locks, and prevents new ones", async () => {
    const first = await take({ renewMs: 60_000 })
    const before = openRelational({ url: store.url, logger: silentLogger, ...connectionsOf(first) })
    const held = await before.pool.connect()
    held.on('error', () => {})
    await held.query('begin')
    await held.query("insert into journals values ('paused', 1)")
    await passOver()
    const second = await take()
    await expect(held.query('commit')).rejects.toThrow()
    held.release(true)
    await expect(before.pool.query('select 1')).rejects.toThrow('Another process has the lease main')
    await before.close()
    await using after = openRelational({ url: store.url, logger: silentLogger, ...connectionsOf(second) })
    expect((await after.pool.query('select from journals')).rowCount).toBe(0)
  })

  it("waiting for a tenure ends when the caller's signal aborts", async () => {
    await take()
    const leaving = new AbortController()
    const waiting = take({ signal: leaving.signal, onWaiting: () => leaving.abort(new Error('left')) })
    await expect(waiting).rejects.toThrow('left')
  })
})
