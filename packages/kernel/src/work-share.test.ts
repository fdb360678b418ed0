import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createWorkShare } from './work-share.ts'

/** A share whose time passes only by work. */
const start = (settings = {}) => {
  let time = 1000
  const pass = (ms: number): void => {
    time += ms
  }
  const share = createWorkShare({ share: 0.25, together: 0.5, burstMs: 50, freeMs: 1, ...settings }, () => time)
  return { share, pass, work: (key: string, ms: number) => share.run(key, () => pass(ms)) }
}

test('common work never waits, however much of it there is', () => {
  const { share, work } = start()
  for (let n = 0; n < 1000; n++) work('a', 1)
  expect(share.wait('a')).toBe(0)
})

test('who takes more than its share waits until it is one, and nobody else waits', () => {
  const { share, pass, work } = start()
  // 300 ms, 3 of them free; a quarter of the time that passes is paid back.
  for (let n = 0; n < 3; n++) work('a', 100)
  const wait = share.wait('a')
  expect(wait).toBeGreaterThan(500)
  expect(share.wait('b')).toBe(0)
  work('b', 1)
  expect(share.wait('b')).toBe(0)
  pass(wait)
  expect(share.wait('a')).toBe(0)
})

test('in the long run a key takes its share of the time, and many keys together theirs', () => {
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

test('jobs run one a round of the event loop, the keys in turns; too many of one key are not taken', async () => {
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

test('the job of a key that has used up its share waits, those of others do not', async () => {
  const { share, work } = start()
  work('a', 500)
  const ran: string[] = []
  share.later('a', () => ran.push('a'))
  share.later('b', () => ran.push('b'))
  for (let round = 0; round < 5; round++) await nextTurn()
  expect(ran).toEqual(['b'])
})

test('what very many keys leave behind does not add up', () => {
  const { share, pass, work } = start()
  for (let key = 0; key < 20_000; key++) {
    work(`network ${key}`, 2)
    pass(20)
  }
  expect(share.remembered()).toBeLessThan(2100)
})
