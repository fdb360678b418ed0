import { expect, test } from 'vitest'
import { countTests, runInLanes } from './suites.ts'

test('two suites run at a time, and what needs the machine runs after all others, one after the other', async () => {
  const running = new Map<string, () => void>()
  const log: string[] = []
  const parts = ['a', 'b', 'C', 'd', 'E'].map((name) => ({ name, isAlone: name === name.toUpperCase() }))
  const whole = runInLanes(parts, 2, ({ name }) => {
    log.push(`${[...running.keys()].join('')}+${name}`)
    return new Promise<void>((resolve) => {
      running.set(name, () => {
        running.delete(name)
        resolve()
      })
    })
  })
  for (const name of ['b', 'a', 'd', 'C', 'E']) {
    await expect.poll(() => running.has(name)).toBe(true)
    running.get(name)?.()
  }
  await whole
  expect(log).toEqual(['+a', 'a+b', 'a+d', '+C', '+E'])
})

test('a file that fails without a failed test counts as one failure', () => {
  const counts = { numPassedTests: 1, numFailedTests: 0, numPendingTests: 2, success: false }
  const testResults = [{ status: 'failed', assertionResults: [] }]
  expect(countTests({ ...counts, testResults })).toEqual({ passed: 1, failed: 1, skipped: 2 })
  expect(countTests({ stats: { expected: 3, unexpected: 1, flaky: 1, skipped: 0 } })).toEqual({
    passed: 4,
    failed: 1,
    skipped: 0,
  })
})
