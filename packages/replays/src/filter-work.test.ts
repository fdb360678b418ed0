import { setImmediate as nextTurn } from 'node:timers/promises'
import { createWorkShare } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { createFilterWork } from './filter-work.ts'

const filter = {
  match: 'all' as const,
  conditions: [{ id: 'aaaa', field: 'properties.n', operator: 'exists' as const, value: '' }],
}

/** Creates a work share whose clock advances only through `pass`, which simulates work and waiting. */
const standing = () => {
  let time = 1000
  const pass = (ms: number): void => {
    time += ms
  }
  return { share: createWorkShare({ share: 0.25, together: 0.5, burstMs: 50 }, () => time), pass }
}

test('conditions of a workspace use only its share of the thread, and wait once it is used up', async () => {
  const { share, pass } = standing()
  const work = createFilterWork(share, 'a', filter)
  const slow = (): unknown => {
    pass(20)
    return { properties: { n: 1 } }
  }
  let asked = 0
  while (work.wait() === 0 && asked < 100) {
    expect(work.meets(slow)).toBe(true)
    asked++
  }
  // The share allows 50 ms at once, and a quarter of the time that passes during the work.
  expect(asked).toBeLessThan(6)
  expect(createFilterWork(share, 'b', filter).wait()).toBe(0)
  let done = false
  const turn = work.turn().then(() => {
    done = true
  })
  for (let round = 0; round < 5; round++) await nextTurn()
  expect(done).toBe(false)
  pass(60_000)
  // Work of another workspace makes the share check the clock again.
  share.later('b', () => {})
  await turn
})

test('the evaluation of many events yields to the event loop', async () => {
  const { share } = standing()
  const work = createFilterWork(share, 'a', filter)
  let rounds = 0
  let on = true
  const count = (): void => {
    rounds++
    if (on) setImmediate(count)
  }
  setImmediate(count)
  for (let n = 0; n < 500; n++) {
    work.meets(() => ({}))
    await work.rest()
  }
  on = false
  expect(rounds).toBeGreaterThanOrEqual(9)
})
