import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeInstallLock } from './install-lock.mjs'
import { describeNpmFailure } from './npm-failure.mjs'
import { run } from './processes.mjs'
import { LaunchFailed, showProgress } from './progress.mjs'

/**
 * The packages of package-lock.json that a command needs. `run` includes the packages for building and running the
 * product; `all` also includes test tools, browsers and linters.
 *
 * @typedef {'run' | 'all'} Scope
 */

/**
 * Files of an install, below the root of a checkout. The marker is outside of the folders that an install writes and
 * removes.
 * @param {string} root
 */
const filesOf = (root) => ({
  lockfile: join(root, 'package-lock.json'),
  modules: join(root, 'node_modules'),
  /** A file whose content identifies the lockfile that is completely installed. */
  stamp: join(root, 'node_modules', '.tributary-installed'),
  /** A file that npm writes at the end of an install. */
  npmsOwn: join(root, 'node_modules', '.package-lock.json'),
  marker: join(root, '.cache', 'install.unfinished'),
  lock: join(root, '.cache', 'install.lock'),
})

/**
 * Returns the text of a file; '' if there is none.
 * @param {string} path
 */
const textOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')

/**
 * Returns the text in the stamp of a complete install.
 * @param {string} root @param {Scope} scope
 */
const wantedStamp = (root, scope) =>
  createHash('sha256')
    .update(readFileSync(filesOf(root).lockfile))
    .digest('hex') + (scope === 'all' ? '' : ' run')

/**
 * Returns the packages that npm writes, with the path of each.
 * @param {string} root
 * @returns {[path: string, entry: { cpu?: string[], link?: boolean, dev?: boolean }][]}
 */
const lockedPackages = (root) =>
  Object.entries(JSON.parse(textOf(filesOf(root).lockfile)).packages ?? {}).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  )

/**
 * Returns the state of an install:
 * - `installed`: it has the packages of package-lock.json, at least as much as `scope`.
 * - `unfinished`: it is the rest of an interrupted install, which npm would take for installed.
 * - `other`: it is a complete install of less, of another lockfile, or by hand.
 * - `nothing`: there is none.
 *
 * @param {string} root
 * @param {Scope} [scope]
 * @returns {'installed' | 'unfinished' | 'other' | 'nothing'}
 */
export const installState = (root, scope = 'run') => {
  const at = filesOf(root)
  if (existsSync(at.marker)) return 'unfinished'
  if (!existsSync(at.modules)) return 'nothing'
  const stamp = textOf(at.stamp)
  if (stamp === '') return existsSync(at.npmsOwn) ? 'other' : 'unfinished'
  return stamp === wantedStamp(root, 'all') || stamp === wantedStamp(root, scope) ? 'installed' : 'other'
}

/**
 * Makes the next command install everything again, because installed files are damaged.
 * @param {string} root
 */
export const distrustInstall = (root) => writeFileSync(filesOf(root).marker, '')

/**
 * Removes the remains of an interrupted install, also in workspaces.
 * @param {string} root
 */
const removeModules = (root) => {
  const folders = lockedPackages(root).map(([path]) => path.slice(0, path.indexOf('node_modules')))
  for (const folder of new Set(['', ...folders]))
    rmSync(join(root, folder, 'node_modules'), { recursive: true, force: true })
}

/**
 * Arguments of npm. `npm ci` is not used, because it refuses a lockfile that lacks the binaries of some platforms, as
 * behind some registry mirrors.
 */
const npmArgs =
  'install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error --no-progress ' +
  // A missing registry is reported within seconds, an unresponsive one within a minute and a half.
  '--fetch-retries=2 --fetch-timeout=30000 --fetch-retry-mintimeout=500 --fetch-retry-maxtimeout=2000'

/** @param {string} root @param {Scope} scope @param {(pid: number | undefined) => void} noteNpm */
const runNpm = async (root, scope, noteNpm) => {
  const manifests = lockedPackages(root)
    .filter(([, { cpu, dev }]) => cpu?.includes(process.arch) !== false && (scope === 'all' || dev !== true))
    .map(([path]) => join(root, path, 'package.json'))
  const count = () => manifests.filter((path) => existsSync(path)).length
  const finish = showProgress(
    process.stdout,
    (seconds) => `Installing dependencies (once): ${count()} of ${manifests.length} packages, ${seconds} s`,
  )
  let output = ''
  // The option is set in both cases, because NODE_ENV and the user's own settings may have another value.
  const args = [...npmArgs.split(' '), scope === 'all' ? '--include=dev' : '--omit=dev']
  const end = await run('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] }, (child) => {
    noteNpm(child.pid)
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output = (output + chunk).slice(-64_000)
      })
  })
  finish(end.code === 0 ? `Installed ${count()} packages` : 'The install failed')
  if (end.code !== 0) throw new LaunchFailed(describeNpmFailure(end, output, root))
}

/**
 * Installs the packages of package-lock.json that `scope` needs, unless they are installed. Packages that an earlier
 * install added for tests are kept and updated, and so are packages that were installed by hand. After an interrupted
 * install, everything is installed again from nothing. A second command waits for the install of the first one.
 *
 * @param {string} root @param {Scope} wanted
 * @returns {Promise<void>} rejects with LaunchFailed, whose message says what to do
 */
export const install = async (root, wanted) => {
  const at = filesOf(root)
  if (installState(root, wanted) === 'installed') return
  const lock = await takeInstallLock(at.lock)
  try {
    const state = installState(root, wanted)
    if (state === 'installed') return
    const scope = state === 'other' && !textOf(at.stamp).endsWith(' run') ? 'all' : wanted
    writeFileSync(at.marker, '')
    if (state === 'unfinished') {
      process.stdout.write('The last install did not finish. Its files are removed, and it starts over.\n')
      removeModules(root)
    }
    rmSync(at.stamp, { force: true })
    await runNpm(root, scope, lock.noteNpm)
    writeFileSync(at.stamp, wantedStamp(root, scope))
    rmSync(at.marker)
  } finally {
    lock.release()
  }
}
