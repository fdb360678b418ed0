// Names what the folders of destinations lack: definition, guide, logo, tests, registration. Part of `npm run check`;
// another working copy can be named.
import { resolve } from 'node:path'
import { connectorProblems } from './connector-problems.ts'

const problems = await connectorProblems(resolve(process.argv[2] ?? '.'))
for (const [slug, lines] of problems)
  console.log(`connectors/destinations/${slug}\n${lines.map((line) => `  ${line}`).join('\n')}`)
console.log(problems.size === 0 ? 'Every destination is complete' : `${problems.size} destinations are not complete`)
process.exit(problems.size > 0 ? 1 : 0)
