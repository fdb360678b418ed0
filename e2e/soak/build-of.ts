import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const migrationFolders = ['packages/storage/src/relational/migrations', 'packages/storage/src/event-store/migrations']
/**
 * A file that exists since the first version that can run beside another version. Earlier versions do not work with the
 * baseline.
 */
const firstSign = 'packages/storage/src/relational/migrations/0200-baseline/baseline.ts'

const git = (...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

const has = (ref: string, path: string): boolean => git('cat-file', '-e', `${ref}:${path}`) !== undefined

/** A version of the product, by its commit; or why no version can be found. */
export type FoundVersion = { ref: string; said: string } | { ref: undefined; said: string }

const commitAdding = (paths: readonly string[]): string | undefined =>
  git('log', '-1', '--format=%H', '--diff-filter=A', '--', ...paths) || undefined

/**
 * Finds the version before the present one: the given name that Git can resolve, or the last commit before the newest
 * migration.
 */
export const versionBefore = (given: string | undefined): FoundVersion => {
  if (git('rev-parse', 'HEAD') === undefined) return { ref: undefined, said: 'There is no history of Git here' }
  if (given !== undefined && given !== '') {
    const ref = git('rev-parse', '--verify', `${given}^{commit}`)
    if (ref === undefined) return { ref, said: `Git knows no ${given}` }
    if (!has(ref, firstSign)) return { ref: undefined, said: `${given} is a version before the baseline` }
    return { ref, said: `${given} (${ref})` }
  }
  const newest = commitAdding(migrationFolders)
  const before = newest === undefined ? undefined : git('rev-parse', '--verify', `${newest}~1`)
  if (before !== undefined && has(before, firstSign))
    return { ref: before, said: `${before}, before the newest migration` }
  const first = commitAdding([firstSign])
  if (first === undefined) return { ref: undefined, said: 'No commit has what versions need to run together' }
  return {
    ref: first,
    said: `${first}, the first one that can: what is before the newest migration cannot run beside it`,
  }
}

const run = (cwd: string, command: string, ...args: string[]): void => {
  const { status, stderr, stdout } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1024 ** 3 })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
}

/** Links packages: those from registries to this checkout, the product's own packages to the folder. */
const linkModules = async (folder: string): Promise<void> => {
  const [from, to] = [join(root, 'node_modules'), join(folder, 'node_modules')]
  await mkdir(join(to, '@tributary'), { recursive: true })
  for (const name of await readdir(from)) if (name !== '@tributary') await symlink(join(from, name), join(to, name))
  for (const name of await readdir(join(from, '@tributary'))) {
    const link = await readlink(join(from, '@tributary', name))
    if (existsSync(resolve(to, '@tributary', link))) await symlink(link, join(to, '@tributary', name))
  }
}

/**
 * Builds the server of another commit in its own folder, which is removed at the end; `entry` starts it, and its
 * sources are in `folder`.
 *
 * @throws if the commit cannot be built
 */
export const buildOf = async (ref: string): Promise<AsyncDisposable & { folder: string; entry: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-version-'))
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    const archive = join(folder, 'archive.tar')
    run(root, 'git', 'archive', '--output', archive, ref)
    run(folder, 'tar', '-xf', archive)
    await rm(archive)
    if (git('diff', '--quiet', ref, '--', 'package-lock.json') === undefined)
      // `npm install` is used, like in npm start, because the lock file lacks packages of other platforms, which `npm
      // ci` requires.
      run(folder, 'npm', 'install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund')
    else await linkModules(folder)
    run(folder, process.execPath, 'scripts/build-server.mjs')
    return { folder, entry: join(folder, 'apps/server/dist/main.mjs'), [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
