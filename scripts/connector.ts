// npm run connector -- <slug>: creates the folder of a new destination and lists the parts that are still missing. The
// destination is described by data; with --code, it is written in TypeScript. Without a slug, generates the catalog again.
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { catalogFile } from './connector-catalog.ts'
import { connectorProblems } from './connector-problems.ts'
import { makeConnector, writeCatalog } from './make-connector.ts'

const given = process.argv.slice(2)
const [slug] = given.filter((argument) => argument !== '--code')
const kind = given.includes('--code') ? 'code' : 'description'
const root = resolve('.')
try {
  if (slug === undefined) await writeCatalog(root)
  else {
    const folder = await makeConnector(root, slug, kind)
    spawnSync('biome', ['format', '--write', folder])
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
console.log(`${catalogFile} is what the folders say.`)
if (slug !== undefined) {
  console.log(`connectors/destinations/${slug} is created. To fill in (npm run check lists it too):`)
  for (const line of (await connectorProblems(root)).get(`connectors/destinations/${slug}`) ?? [])
    console.log(`  ${line}`)
  const tests = kind === 'code' ? `destinations/${slug}` : 'described.test.ts'
  console.log(`Its tests: node_modules/.bin/vitest run --project unit connectors/${tests}`)
}
