import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import {
  afterSecondRun,
  currentCommit,
  failedFilesOf,
  failuresIn,
  forgetRun,
  joinReports,
  recordRun,
  reportOf,
  type SuiteName,
  unsteadyIn,
} from './test-results.ts'

type Outcome = { passed: number; failed: number; skipped: number }

/** A command that runs tests of a suite. */
type Part = {
  suite: SuiteName
  command: string
  /** The arguments of the command, which writes a report of vitest or Playwright. */
  args: (report: string) => string[]
  /** Whether nothing else may run on the machine. */
  isAlone: boolean
  /** Whether the command runs failed tests a second time. */
  repeats: boolean
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

/** The parts of all suites, in their order. The first ones take longest. */
const parts: readonly Part[] = [
  {
    suite: 'product',
    command: 'vitest',
    args: vitest('product', 'product-shared'),
    isAlone: false,
    repeats: false,
  },
  { suite: 'unit', command: 'vitest', args: vitest('unit', 'web-logic', 'web'), isAlone: false, repeats: false },
  {
    suite: 'browser',
    command: 'playwright',
    args: () => ['test', '--config', 'e2e/playwright.config.ts'],
    isAlone: false,
    repeats: true,
  },
  { suite: 'product', command: 'vitest', args: vitest('product-alone'), isAlone: true, repeats: false },
]

type VitestCounts = {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  testResults: { status: string; assertionResults: { status: string }[] }[]
  success: boolean
}
type PlaywrightCounts = { stats: Record<'expected' | 'unexpected' | 'flaky' | 'skipped', number> }

/**
 * Returns how many tests of a report passed, failed, and were skipped. A file of vitest without a failed test can fail,
 * such as in an import or a hook. It then counts as one failure.
 */
export const countTests = (report: unknown): Outcome => {
  if ('stats' in (report as object)) {
    const { expected, unexpected, flaky, skipped } = (report as PlaywrightCounts).stats
    return { passed: expected + flaky, failed: unexpected, skipped }
  }
  const { numPassedTests, numFailedTests, numPendingTests, testResults, success } = report as VitestCounts
  const brokenFiles = testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((each) => each.status !== 'failed'),
  ).length
  const failed = numFailedTests + brokenFiles
  return { passed: numPassedTests, failed: success ? failed : Math.max(1, failed), skipped: numPendingTests }
}

type End = { status: number | null; signal: NodeJS.Signals | null }

/** Runs a command to its end, and prints its lines after its name; without a name, it uses the terminal itself. */
const run = async (command: string, args: string[], env: NodeJS.ProcessEnv, name?: string): Promise<End> => {
  const child = spawn(command, args, { stdio: name === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'], env })
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => console.log(`${name} │ ${line}`))
  const [status, signal] = await once(child, 'close')
  return { status, signal }
}

/** More files than this do not fail by chance, so they do not run again. */
const maxFilesToRepeat = 3

/** What a part of a suite reported at first and at last, and how its command ended. */
type PartResult = { first: unknown; last: unknown; end: End }

/** Runs a part. If few of its files fail, they run a second time. Undefined if there is no report. */
const runPart = async (part: Part, env: NodeJS.ProcessEnv, name?: string): Promise<PartResult | undefined> => {
  const report = `${reportOf(part.suite)}${part.isAlone ? '.alone' : ''}`
  const start = async (path: string, files: readonly string[]): Promise<{ json: unknown; end: End }> => {
    rmSync(path, { force: true })
    const environment = { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${path}` }
    const end = await run(part.command, [...part.args(path), ...files], environment, name)
    return { json: JSON.parse(readFileSync(path, 'utf8')), end }
  }
  try {
    const { json: first, end } = await start(report, [])
    const files = failedFilesOf(first)
    if (part.repeats || files.length === 0 || files.length > maxFilesToRepeat) return { first, last: first, end }
    console.log(`\n── ${part.suite}: ${files.length} failed, which run a second time ──`)
    const second = await start(`${report}.second`, files).catch(() => undefined)
    if (second === undefined) return { first, last: first, end }
    return { first, last: afterSecondRun(first, second.json), end: second.end }
  } catch {
    return undefined
  }
}

/** The result of a suite: its counts, minutes, and failed and unsteady tests as paragraphs. */
type SuiteResult = Outcome & { suite: SuiteName; minutes: number; failures: string[]; unsteady: string[] }

/** A started suite: `add` runs one of its parts, and `end` writes its report. */
const openSuite = (suite: SuiteName, env: NodeJS.ProcessEnv, isNamed: boolean) => {
  forgetRun(suite)
  const before = currentCommit()
  const results: (PartResult | undefined)[] = []
  let ms = 0
  return {
    async add(part: Part): Promise<void> {
      console.log(`\n── ${suite}${part.isAlone ? ', tests that need the machine' : ''} ──`)
      const started = Date.now()
      results.push(await runPart(part, env, isNamed ? suite.padEnd(7) : undefined))
      ms += Date.now() - started
    },
    end(): SuiteResult {
      const reported = results.filter((each) => each !== undefined)
      const isIncomplete = reported.length < results.length
      const last = reported.length === 0 ? undefined : joinReports(reported.map((each) => each.last))
      const outcome = last === undefined ? { passed: 0, failed: 0, skipped: 0 } : countTests(last)
      const isBroken = isIncomplete || reported.some(({ end }) => end.status !== 0)
      if (isBroken && outcome.failed === 0) outcome.failed = 1
      if (last !== undefined) {
        writeFileSync(reportOf(suite), JSON.stringify(last))
        if (!isIncomplete && reported.every(({ end }) => end.signal === null)) recordRun(suite, before)
      }
      return {
        ...outcome,
        suite,
        minutes: ms / 60_000,
        failures: reported.flatMap((each) => failuresIn(each.last)),
        unsteady: reported.flatMap((each) => unsteadyIn(each.first, each.last)),
      }
    },
  }
}

/**
 * Calls `start` for each part: `lanes` parts at a time in their order, then the ones that need the machine for
 * themselves, one after the other.
 */
export const runInLanes = async <Item extends { isAlone: boolean }>(
  items: readonly Item[],
  lanes: number,
  start: (item: Item) => Promise<void>,
): Promise<void> => {
  const queue = items.filter(({ isAlone }) => !isAlone)
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await start(item)
  }
  await Promise.all(Array.from({ length: lanes }, work))
  for (const item of items) if (item.isAlone) await start(item)
}

/** Runs the suites with these names, `lanes` parts at a time, and returns their results in the order of `names`. */
export const runSuites = async (
  names: readonly SuiteName[],
  lanes: number,
  env: NodeJS.ProcessEnv,
): Promise<SuiteResult[]> => {
  const isNamed = lanes > 1 && names.length > 1
  const given = isNamed ? { ...env, UNIT_TEST_WORKERS: '2' } : env
  const suites = new Map(names.map((suite) => [suite, openSuite(suite, given, isNamed)]))
  const wanted = parts.filter(({ suite }) => suites.has(suite))
  await runInLanes(wanted, lanes, async (part) => await suites.get(part.suite)?.add(part))
  return [...suites.values()].map((suite) => suite.end())
}
