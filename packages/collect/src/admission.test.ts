import { silentLogger } from '@tributary/kernel'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAdmission, nextPace } from './admission.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const open = nextPace(
  { limit: Number.POSITIVE_INFINITY, floor: 0, rate: 0, shortRounds: 0, calmRounds: 0 },
  0,
  10_000,
  0,
)

test('the pace falls while threads lack processor time, and never below a fifth', () => {
  let pace = nextPace(open, 0.6, 10_000, 0)
  expect(pace.limit).toBe(Number.POSITIVE_INFINITY)
  pace = nextPace(pace, 0.6, 10_000, 0)
  expect(pace.limit).toBeCloseTo(9000)
  for (let round = 0; round < 100; round++) pace = nextPace(pace, 0.6, pace.limit, 5)
  expect(pace.limit).toBeCloseTo(2000)
})

test('little traffic is not slowed, whatever takes the processors', () => {
  let pace = open
  for (let round = 0; round < 100; round++) pace = nextPace(pace, 0.9, round % 10 === 0 ? 15 : 0, 0)
  expect(pace.limit).toBeGreaterThanOrEqual(1000)
})

test.each([
  ['one short moment does not slow acceptance', [0.9, 0, 0.9, 0], Number.POSITIVE_INFINITY],
  ['a thread that waits for a part of the time does not slow acceptance', [0.3, 0.3, 0.3], Number.POSITIVE_INFINITY],
])('%s', (_title, shortages, limit) => {
  expect(shortages.reduce((pace, shortage) => nextPace(pace, shortage, 100, 0), open).limit).toBe(limit)
})

test('the pace rises again, to at most one and a half times of what is admitted, and ends when nothing waits', () => {
  let pace = nextPace(nextPace(open, 0.6, 10_000, 0), 0.6, 10_000, 0)
  for (let round = 0; round < 50; round++) pace = nextPace(pace, 0, 10_000, 3)
  expect(pace.limit).toBeCloseTo(15_000)
  for (let round = 0; round < 10; round++) pace = nextPace(pace, 0, 10_000, 0)
  expect(pace.limit).toBe(Number.POSITIVE_INFINITY)
})

/** Passes time in steps of 5 ms, in rounds of the event loop. */
const pass = async (ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 5) {
    vi.advanceTimersByTime(5)
    await new Promise(setImmediate)
  }
}

/** An admission, and a log of the requests that went on (their names) or were sent away (`-` and their names). */
const setUp = () => {
  let shortage = 0
  const log: string[] = []
  const admission = createAdmission(
    () => shortage,
    silentLogger,
    () => performance.now(),
  )
  const send = (workspaceId: string, name: string, bytes = 500): void => {
    if (admission.admits(workspaceId, bytes)) return void log.push(name)
    admission.wait(workspaceId, bytes, {
      *goOn() {
        yield* []
        log.push(name)
      },
      sendAway: () => log.push(`-${name}`),
    })
  }
  /** Sends 10 requests per ms while threads lack processor time, which slows acceptance to 9 of them or less. */
  const slow = (): void => {
    shortage = 0.9
    for (let ms = 0; ms < 400; ms++) {
      for (let request = 0; request < 10; request++) send('warm', 'warm')
      vi.advanceTimersByTime(1)
    }
    vi.advanceTimersByTime(200)
    log.length = 0
  }
  const setShortage = (value: number): void => {
    shortage = value
  }
  return { admission, send, slow, log, setShortage }
}

test('requests go on at once while threads have processor time', () => {
  const { send, log } = setUp()
  for (let n = 0; n < 1000; n++) send('w', `${n}`)
  vi.advanceTimersByTime(1000)
  for (let n = 0; n < 1000; n++) send('w', `${n}`)
  expect(log).toHaveLength(2000)
})

test('a slowed workspace keeps the order of its requests, and another workspace does not wait behind them', () => {
  const { send, slow, log } = setUp()
  slow()
  for (let n = 0; n < 1000; n++) send('flood', `f${n}`)
  send('small', 'small')
  vi.advanceTimersByTime(15)
  expect(log).toContain('small')
  expect(log.length).toBeLessThan(500)
  const flooded = log.filter((name) => name.startsWith('f'))
  expect(flooded).toEqual(flooded.map((_, n) => `f${n}`))
})

