import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAdmission, nextPace } from './admission.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const open = nextPace({ limit: Number.POSITIVE_INFINITY, least: 0, rate: 0, shortRounds: 0, calmRounds: 0 }, 0, 100, 0)

test('the pace falls while threads lack processor time, and never below a fifth', () => {
  let pace = nextPace(open, 0.6, 100, 0)
  expect(pace.limit).toBe(Number.POSITIVE_INFINITY)
  pace = nextPace(pace, 0.6, 100, 0)
  expect(pace.limit).toBeCloseTo(90)
  for (let round = 0; round < 100; round++) pace = nextPace(pace, 0.6, pace.limit, 5)
  expect(pace.limit).toBeCloseTo(20)
})

test.each([
  ['one short moment does not slow acceptance', [0.9, 0, 0.9, 0], Number.POSITIVE_INFINITY],
  ['a thread that waits for a part of the time does not slow acceptance', [0.3, 0.3, 0.3], Number.POSITIVE_INFINITY],
])('%s', (_title, shortages, limit) => {
  expect(shortages.reduce((pace, shortage) => nextPace(pace, shortage, 100, 0), open).limit).toBe(limit)
})

test('the pace rises again, to at most one and a half times of what is admitted, and ends when nothing waits', () => {
  let pace = nextPace(nextPace(open, 0.6, 100, 0), 0.6, 100, 0)
  for (let round = 0; round < 50; round++) pace = nextPace(pace, 0, 100, 3)
  expect(pace.limit).toBeCloseTo(150)
  for (let round = 0; round < 10; round++) pace = nextPace(pace, 0, 100, 0)
  expect(pace.limit).toBe(Number.POSITIVE_INFINITY)
})

/** A slowed admission, and a log of the requests that went on (their names) or were sent away (`-` and their names). */
const setUp = () => {
  let shortage = 0
  const log: string[] = []
  const admission = createAdmission(
    () => shortage,
    () => performance.now(),
  )
  const send = (workspaceId: string, name: string, bytes = 500): void => {
    if (admission.admits(workspaceId, bytes)) return void log.push(name)
    admission.wait(
      workspaceId,
      bytes,
      () => log.push(name),
      () => log.push(`-${name}`),
    )
  }
  /** Sends about 10 requests per ms until acceptance is slowed. */
  const slow = (): void => {
    shortage = 0.9
    for (let ms = 0; ms < 400 && admission.admits('probe', 0); ms++) {
      for (let request = 0; request < 10; request++) send('flood', 'flood')
      vi.advanceTimersByTime(1)
    }
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
  vi.advanceTimersByTime(10)
  expect(log).toContain('small')
  expect(log.length).toBeLessThan(500)
  const flooded = log.filter((name) => name.startsWith('f'))
  expect(flooded).toEqual(flooded.map((_, n) => `f${n}`))
})

test('a request that waits two seconds is sent away once, and so is one beyond what may wait', () => {
  const { send, slow, log } = setUp()
  slow()
  for (let n = 0; n < 20_001; n++) send('flood', `${n}`)
  expect(log).toEqual(['-20000'])
  vi.advanceTimersByTime(2100)
  const [away, gone] = [log.filter((name) => name.startsWith('-')), log.filter((name) => !name.startsWith('-'))]
  expect(away.length).toBeGreaterThan(1000)
  expect(new Set(log).size).toBe(log.length)
  expect(away.length + gone.length).toBe(20_001)
})

test('waiting requests go on when the shortage is over, and at the close', () => {
  const one = setUp()
  one.slow()
  for (let n = 0; n < 2000; n++) one.send('flood', `${n}`)
  one.setShortage(0)
  vi.advanceTimersByTime(1900)
  expect(one.log).toHaveLength(2000)
  expect(one.log.some((name) => name.startsWith('-'))).toBe(false)
  const other = setUp()
  other.slow()
  for (let n = 0; n < 2000; n++) other.send('flood', `${n}`)
  other.admission.close()
  expect(other.log).toHaveLength(2000)
  other.send('flood', 'late')
  expect(other.log.at(-1)).toBe('late')
})

test('without requests, no timer is left', () => {
  const { send } = setUp()
  send('w', 'one')
  vi.advanceTimersByTime(10_000)
  expect(vi.getTimerCount()).toBe(0)
})
