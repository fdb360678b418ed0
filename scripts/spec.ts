// npm run spec: shows which rows of docs/requirements.md the last `npm test` has proven. A row is proven if the titles
// of passed tests claim every check and every clause of it. A failed test with the ID of the row withdraws the proof.
// `npm run spec -- AUTH REG` shows only these areas, `-- --missing` lists only unproven rows. With `-- --strict` the
// exit code is 1 unless a complete run on the current files proves every row.
import { readFileSync } from 'node:fs'
import { missingOf, parseRequirements, titleProblems } from './requirements.ts'
import { currentCommit, gapsOf, readResults, recordedRuns, suiteNames } from './test-results.ts'

const args = process.argv.slice(2)
const strict = args.includes('--strict')
const onlyMissing = args.includes('--missing')
const areas = args.filter((arg) => !arg.startsWith('--'))
const rows = parseRequirements(readFileSync('docs/requirements.md', 'utf8')).filter(
  ({ area }) => areas.length === 0 || areas.includes(area),
)

const runs = recordedRuns()
const results = readResults()
if (results.length === 0) {
  console.error('There are no results yet. Run npm test first.')
  process.exit(2)
}
for (const suite of suiteNames) {
  const run = runs[suite]
  if (run !== undefined) console.log(`${suite.padEnd(8)} ran on ${run.commit.slice(0, 9)} until ${run.ended}`)
}
const gaps = gapsOf(runs, currentCommit())
console.log(gaps.length === 0 ? 'The results are from a complete run.' : `The results are partial: ${gaps.join('; ')}.`)

const missing = new Map(rows.map((row) => [row.id, missingOf(row, results)]))
const isProven = ({ id }: { id: string }): boolean => missing.get(id)?.length === 0
if (!onlyMissing)
  for (const area of new Set(rows.map((row) => row.area))) {
    const here = rows.filter((row) => row.area === area)
    console.log(`${area.padEnd(5)} ${String(here.filter(isProven).length).padStart(3)} of ${here.length}`)
  }
const withdrawn = rows.filter((row) => row.withdrawn !== undefined)
const open = rows.filter((row) => row.withdrawn === undefined && !isProven(row))
const waiting = open.filter(({ waitsFor }) => waitsFor !== undefined).length
const proven = rows.length - open.length - withdrawn.length
console.log(
  `${proven} of ${rows.length} rows proven, ${waiting} wait for what is not built, ${withdrawn.length} are withdrawn`,
)
if (withdrawn.length > 0 && !onlyMissing)
  console.log(`\nwithdrawn:\n${withdrawn.map((row) => `${row.id.padEnd(8)} ${row.withdrawn}`).join('\n')}`)
if (open.length > 0) {
  console.log('\nnot proven:')
  for (const { id, text } of open)
    console.log(`${id.padEnd(8)} ${missing.get(id)?.join(' and ')}: ${text.slice(0, 110)}`)
}
const all = parseRequirements(readFileSync('docs/requirements.md', 'utf8'))
const problems = [
  ...titleProblems(
    all,
    results.map(({ title }) => title),
  ),
  ...results
    .filter(({ passed, title }) => !passed && /\b[A-Z]{2,4}-\d\d/.test(title))
    .map(({ title }) => `failed: ${title}`),
]
if (problems.length > 0) console.log(`\nproblems:\n${[...new Set(problems)].join('\n')}`)
process.exit(problems.length > 0 || (strict && (open.length > 0 || gaps.length > 0)) ? 1 : 0)