test('a workspace that needs less than an equal share does not wait', async () => {
  const { send, slow, log, setShortage } = setUp()
  slow()
  setShortage(0.9)
  for (let round = 0; round < 100; round++) {
    for (let n = 0; n < 200; n++) send('flood', `flood${round}.${n}`)
    send('small', `small${round}`)
    expect(log.at(-1)).toBe(`small${round}`)
    await pass(10)
  }
})

test('a workspace that sends more than its share gets it while five others use up theirs', async () => {
  const { admission, send, slow, log, setShortage } = setUp()
  slow()
  setShortage(0.9)
  let others = 0
  for (let ms = 0; ms < 6000; ms += 5) {
    for (let n = 0; n < 3; n++) send('late', `late${ms}.${n}`)
    for (let n = 0; n < 5; n++) while (admission.admits(`other${n}`, 500)) others++
    await pass(5)
  }
  const served = log.filter((name) => name.startsWith('late')).length
  expect(served).toBeGreaterThan((served + others) / 8)
  // All together get the floor of the pace, a fifth of what was accepted before.
  expect(served + others).toBeLessThan(1.5 * 2 * 6000)
})

test('large requests of one workspace hold up no other workspace', async () => {
  const { send, slow, log } = setUp()
  slow()
  for (let n = 0; n < 2; n++) send('large', `large${n}`, 4_000_000)
  send('small', 'first')
  await pass(150)
  send('small', 'second')
  await pass(150)
  expect(log).toContain('first')
  expect(log).toContain('second')
})

test('a request that waits two seconds is sent away once', async () => {
  const { send, slow, log, setShortage } = setUp()
  slow()
  for (let n = 0; n < 8000; n++) send(n % 2 === 0 ? 'one' : 'other', `${n}`, 1000)
  expect(log.filter((name) => name.startsWith('-'))).toEqual([])
  setShortage(0.9)
  await pass(2100)
  expect(log.filter((name) => name.startsWith('-')).length).toBeGreaterThan(100)
  expect(new Set(log).size).toBe(8000)
})

test('a workspace has at most a quarter of what may wait, and the workspace with most gives way to others', () => {
  const { send, slow, log } = setUp()
  slow()
  for (let n = 0; n < 6000; n++) send('a', `a${n}`, 0)
  const went = log.filter((name) => !name.startsWith('-')).length
  expect(went).toBeLessThan(500)
  expect(log.slice(went)).toEqual(Array.from({ length: 1000 - went }, (_, n) => `-a${5000 + went + n}`))
  for (const other of ['b', 'c', 'd']) for (let n = 0; n < 4999; n++) send(other, `${other}${n}`, 0)
  log.length = 0
  for (let n = 0; n < 100; n++) send('small', `small${n}`)
  expect(log.length).toBeGreaterThan(0)
  expect(log.filter((name) => !/^(-[abcd]|small)\d+$/.test(name))).toEqual([])
})

test('waiting requests go on when the shortage is over, and at the close', async () => {
  const one = setUp()
  one.slow()
  for (let n = 0; n < 2000; n++) one.send('flood', `${n}`)
  one.setShortage(0)
  await pass(1900)
  expect(one.log).toEqual(Array.from({ length: 2000 }, (_, n) => `${n}`))
  const other = setUp()
  other.slow()
  for (let n = 0; n < 2000; n++) other.send('flood', `${n}`)
  other.admission.close()
  expect(other.log).toHaveLength(2000)
  other.send('flood', 'late')
  expect(other.log.at(-1)).toBe('late')
})

test('a short moment without processor time slows only for a while', () => {
  const { send, slow, log, setShortage } = setUp()
  slow()
  setShortage(0)
  for (let ms = 0; ms < 5000; ms++) {
    send('w', 'one')
    vi.advanceTimersByTime(1)
  }
  log.length = 0
  for (let n = 0; n < 3000; n++) send('w', 'burst')
  expect(log).toHaveLength(3000)
})

test('without requests, no timer is left', () => {
  const { send } = setUp()
  send('w', 'one')
  vi.advanceTimersByTime(10_000)
  expect(vi.getTimerCount()).toBe(0)
})
