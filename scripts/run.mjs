// Entry of every root command. Plain JavaScript that any Node 20+ can run: it installs what is missing, then continues
// under the Node that the project pins. Nothing here needs an install script or a build step.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [task, ...args] = process.argv.slice(2)

const tasks = {
  start: { script: 'apps/server/src/main.ts', web: true },
  dev: { script: 'scripts/dev.ts' },
  test: { script: 'scripts/test.ts', web: true },
  check: { script: 'scripts/check.ts' },
  spec: { script: 'scripts/spec.ts' },
  format: { script: 'scripts/format.ts' },
  bench: { script: 'bench/main.ts', web: true },
  soak: { script: 'scripts/soak.ts', web: true },
  screenshots: { script: 'e2e/screenshots.ts', web: true },
  demo: { script: 'scripts/demo.ts' },
  backup: { script: 'scripts/backup.ts' },
  restore: { script: 'scripts/restore.ts' },
  connector: { script: 'scripts/connector.ts' },
  'rotate-key': { script: 'scripts/rotate-key.ts' },
}

const fail = (message) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** Installs the locked dependencies unless exactly these are there. A second command waits for the first one's install. */
const install = () => {
  const lockfile = readFileSync(join(root, 'package-lock.json'))
  const wanted = createHash('sha256').update(lockfile).digest('hex')
  const stamp = join(root, 'node_modules', '.tributary-installed')
  const installed = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
  if (installed()) return
  const lock = join(root, '.cache', 'install.lock')
  mkdirSync(dirname(lock), { recursive: true })
  const deadline = Date.now() + 10 * 60_000
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch {
      const owner = Number(existsSync(lock) ? readFileSync(lock, 'utf8') : 0)
      if (!owner || !existsSync(`/proc/${owner}`)) rmSync(lock, { force: true })
      else if (Date.now() > deadline)
        fail(`Another install (process ${owner}) does not end; remove ${lock} and try again.`)
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    }
  }
  try {
    if (installed()) return
    process.stdout.write('Installing dependencies (once; about a minute) …\n')
    // Not `npm ci`: it refuses a lockfile that lacks the binaries of platforms which a registry mirror does not carry.
    const npm = spawnSync(
      'npm',
      ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
      {
        cwd: root,
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    )
    if (npm.status !== 0)
      fail('npm install failed: see its message above. The package registry must be reachable for the first start.')
    writeFileSync(stamp, wanted)
  } finally {
    rmSync(lock, { force: true })
  }
}

/** The pinned Node from the dependencies, else this one if it is new enough. */
const pinnedNode = () => {
  const packaged = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(packaged)) return packaged
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  return fail(`On ${process.platform}-${process.arch} Tributary needs Node 24 or newer; this is ${process.version}.`)
}

if (!task || !(task in tasks)) fail(`Usage: npm run <${Object.keys(tasks).join('|')}>`)
install()
const node = pinnedNode()
const environment = {
  ...process.env,
  PATH: `${dirname(node)}:${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`,
  UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE ?? '16',
  // Compiled code and stripped types are kept: a start is faster, and threads do without the type stripper's memory.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compile'),
  // glibc makes an arena of memory for each thread, which keep what they once had: 40 MB more for nothing.
  MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2',
}
if (tasks[task].web) {
  const built = spawnSync(node, [join(root, 'scripts', 'build-web.mjs')], {
    cwd: root,
    env: environment,
    stdio: 'inherit',
  })
  if (built.status !== 0) fail('The web application could not be built: see the message above.')
}
const script = join(root, tasks[task].script)
statSync(script)
const child = spawn(node, ['--disable-warning=ExperimentalWarning', script, ...args], {
  cwd: root,
  env: environment,
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
