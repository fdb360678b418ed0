import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { CheckKind, ProofKind, TestResult } from './requirements.ts'

const folder = '.cache/results'

/** The suites of `npm test`, in their order. */
export const suiteNames = ['unit', 'product', 'browser'] as const
export type SuiteName = (typeof suiteNames)[number]

/**
 * The state of the files during a suite's run: the commit ('' outside a repository), and whether files differed from
 * the commit before or after the run.
 */
export type SuiteRun = { commit: string; changed: boolean; ended: string }

type VitestReport = {
  testResults: {
    name: string
    status?: string
    message?: string
    assertionResults: { title: string; status: string; failureMessages?: string[] }[]
  }[]
}
type PlaywrightSuite = {
  file: string
  specs?: { title: string; ok: boolean; tests: { status: string; results?: { error?: { message?: string } }[] }[] }[]
  suites?: PlaywrightSuite[]
}

/** Returns the path of a suite's report, relative to the root of the repository. */
export const reportOf = (suite: string): string => `${folder}/${suite}.json`
const runOf = (suite: string): string => `${folder}/${suite}.run.json`

const git = (...args: string[]): string | undefined => {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/** Returns the current commit, and whether files differ from it. */
export const currentCommit = (): { commit: string; changed: boolean } => ({
  commit: git('rev-parse', 'HEAD') ?? '',
  changed: git('status', '--porcelain') !== '',
})

/** Deletes the results of a suite's earlier run. */
export const forgetRun = (suite: string): void => {
  for (const file of [reportOf(suite), runOf(suite)]) rmSync(file, { force: true })
}

/** Records that a suite ran to its end on the current files; `before` is the state of the files when it began. */
export const recordRun = (suite: string, before: { commit: string; changed: boolean }): void => {
  const now = currentCommit()
  const changed = before.changed || now.changed || before.commit !== now.commit
  const run: SuiteRun = { commit: now.commit, changed, ended: new Date().toISOString() }
  writeFileSync(runOf(suite), JSON.stringify(run))
}

/** Reads the recorded state of the files for each suite's run; undefined for a suite that did not run to its end. */
export const recordedRuns = (): Record<SuiteName, SuiteRun | undefined> => {
  const read = (suite: SuiteName): SuiteRun | undefined =>
    existsSync(runOf(suite)) && existsSync(reportOf(suite))
      ? (JSON.parse(readFileSync(runOf(suite), 'utf8')) as SuiteRun)
      : undefined
  return { unit: read('unit'), product: read('product'), browser: read('browser') }
}

/** Returns why results do not apply to the current files; empty if every suite ran on exactly these files. */
export const gapsOf = (
  runs: Readonly<Record<SuiteName, SuiteRun | undefined>>,
  now: { commit: string; changed: boolean },
): string[] => {
  const gaps = suiteNames.flatMap((suite) => {
    const run = runs[suite]
    if (run === undefined) return [`the suite ${suite} did not run to its end`]
    if (run.commit === '' || now.commit === '') return [`the commit of the suite ${suite} is not known`]
    if (run.changed) return [`the suite ${suite} ran on ${run.commit.slice(0, 9)} with changes that are in no commit`]
    return run.commit === now.commit ? [] : [`the suite ${suite} ran on ${run.commit.slice(0, 9)}`]
  })
  return now.changed ? [...gaps, 'there are changes that are in no commit'] : gaps
}

/** Tests of the control plane use the HTTP API, so they prove both unit and API checks. */
const kindsOfUnit = (file: string): CheckKind[] => (file.includes('/packages/control/') ? ['unit', 'api'] : ['unit'])

/** Returns the tests of a vitest report that ran, with the kinds of checks that their file proves. */
export const fromVitest = (json: unknown, kindsOf: (file: string) => ProofKind[]): TestResult[] =>
  (json as VitestReport).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ title, status }) => ({ title, kinds: kindsOf(name), passed: status === 'passed' })),
  )

const isGallery = (file: string): boolean => /(?:^|\/)kit\.spec\.ts$/.test(file)

/**
 * Returns the tests of a Playwright report that ran. Tests on the page of components only prove checks of the gallery.
 */
export const fromPlaywright = (json: unknown): TestResult[] => {
  const inside = (suites: readonly PlaywrightSuite[]): TestResult[] =>
    suites.flatMap(({ file, specs = [], suites: inner = [] }) => [
      ...specs
        .filter(({ tests }) => tests.some(({ status }) => status !== 'skipped'))
        .map(({ title, ok }): TestResult => ({ title, kinds: [isGallery(file) ? 'gallery' : 'browser'], passed: ok })),
      ...inside(inner),
    ])
  return inside((json as { suites: PlaywrightSuite[] }).suites)
}

