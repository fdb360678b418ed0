// npm run spec: which rows of docs/requirements.md the last `npm test` has proven. A row counts when for each kind of its
// check column a test whose title carries the row's id ran and passed, and none with the id failed.
// `npm run spec -- AUTH REG` shows only these areas, `-- --missing` lists only what is not proven.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { type CheckKind, parseRequirements, rowIdsIn, type TestResult, unprovenKinds } from './requirements.ts'

type VitestReport = {
  testResults: { name: string; assertionResults: { title: string; status: string }[] }[]
}
type PlaywrightSuite = {
  file: string
  specs?: { title: string; ok: boolean; tests: { status: string }[] }[]
  suites?: PlaywrightSuite[]
}

const folder = '.cache/results'

const report = (name: string): unknown => {
  const file = `${folder}/${name}.json`
  if (!existsSync(file)) {
    console.error(`There is no result of the suite ${name} yet: run npm test first.`)
    process.exit(2)
  }
  console.log(`${name.padEnd(8)} run ${statSync(file).mtime.toISOString()}`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Tests of the control plane go through the HTTP API, so they prove both what a unit and what a call does. */
const kindsOfUnit = (file: string): CheckKind[] => (file.includes('/packages/control/') ? ['unit', 'api'] : ['unit'])

const fromVitest = (json: unknown, kindsOf: (file: string) => CheckKind[]): TestResult[] =>
  (json as VitestReport).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ title, status }) => ({ title, kinds: kindsOf(name), passed: status === 'passed' })),
  )

const fromPlaywright = (suites: readonly PlaywrightSuite[]): TestResult[] =>
  suites.flatMap(({ specs = [], suites: inner = [] }) => [
    ...specs
      .filter(({ tests }) => tests.some(({ status }) => status !== 'skipped'))
      .map(({ title, ok }): TestResult => ({ title, kinds: ['browser'], passed: ok })),
    ...fromPlaywright(inner),
  ])

const args = process.argv.slice(2)
const onlyMissing = args.includes('--missing')
const areas = args.filter((arg) => !arg.startsWith('--'))
const rows = parseRequirements(readFileSync('docs/requirements.md', 'utf8'))
const results = [
  ...fromVitest(report('unit'), kindsOfUnit),
  ...fromVitest(report('product'), () => ['api']),
  ...fromPlaywright((report('browser') as { suites: PlaywrightSuite[] }).suites),
]

const problems: string[] = []
const known = new Set(rows.map(({ id }) => id))
for (const { title } of results) {
  const ids = rowIdsIn(title)
  if (ids.length > 5) problems.push(`more than five rows in one test: ${title}`)
  for (const id of ids) if (!known.has(id)) problems.push(`there is no row ${id}: ${title}`)
}

let proven = 0
let wanted = 0
const missing: string[] = []
for (const area of new Set(rows.map((row) => row.area))) {
  if (areas.length > 0 && !areas.includes(area)) continue
  const here = rows.filter((row) => row.area === area)
  let done = 0
  for (const row of here) {
    const about = results.filter(({ title }) => rowIdsIn(title).includes(row.id))
    const unproven = unprovenKinds(row, about)
    const failed = about.filter(({ passed }) => !passed)
    for (const { title } of failed) problems.push(`failed: ${title}`)
    if (unproven.length === 0 && failed.length === 0) done++
    else missing.push(`${row.id.padEnd(8)} ${unproven.join(' and ') || 'failed'}: ${row.text.slice(0, 110)}`)
  }
  proven += done
  wanted += here.length
  if (!onlyMissing) console.log(`${area.padEnd(5)} ${String(done).padStart(3)} of ${here.length}`)
}
console.log(`${proven} of ${wanted} rows proven`)
if (missing.length > 0) console.log(`\nnot proven:\n${missing.join('\n')}`)
if (problems.length > 0) console.log(`\nproblems:\n${[...new Set(problems)].join('\n')}`)
process.exit(problems.length > 0 ? 1 : 0)
