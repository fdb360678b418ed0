import { expect, test } from 'vitest'
import {
  afterSecondRun,
  failedFilesOf,
  failuresIn,
  fromPlaywright,
  fromVitest,
  gapsOf,
  unsteadyIn,
} from './test-results.ts'

const run = { commit: 'a'.repeat(40), changed: false, ended: '2026-01-01T00:00:00.000Z' }
const runs = { unit: run, product: run, browser: run }
const now = { commit: run.commit, changed: false }

test('results are complete if every suite ran to its end on exactly the current files', () => {
  expect(gapsOf(runs, now)).toEqual([])
})

test.each([
  ['a suite without a result', { ...runs, product: undefined }, now, 'the suite product did not run to its end'],
  [
    'a suite of another commit',
    { ...runs, unit: { ...run, commit: 'b'.repeat(40) } },
    now,
    'the suite unit ran on bbbbbbbbb',
  ],
  [
    'a suite that ran while files differed',
    { ...runs, browser: { ...run, changed: true } },
    now,
    'the suite browser ran on aaaaaaaaa with changes that are in no commit',
  ],
  ['files that differ now', runs, { ...now, changed: true }, 'there are changes that are in no commit'],
])('%s makes the results partial', (_, given, state, gap) => {
  expect(gapsOf(given, state)).toEqual([gap])
})

test('outside of a repository, results are partial', () => {
  expect(gapsOf(runs, { commit: '', changed: true })).toContain('the commit of the suite unit is not known')
})

test('tests of the component gallery count as their own kind, and skipped tests do not count', () => {
  const spec = (title: string, status: string) => ({ title, ok: true, tests: [{ status }] })
  const report = {
    suites: [
      { file: 'kit.spec.ts', specs: [spec('on the page of components', 'expected')] },
      {
        file: 'login.spec.ts',
        specs: [spec('left out', 'skipped')],
        suites: [{ file: 'login.spec.ts', specs: [spec('in the product', 'expected')] }],
      },
    ],
  }
  expect(fromPlaywright(report).map(({ title, kinds }) => [title, kinds])).toEqual([
    ['on the page of components', ['gallery']],
    ['in the product', ['browser']],
  ])
})

test('the report of unit tests gives the passed and failed tests', () => {
  const report = {
    testResults: [
      {
        name: '/x/a.test.ts',
        assertionResults: [
          { title: 'good', status: 'passed' },
          { title: 'bad', status: 'failed' },
          { title: 'left out', status: 'skipped' },
        ],
      },
    ],
  }
  expect(fromVitest(report, () => ['unit'])).toEqual([
    { title: 'good', kinds: ['unit'], passed: true },
    { title: 'bad', kinds: ['unit'], passed: false },
  ])
})

test('each failed test is named with its file and reason, from both kinds of report', () => {
  const unit = {
    testResults: [
      {
        name: `${process.cwd()}/packages/a.test.ts`,
        status: 'failed',
        assertionResults: [
          { title: 'holds', status: 'passed' },
          { title: 'breaks', status: 'failed', failureMessages: ['\u001b[31mexpected 1\u001b[39m\nto be 2'] },
        ],
      },
      {
        name: `${process.cwd()}/packages/b.test.ts`,
        status: 'failed',
        message: 'no such module',
        assertionResults: [],
      },
    ],
  }
  expect(failuresIn(unit)).toEqual([
    'packages/a.test.ts › breaks\n    expected 1\n    to be 2',
    'packages/b.test.ts › the file itself\n    no such module',
  ])
  const browser = {
    suites: [
      {
        file: 'a.spec.ts',
        specs: [
          { title: 'holds', ok: true, tests: [{ status: 'expected' }] },
          { title: 'breaks', ok: false, tests: [{ status: 'unexpected', results: [{ error: { message: 'gone' } }] }] },
        ],
      },
    ],
  }
  expect(failuresIn(browser)).toEqual(['a.spec.ts › breaks\n    gone'])
})

test('the results of a second run replace those of the first, and tests that passed only then are unsteady', () => {
  const file = (name: string, status: 'passed' | 'failed') => ({
    name: `${process.cwd()}/${name}.test.ts`,
    status,
    assertionResults: [
      { title: 'holds', status: 'passed' },
      { title: 'breaks', status, failureMessages: status === 'failed' ? ['expected 1'] : [] },
    ],
  })
  const first = { success: false, testResults: [file('a', 'passed'), file('b', 'failed'), file('c', 'failed')] }
  expect(failedFilesOf(first).map((name) => name.slice(process.cwd().length + 1))).toEqual(['b.test.ts', 'c.test.ts'])
  const last = afterSecondRun(first, { testResults: [file('b', 'passed'), file('c', 'failed')] })
  expect(last).toMatchObject({ numPassedTests: 5, numFailedTests: 1, success: false })
  expect(failuresIn(last)).toEqual(['c.test.ts › breaks\n    expected 1'])
  expect(unsteadyIn(first, last)).toEqual(['b.test.ts › breaks\n    expected 1'])
  expect(afterSecondRun(first, { testResults: [file('b', 'passed'), file('c', 'passed')] }).success).toBe(true)
  const browser = {
    suites: [
      {
        file: 'a.spec.ts',
        specs: [
          { title: 'late', ok: true, tests: [{ status: 'flaky', results: [{ error: { message: 'gone' } }, {}] }] },
        ],
      },
    ],
  }
  expect(unsteadyIn(browser, browser)).toEqual(['a.spec.ts › late\n    gone'])
})