type FailedTest = { title: string; file: string; why: string }

const failedOfVitest = ({ testResults }: VitestReport): FailedTest[] =>
  testResults.flatMap(({ name: file, message = '', status, assertionResults }) => {
    const own = assertionResults
      .filter((each) => each.status === 'failed')
      .map(({ title, failureMessages = [] }) => ({ title, file, why: failureMessages[0] ?? '' }))
    return status === 'failed' && own.length === 0 ? [{ title: 'the file itself', file, why: message }] : own
  })

type PlaywrightSpec = NonNullable<PlaywrightSuite['specs']>[number]

const testsOfPlaywright = (
  suites: readonly PlaywrightSuite[],
  isWanted: (spec: PlaywrightSpec) => boolean,
): FailedTest[] =>
  suites.flatMap(({ file, specs = [], suites: inner = [] }) => [
    ...specs.filter(isWanted).map(({ title, tests }) => ({
      title,
      file,
      why: tests.flatMap(({ results = [] }) => results.map(({ error }) => error?.message ?? ''))[0] ?? '',
    })),
    ...testsOfPlaywright(inner, isWanted),
  ])

const failedOfPlaywright = (suites: readonly PlaywrightSuite[]): FailedTest[] =>
  testsOfPlaywright(suites, ({ ok }) => !ok)

const flakyOfPlaywright = (suites: readonly PlaywrightSuite[]): FailedTest[] =>
  testsOfPlaywright(suites, ({ ok, tests }) => ok && tests.some(({ status }) => status === 'flaky'))

const paragraphs = (failed: readonly FailedTest[]): string[] =>
  failed.map(({ title, file, why }) => {
    const lines = stripVTControlCharacters(why).split('\n').slice(0, 8)
    return [`${relative(process.cwd(), file)} › ${title}`, ...lines.map((line) => `    ${line.slice(0, 300)}`)].join(
      '\n',
    )
  })

/**
 * Returns the failed tests of a report of either kind, each as a paragraph: file, title and the first lines of the
 * reason.
 */
export const failuresIn = (json: unknown): string[] => {
  const report = json as VitestReport | { suites: PlaywrightSuite[] }
  const failed = 'suites' in report ? failedOfPlaywright(report.suites) : failedOfVitest(report)
  return paragraphs(failed)
}

/** Returns the files with a failed test in a report of vitest; of another report, none. */
export const failedFilesOf = (json: unknown): string[] =>
  ((json as Partial<VitestReport>).testResults ?? [])
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => name)

type Counts = { numPassedTests: number; numFailedTests: number; numPendingTests: number; success: boolean }

/** Returns a report of vitest in which the results of the files of a second run replace those of the first. */
export const afterSecondRun = (first: unknown, second: unknown): VitestReport & Counts => {
  const again = new Map((second as VitestReport).testResults.map((file) => [file.name, file]))
  const report = first as VitestReport
  const testResults = report.testResults.map((file) => again.get(file.name) ?? file)
  const count = (...wanted: string[]): number =>
    testResults.flatMap((file) => file.assertionResults).filter(({ status }) => wanted.includes(status)).length
  return {
    ...report,
    testResults,
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('pending', 'skipped'),
    success: testResults.every(({ status }) => status === 'passed'),
  }
}

/** Returns the tests that failed at first and passed when run again, in the form of `failuresIn`. */
export const unsteadyIn = (first: unknown, last: unknown): string[] => {
  if ('suites' in (first as object))
    return paragraphs(flakyOfPlaywright((first as { suites: PlaywrightSuite[] }).suites))
  const left = new Set(failedOfVitest(last as VitestReport).map(({ file }) => file))
  return paragraphs(failedOfVitest(first as VitestReport).filter(({ file }) => !left.has(file)))
}

/** Returns the tests of every suite that has a report. */
export const readResults = (): TestResult[] => {
  const read = (suite: SuiteName, parse: (json: unknown) => TestResult[]): TestResult[] =>
    existsSync(reportOf(suite)) ? parse(JSON.parse(readFileSync(reportOf(suite), 'utf8'))) : []
  return [
    ...read('unit', (json) => fromVitest(json, kindsOfUnit)),
    ...read('product', (json) => fromVitest(json, () => ['api'])),
    ...read('browser', fromPlaywright),
  ]
}
