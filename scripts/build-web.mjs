// Builds the web application if its sources changed since the last build. With the argument `kit` it builds, into
// .cache/kit, the page that shows every component (apps/web/kit.html) for its browser tests.
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { compressFolder } from './build/compress.mjs'
import { hashOfSources } from './build/sources.mjs'
import { tagBuild } from './build/tag-build.mjs'
import { showProgress } from './launch/progress.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const kit = process.argv[2] === 'kit'
const page = kit ? 'apps/web/kit.html' : 'apps/web/index.html'
const inputs = [
  'apps/web/src',
  page,
  'apps/web/vite.config.ts',
  'scripts/build-web.mjs',
  'scripts/build/compress.mjs',
  'scripts/build/sources.mjs',
  'scripts/build/tag-build.mjs',
  'apps/web/public',
  'packages/contract/src',
  'packages/kernel/src',
  'package-lock.json',
]

const wanted = hashOfSources(root, inputs)
const stamp = join(root, kit ? '.cache/kit' : 'apps/web/dist', '.sources')
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0)
const folder = join(root, 'apps/web')
try {
  accessSync(folder, constants.W_OK)
} catch {
  process.stderr.write(`Cannot build the web application: ${folder} cannot be written to.\n`)
  process.exit(1)
}
Object.assign(process.env, { NODE_ENV: 'production', VITE_BUILD_HASH: wanted.slice(0, 12) })
/** @type {typeof import('vite')} */
const { build } = await import(pathToFileURL(join(root, 'node_modules/vite/dist/node/index.js')).href)

let modules = 0
let doing = 'reading'
const finish = showProgress(
  process.stdout,
  (seconds) =>
    `Building ${kit ? 'the page of components' : 'the web application'}: ${doing}, ${modules} modules, ${seconds} s`,
)
try {
  await build({
    root: folder,
    configFile: join(folder, 'vite.config.ts'),
    logLevel: 'warn',
    ...(kit ? { mode: 'kit' } : {}),
    plugins: [
      {
        name: 'progress',
        moduleParsed: () => void modules++,
        renderStart() {
          doing = 'writing'
        },
      },
    ],
  })
  doing = 'compressing'
  if (!kit) {
    await build(tagBuild(root))
    await compressFolder(join(folder, 'dist'))
  }
} catch (error) {
  finish('The build failed')
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
writeFileSync(stamp, wanted)
finish(`Built from ${modules} modules`)
