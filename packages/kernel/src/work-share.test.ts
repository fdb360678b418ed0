import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { inWork } from './thread-board.ts'
import { createWorkShare, takeTurn } from './work-share.ts'

/** Starts a work share on a fake clock that advances only by work. */
const start = (settings = {}) => {
  let time = 1000
  const pass = (ms: number): void => {
    time += ms
  }
  const share = createWorkShare({ share: 0.25, together: 0.5, burstMs: 50, freeMs: 1, ...settings }, () => time)
  return { share, pass, work: (key: string, ms: number) => share.run(key, () => pass(ms)) }
}

test('common work never waits, whatever its amount', () => {
  const { share, work } = start()
  for (let n = 0; n < 1000; n++) work('a', 1)
  expect(share.wait('a')).toBe(0)
})

test('a key that exceeds its share waits until its debt is paid, and no other key waits', () => {
  const { share, pass, work } = start()
  // 3 of the 300 ms are free. A quarter of the elapsed time reduces the debt.
  for (let n = 0; n < 3; n++) work('a', 100)
  const wait = share.wait('a')
  expect(wait).toBeGreaterThan(500)
  expect(share.wait('b')).toBe(0)
  work('b', 1)
  expect(share.wait('b')).toBe(0)
  pass(wait)
  expect(share.wait('a')).toBe(0)
})

test('over time, one key gets a quarter of the time, and many keys together get half', () => {
  const { share, pass, work } = start()
  const used = (keys: readonly string[], rounds: number): number => {
    let taken = 0
    for (let ms = 0; ms < rounds; ms++) {
      const ready = keys.find((key) => share.wait(key) === 0)
      if (ready === undefined) {
        pass(1)
        continue
      }
      work(ready, 21)
      taken += 20
      ms += 20
    }
    return taken / rounds
  }
  expect(used(['a'], 20_000)).toBeCloseTo(0.25, 1)
  expect(used(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 20_000)).toBeCloseTo(0.5, 1)
})

test('one job runs in each round of the event loop, keys take turns, and too many jobs of one key are rejected', async () => {
  const { share } = start({ waiting: 3 })
  const ran: string[] = []
  const taken = ['a', 'a', 'a', 'a', 'b', 'c'].map((key, index) => share.later(key, () => ran.push(`${key}${index}`)))
  expect(taken).toEqual([true, true, true, false, true, true])
  const rounds: number[] = []
  while (ran.length < 5) {
    const before = ran.length
    await nextTurn()
    rounds.push(ran.length - before)
  }
  expect(Math.max(...rounds)).toBe(1)
  expect(ran).toEqual(['a0', 'b4', 'c5', 'a1', 'a2'])
})

test('the job of a key that has used up its share waits, and jobs of other keys do not', async () => {
  const { share, work } = start()
  work('a', 500)
  const ran: string[] = []
  share.later('a', () => ran.push('a'))
  share.later('b', () => ran.push('b'))
  for (let round = 0; round < 5; round++) await nextTurn()
  expect(ran).toEqual(['b'])
})

test('the share forgets old keys, so very many keys use bounded memory', () => {
  const { share, pass, work } = start()
  for (let key = 0; key < 20_000; key++) {
    work(`network ${key}`, 2)
    pass(20)
  }
  expect(share.remembered()).toBeLessThan(2100)
})

describe('measured work', () => {
  test('work is charged its processor time, and not the time in which other processes run', () => {
    let clock = 0
    let worked = 0
    const share = createWorkShare(
      { freeMs: 0 },
      () => clock,
      () => worked,
    )
    share.run('paused', () => {
      clock += 10_000
    })
    expect(share.wait('paused')).toBe(0)
    share.run('works', () => {
      clock += 10_000
      worked += 300
    })
    expect(share.wait('works')).toBe((300 - 50) / 0.25)
    // Without a given clock, the processor time of the thread counts, so that waiting costs nothing.
    const real = createWorkShare({ freeMs: 0, burstMs: 5 })
    real.run('sleeps', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100))
    expect(real.wait('sleeps')).toBe(0)
    real.run('works', () => {
      const until = process.threadCpuUsage().user + 30_000
      while (process.threadCpuUsage().user < until);
    })
    expect(real.wait('works')).toBeGreaterThan(0)
  })

  test.each([
    ['one long piece', [60_000]],
    ['many pieces', Array.from({ length: 600 }, () => 100)],
    ['ever more while it waits', [5000, 5000, 5000, 5000]],
  ])('after %s, one key and all keys together owe at most 5 s', (_title, pieces) => {
    const { share, pass, work } = start({ freeMs: 0 })
    for (const ms of pieces) work('a', ms)
    expect(share.wait('a')).toBeLessThanOrEqual((5000 - 50) / 0.25)
    expect(share.wait('a')).toBeGreaterThan(15_000)
    pass(20_000)
    expect(share.wait('a')).toBe(0)
    for (const key of ['a', 'b', 'c', 'd']) work(key, 5000)
    pass(20_000)
    expect(share.wait('d')).toBe(0)
  })
})

describe('a job whose caller has gone', () => {
  test('a job whose caller has gone leaves the queue, makes room for another job, and never runs', async () => {
    const { share, pass, work } = start({ waiting: 2 })
    work('a', 500)
    const gone = new AbortController()
    const ran: string[] = []
    expect(share.later('a', () => ran.push('gone'), undefined, gone.signal)).toBe(true)
    expect(share.later('a', () => ran.push('stays'))).toBe(true)
    expect(share.later('a', () => ran.push('too many'))).toBe(false)
    gone.abort()
    expect(share.later('a', () => ran.push('in its place'))).toBe(true)
    pass(100_000)
    share.later('b', () => ran.push('b'))
    while (ran.length < 3) await nextTurn()
    expect(ran.toSorted()).toEqual(['b', 'in its place', 'stays'])
  })

  test('the turn of a caller is rejected with the reason if its own signal, or the signal of its call, aborts', async () => {
    const { share, work } = start()
    work('a', 500)
    const calls: ((turn: () => Promise<unknown>, signal: AbortSignal) => Promise<unknown>)[] = [
      (turn, signal) => inWork({ step: 'x', workspaceId: '', item: '' }, turn, signal),
      async (turn, signal) =>
        await inWork({ step: 'x', workspaceId: '', item: '' }, async () => (await nextTurn(), await turn()), signal),
    ]
    for (const call of calls) {
      const gone = new AbortController()
      let ran = false
      const turn = call(
        () =>
          takeTurn(share, 'a', () => {
            ran = true
          }),
        gone.signal,
      )
      await nextTurn()
      gone.abort(new Error('nobody waits'))
      await expect(turn).rejects.toThrow('nobody waits')
      expect(ran).toBe(false)
    }
    const late = new AbortController()
    late.abort(new Error('gone before'))
    await expect(takeTurn(share, 'b', () => {}, late.signal)).rejects.toThrow('gone before')
  })
})
