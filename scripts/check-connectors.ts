// Reports missing parts of connector folders (definition, guide, logo, tests). Also reports a generated catalog that
// does not match the folders. Part of `npm run check`. The argument can be the path of another working copy.
import { resolve } from 'node:path'
import { connectorProblems } from './connector-problems.ts'

const problems = await connectorProblems(resolve(process.argv[2] ?? '.'))
for (const [place, lines] of problems) console.log(`${place}\n${lines.map((line) => `  ${line}`).join('\n')}`)
console.log(problems.size === 0 ? 'Every connector is complete' : `${problems.size} are not complete`)
process.exit(problems.size > 0 ? 1 : 0)
