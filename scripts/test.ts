// Runs every suite of the product, one after the other, and prints its time and its budget. `npm test -- unit browser`
// runs only the named ones. The exit code is 1 if a test fails. A budget is for an idle machine, so exceeding it is not
// a failure.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { openTemporaryFolder } from './temporary-folder.ts'
import { currentCommit, failuresIn, forgetRun, recordRun, reportOf } from './test-results.ts'

type Outcome = { passed: number; failed: number; skipped: number }
type Suite = {
  name: string
  budgetMinutes: number
  command: string
  args: (report: string) => string[]
  read: (report: unknown) => Outcome
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
  return { passed: expected, failed: unexpected + flaky, skipped }
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
  { name: 'unit', budgetMinutes: 8, command: 'vitest', args: vitest('unit', 'web'), read: fromVitest },
  {
    name: 'product',
    budgetMinutes: 5.5,
    command: 'vitest',
    args: vitest('product', 'product-shared', 'product-alone'),
    read: fromVitest,
  },
  {
    name: 'browser',
    budgetMinutes: 8,
    command: 'playwright',
    args: () => ['test', '--config', 'e2e/playwright.config.ts'],
    read: fromPlaywright,
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
const temporary = openTemporaryFolder()
for (const suite of suites) {
  if (wanted.length > 0 && !wanted.includes(suite.name)) continue
  const report = reportOf(suite.name)
  forgetRun(suite.name)
  const before = currentCommit()
  console.log(`\n── ${suite.name} ──`)
  const started = Date.now()
  const run = spawnSync(suite.command, suite.args(report), {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(temporary === undefined ? {} : { TMPDIR: temporary.path }),
      PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${report}`,
    },
  })
  const minutes = (Date.now() - started) / 60_000
  let outcome: Outcome
  try {
    const results: unknown = JSON.parse(readFileSync(report, 'utf8'))
    outcome = suite.read(results)
    failures.push(...failuresIn(results))
    if (run.signal === null) recordRun(suite.name, before)
  } catch {
    outcome = { passed: 0, failed: 1, skipped: 0 }
  }
  if (run.status !== 0 && outcome.failed === 0) outcome.failed = 1
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
console.log(`\n${lines.join('\n')}\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exit(total.failed > 0 ? 1 : 0)
