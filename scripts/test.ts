// Runs every suite of the product, and prints the time of each and of all. `npm test -- unit browser` runs only the
// named ones. The exit code is 1 if a test fails. A budget is for an idle machine, so exceeding it is not a failure.
// Two suites run at a time, because tests with a product or a browser leave the processors idle while they wait. If few
// tests of a suite fail, they run a second time. Tests that then pass are listed as unsteady, because each is a fault of
// the test or of the product; more than three of them fail the run.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runSuites } from './suites.ts'
import { openTemporaryFolder } from './temporary-folder.ts'
import { suiteNames } from './test-results.ts'

/** For all suites. */
const budgetMinutes = 22
const maxUnsteady = 3
/** Two suites at a time need this much memory, including the files that a run keeps in memory. */
const bytesForTwo = 12 * 1024 ** 3

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !suiteNames.some((suite) => suite === name))
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}. The suites are ${suiteNames.join(', ')}.`)
  process.exit(2)
}

mkdirSync('.cache/results', { recursive: true })
const lanes = process.availableMemory() >= bytesForTwo ? 2 : 1
const temporary = openTemporaryFolder()
const started = Date.now()
const results = await runSuites(
  suiteNames.filter((name) => wanted.length === 0 || wanted.includes(name)),
  lanes,
  {
    ...process.env,
    ...(temporary === undefined ? {} : { TMPDIR: temporary.path }),
    // Playwright keeps the code without types there, by default in the folder of temporary files.
    PWTEST_CACHE_DIR: join(process.cwd(), '.cache', 'playwright-code'),
  },
)
temporary?.[Symbol.dispose]()

const sum = (count: 'passed' | 'failed' | 'skipped'): number => results.reduce((total, each) => total + each[count], 0)
const failures = results.flatMap((result) => result.failures)
const unsteady = results.flatMap((result) => result.unsteady)
// Repeats each failure at the end, because the output is long.
if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}`)
if (unsteady.length > 0) console.log(`\nUnsteady, passed only when run again:\n${unsteady.join('\n')}`)
console.log('')
for (const { suite, passed, failed, skipped, minutes } of results)
  console.log(`${suite.padEnd(10)} ${passed} passed, ${failed} failed, ${skipped} skipped · ${minutes.toFixed(1)} min`)
const minutes = (Date.now() - started) / 60_000
const budget =
  results.length < suiteNames.length ? '' : ` of ${budgetMinutes}${minutes > budgetMinutes ? ', OVER BUDGET' : ''}`
console.log(
  `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped · ${minutes.toFixed(1)}${budget} min`,
)
process.exit(sum('failed') > 0 || unsteady.length > maxUnsteady ? 1 : 0)
