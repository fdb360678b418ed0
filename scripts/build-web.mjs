// Builds the web application when its sources changed since the last build, and does nothing otherwise. With the argument
// `kit` it builds, into .cache/kit, the page that shows every component (apps/web/kit.html) for its browser tests.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const kit = process.argv[2] === 'kit'
const page = kit ? 'apps/web/kit.html' : 'apps/web/index.html'
const inputs = [
  'apps/web/src',
  page,
  'apps/web/vite.config.ts',
  'scripts/build-web.mjs',
  'apps/web/public',
  'packages/contract/src',
  'packages/kernel/src',
  'package-lock.json',
]

const hash = createHash('sha256')
const add = (path) => {
  if (!existsSync(path)) return
  if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name))
  else hash.update(path.slice(root.length)).update(readFileSync(path))
}
for (const input of inputs) add(join(root, input))
const wanted = hash.digest('hex')
const stamp = join(root, kit ? '.cache/kit' : 'apps/web/dist', '.sources')
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0)
process.stdout.write(kit ? 'Building the page of components …\n' : 'Building the web application …\n')
const vite = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn', ...(kit ? ['--mode', 'kit'] : [])],
  {
    cwd: join(root, 'apps/web'),
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production', VITE_BUILD_HASH: wanted.slice(0, 12) },
  },
)
if (vite.status !== 0) process.exit(vite.status ?? 1)
writeFileSync(stamp, wanted)
