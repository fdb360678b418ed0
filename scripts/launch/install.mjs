import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeInstallLock } from './install-lock.mjs'
import { describeNpmFailure } from './npm-failure.mjs'
import { run } from './processes.mjs'
import { LaunchFailed, showProgress } from './progress.mjs'

/** @typedef {Readonly<Record<string, { os?: string[], cpu?: string[], libc?: string[], link?: boolean }>>} LockedPackages */

/** Files of an install, below the root of a checkout. The marker is outside what an install writes and removes.
 * @param {string} root */
const filesOf = (root) => ({
  lockfile: join(root, 'package-lock.json'),
  modules: join(root, 'node_modules'),
  /** Says which lockfile is installed whole. */
  stamp: join(root, 'node_modules', '.tributary-installed'),
  /** What npm writes last. */
  npmsOwn: join(root, 'node_modules', '.package-lock.json'),
  marker: join(root, '.cache', 'install.unfinished'),
  lock: join(root, '.cache', 'install.lock'),
})

/** @param {string} root */
const wantedStamp = (root) =>
  createHash('sha256')
    .update(readFileSync(filesOf(root).lockfile))
    .digest('hex')

/** @param {string} root
 * @returns {LockedPackages} */
const lockedPackages = (root) => JSON.parse(readFileSync(filesOf(root).lockfile, 'utf8')).packages ?? {}

/**
 * What is there: `installed` what package-lock.json says; `unfinished` the rest of an install that was interrupted, which
 * npm would take for installed; `other` a complete install of another lockfile or one made by hand; `nothing`.
 *
 * @param {string} root
 * @returns {'installed' | 'unfinished' | 'other' | 'nothing'}
 */
export const installState = (root) => {
  const at = filesOf(root)
  if (existsSync(at.marker)) return 'unfinished'
  if (!existsSync(at.modules)) return 'nothing'
  if (existsSync(at.stamp)) return readFileSync(at.stamp, 'utf8') === wantedStamp(root) ? 'installed' : 'other'
  return existsSync(at.npmsOwn) ? 'other' : 'unfinished'
}

/** Has the next command install everything anew: for when installed files turn out to be damaged.
 * @param {string} root */
export const distrustInstall = (root) => writeFileSync(filesOf(root).marker, '')

/** Whether npm installs such a package here.
 * @param {LockedPackages[string]} entry */
const isForHere = ({ os, cpu, libc }) => {
  /** @param {string[] | undefined} list @param {string} own */
  const fits = (list, own) => list === undefined || list.includes(own) || (list[0] ?? '').startsWith('!')
  return fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, 'glibc')
}

/** How many packages of the lockfile are there, and how many are to be.
 * @param {string} root */
export const countPackages = (root) => {
  const wanted = Object.entries(lockedPackages(root))
    .filter(([path, entry]) => path.includes('node_modules/') && entry.link !== true && isForHere(entry))
    .map(([path]) => path)
  return {
    total: wanted.length,
    done: () => wanted.filter((path) => existsSync(join(root, path, 'package.json'))).length,
  }
}

/** Removes what an interrupted install has left, in workspaces too.
 * @param {string} root */
const removeModules = (root) => {
  const folders = Object.keys(lockedPackages(root)).flatMap(
    (path) => /^(?:(?!node_modules\/).+?\/)?node_modules/.exec(path)?.[0] ?? [],
  )
  for (const folder of new Set(['node_modules', ...folders]))
    rmSync(join(root, folder), { recursive: true, force: true })
}

/** The npm that runs this command, so that one that is not in PATH serves too; else the one of PATH.
 * @param {NodeJS.ProcessEnv} env
 * @returns {[command: string, args: string[]]} */
const npmOf = ({ npm_execpath: path }) =>
  path !== undefined && path.endsWith('npm-cli.js') && existsSync(path) ? [process.execPath, [path]] : ['npm', []]

/** Not `npm ci`: it refuses a lockfile that lacks the binaries of platforms which a registry mirror does not carry. */
const npmArgs = [
  'install',
  '--no-save',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--no-progress',
  // A registry that is not there is told within seconds, one that does not answer within a minute and a half.
  '--fetch-retries=2',
  '--fetch-timeout=30000',
  '--fetch-retry-mintimeout=500',
  '--fetch-retry-maxtimeout=2000',
]

/** @typedef {{ root: string, env: NodeJS.ProcessEnv, out: { write(text: string): unknown, isTTY?: boolean }, onSpawn?: (child: import('node:child_process').ChildProcess) => void }} InstallOptions */

/** @param {InstallOptions} options @param {(pid: number | undefined) => void} noteNpm */
const runNpm = async ({ root, env, out, onSpawn }, noteNpm) => {
  const { total, done } = countPackages(root)
  let output = ''
  let last = -1
  let since = 0
  const finish = showProgress(out, (seconds) => {
    const now = done()
    if (now !== last) [last, since] = [now, seconds]
    const quiet = seconds - since >= 40 ? `, none for ${seconds - since} s: is the package registry reachable?` : ''
    return `Installing dependencies (once): ${now} of ${total} packages, ${seconds} s${quiet}`
  })
  const [npm, first] = npmOf(env)
  const end = await run(npm, [...first, ...npmArgs], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] }, (child) => {
    noteNpm(child.pid)
    onSpawn?.(child)
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output = (output + chunk).slice(-64_000)
      })
  })
  finish(end.code === 0 ? `Installed ${done()} packages` : 'The install failed')
  if (end.code !== 0) throw new LaunchFailed(describeNpmFailure(end, output, root))
}

/**
 * Installs what package-lock.json says unless exactly that is there. An install that was interrupted at any moment, by
 * whatever signal, is begun anew from nothing. A second command waits for the first one's install.
 *
 * @param {InstallOptions} options `onSpawn` gets npm's process
 * @returns {Promise<void>} rejects with LaunchFailed, whose message says what to do
 */
export const install = async (options) => {
  const { root, out } = options
  const at = filesOf(root)
  if (installState(root) === 'installed') return
  const lock = await takeInstallLock(at.lock, (text) => void out.write(text))
  try {
    const state = installState(root)
    if (state === 'installed') return
    writeFileSync(at.marker, '')
    if (state === 'unfinished') {
      out.write('The last install did not finish. Its files are removed, and it starts over.\n')
      removeModules(root)
    }
    rmSync(at.stamp, { force: true })
    await runNpm(options, lock.noteNpm)
    writeFileSync(at.stamp, wantedStamp(root))
    rmSync(at.marker)
  } finally {
    lock.release()
  }
}
