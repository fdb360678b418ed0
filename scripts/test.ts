// Runs every suite of the product, one after the other, and prints its time and its budget. `npm test -- unit browser`
// runs only the named ones. The exit code is 1 if a test fails. A budget is for an idle machine, so exceeding it is not
// a failure. If few tests of a suite fail, they run a second time. Tests that then pass are listed as unsteady, because
// each is a fault of the test or of the product; more than three of them fail the run.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { openTemporaryFolder } from './temporary-folder.ts'
import {
  afterSecondRun,
  currentCommit,
  failedFilesOf,
  failuresIn,
  forgetRun,
  recordRun,
  reportOf,
  unsteadyIn,
} from './test-results.ts'

type Outcome = { passed: number; failed: number; skipped: number }
type Suite = {
  name: string
  budgetMinutes: number
  command: string
  args: (report: string) => string[]
  read: (report: unknown) => Outcome
  /** Whether its command runs failed tests a second time. */
  repeats: boolean
}

const fromVitest = (report: unknown): Outcome => {
  const { numPassedTests, numFailedTests, numPendingTests, testResults, success } = report as {
    numPassedTests: number
    numFailedTests: number
    numPendingTests: number
    testResults: { status: string; assertionResults: { status: string }[] }[]
    success: boolean
  }
  // A file can fail without a failed test, such as in an import or a hook. It then counts as one failure. Otherwise its
  // failed tests are counted.
  const brokenFiles = testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((each) => each.status !== 'failed'),
  ).length
  const failed = numFailedTests + brokenFiles
  return { passed: numPassedTests, failed: success ? failed : Math.max(1, failed), skipped: numPendingTests }
}

const fromPlaywright = (report: unknown): Outcome => {
  const { expected, unexpected, flaky, skipped } = (
    report as { stats: Record<'expected' | 'unexpected' | 'flaky' | 'skipped', number> }
  ).stats
  return { passed: expected + flaky, failed: unexpected, skipped }
}

const vitest =
  (...projects: string[]) =>
  (report: string) => [
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]

const suites: Suite[] = [
  {
    name: 'unit',
    budgetMinutes: 8,
    command: 'vitest',
    args: vitest('unit', 'web-logic', 'web'),
    read: fromVitest,
    repeats: false,
  },
  {
    name: 'product',
    budgetMinutes: 5.5,
    command: 'vitest',
    args: vitest('product', 'product-shared', 'product-alone'),
    read: fromVitest,
    repeats: false,
  },
  {
    name: 'browser',
    budgetMinutes: 8,
    command: 'playwright',
    args: () => ['test', '--config', 'e2e/playwright.config.ts'],
    read: fromPlaywright,
    repeats: true,
  },
]

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !suites.some((suite) => suite.name === name))
if (unknown.length > 0) {
  console.error(
    `There is no suite ${unknown.join(', ')}. The suites are ${suites.map((suite) => suite.name).join(', ')}.`,
  )
  process.exit(2)
}

mkdirSync('.cache/results', { recursive: true })
const total: Outcome = { passed: 0, failed: 0, skipped: 0 }
const lines: string[] = []
const failures: string[] = []
const unsteady: string[] = []
/** More files than this do not fail by chance, so they do not run again. */
const mostFilesToRepeat = 3
const mostUnsteady = 3
const temporary = openTemporaryFolder()
const runSuite = (suite: Suite, args: string[], report: string) =>
  spawnSync(suite.command, args, {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(temporary === undefined ? {} : { TMPDIR: temporary.path }),
      PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${report}`,
    },
  })
/** Runs the files with failed tests a second time, and returns the report with their new results and the exit code. */
const repeated = (suite: Suite, first: unknown): { results: unknown; status: number | null } | undefined => {
  const files = failedFilesOf(first)
  if (suite.repeats || files.length === 0 || files.length > mostFilesToRepeat) return undefined
  console.log(`\n── ${suite.name}: ${files.length} failed, which run a second time ──`)
  const report = `${reportOf(suite.name)}.second`
  const { status } = runSuite(suite, [...suite.args(report), ...files], report)
  try {
    return { results: afterSecondRun(first, JSON.parse(readFileSync(report, 'utf8'))), status }
  } catch {
    return undefined
  }
}
for (const suite of suites) {
  if (wanted.length > 0 && !wanted.includes(suite.name)) continue
  const report = reportOf(suite.name)
  forgetRun(suite.name)
  const before = currentCommit()
  console.log(`\n── ${suite.name} ──`)
  const started = Date.now()
  const run = runSuite(suite, suite.args(report), report)
  let outcome: Outcome
  let { status } = run
  try {
    const first: unknown = JSON.parse(readFileSync(report, 'utf8'))
    const second = repeated(suite, first)
    const results = second?.results ?? first
    if (second !== undefined) {
      status = second.status
      writeFileSync(report, JSON.stringify(results))
    }
    outcome = suite.read(results)
    failures.push(...failuresIn(results))
    unsteady.push(...unsteadyIn(first, results))
    if (run.signal === null) recordRun(suite.name, before)
  } catch {
    outcome = { passed: 0, failed: 1, skipped: 0 }
  }
  if (status !== 0 && outcome.failed === 0) outcome.failed = 1
  const minutes = (Date.now() - started) / 60_000
  total.passed += outcome.passed
  total.failed += outcome.failed
  total.skipped += outcome.skipped
  lines.push(
    `${suite.name.padEnd(10)} ${outcome.passed} passed, ${outcome.failed} failed, ${outcome.skipped} skipped · ${minutes.toFixed(1)} of ${suite.budgetMinutes} min${minutes > suite.budgetMinutes ? ' OVER BUDGET' : ''}`,
  )
}
temporary?.[Symbol.dispose]()
// Repeats each failure at the end, because the output is long.
if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}`)
if (unsteady.length > 0) console.log(`\nUnsteady, passed only when run again:\n${unsteady.join('\n')}`)
console.log(`\n${lines.join('\n')}\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exit(total.failed > 0 || unsteady.length > mostUnsteady ? 1 : 0)
