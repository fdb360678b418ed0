// Builds the server if its sources changed since the last build.
import { accessSync, constants } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildServer, isServerBuilt } from './build/server-build.mjs'
import { bundleServer } from './build/server-bundle.mjs'
import { showProgress } from './launch/progress.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
if (isServerBuilt(root)) process.exit(0)
const folder = join(root, 'apps/server')
try {
  accessSync(folder, constants.W_OK)
} catch {
  process.stderr.write(`Cannot build the server: ${folder} cannot be written to.\n`)
  process.exit(1)
}
let modules = 0
const finish = showProgress(process.stdout, (seconds) => `Building the server: ${modules} modules, ${seconds} s`)
try {
  await buildServer(root, (draft) => bundleServer({ root, folder: draft, onModule: () => void modules++ }))
} catch (error) {
  finish('The build failed')
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
finish(`Built from ${modules} modules`)
