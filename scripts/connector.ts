// npm run connector -- <slug>: makes the folder of a new destination, registers it, and names what is to be filled in.
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { connectorProblems } from './connector-problems.ts'
import { makeConnector } from './make-connector.ts'

const [slug] = process.argv.slice(2)
if (slug === undefined) {
  console.error('Name the destination: npm run connector -- google-sheets')
  process.exit(2)
}
const root = resolve('.')
try {
  makeConnector(root, slug)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
const changed = [`connectors/destinations/${slug}`, 'apps/server/src/catalog.ts', 'apps/server/package.json']
spawnSync('biome', ['check', '--write', ...changed], { stdio: ['ignore', 'ignore', 'inherit'] })
console.log(`connectors/destinations/${slug} is created and registered. To fill in (npm run check lists it too):`)
for (const line of (await connectorProblems(root)).get(slug) ?? []) console.log(`  ${line}`)
console.log(`Its tests: node_modules/.bin/vitest run --project unit connectors/destinations/${slug}`)
