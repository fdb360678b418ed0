import { spawnSync } from 'node:child_process'
import {
  type BigIntStats,
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('./synced.c', import.meta.url))

const compilerStatus = (): number | null => spawnSync('gcc', ['--version'], { stdio: 'ignore' }).status

/**
 * True if tests of power losses are skipped, because the machine has no C compiler; prints the reason. Never skips if
 * `CI` is set: the tests fail instead.
 */
export const skipsPowerLoss = (): boolean => {
  const required = process.env.CI !== undefined && process.env.CI !== ''
  if (required || (process.platform === 'linux' && compilerStatus() === 0)) return false
  process.stderr.write('Tests of power losses do not run: they need Linux, gcc and the headers of the C library\n')
  return true
}

let library: Buffer | undefined

/** The library that is preloaded into processes, compiled once per test process. */
const compiledLibrary = (): Buffer => {
  if (library !== undefined) return library
  const folder = mkdtempSync(join(tmpdir(), 'tributary-synced-'))
  const path = join(folder, 'synced.so')
  const args = ['-shared', '-fPIC', '-O2', '-Wall', '-Wextra', '-Werror', '-o', path, source, '-ldl']
  const { status, stderr, error } = spawnSync('gcc', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`What keeps synced bytes cannot be compiled: ${error?.message ?? stderr}`)
  library = readFileSync(path)
  rmSync(folder, { recursive: true })
  return library
}

/**
 * The model of which file names survive a power loss. Each of the models can happen. Only synced bytes survive.
 *
 * - `journal`: names become durable as late as on ext4, XFS and Btrfs. A sync of a file or folder also makes its own
 *   name durable (with its rename), and the names of its parent folders. All other names are as at the last sync of
 *   their folder.
 * - `newest`: names become durable as early as possible, because these file systems write their journals every few
 *   seconds. Every name exists and every removal is done; a file that was never synced is empty.
 * - `posix`: names become durable as late as POSIX allows. A sync of a file affects only its bytes; every name needs a
 *   sync of its folder.
 */
export type Names = 'journal' | 'newest' | 'posix'

/** A folder whose syncs are recorded. */
export type SyncedFolder = Disposable & {
  /** Environment of a process whose syncs, including those of its children, are recorded. */
  env: Record<string, string>
  /**
   * Simulates the power loss: ends every process that was started with `env`, and creates a folder with the remains.
   * Blocks until that is done.
   */
  losePower(target: string): void
}

type Kept = { mode: number; uid: number; gid: number }

const metaOf = (shadow: string, id: string): Kept => {
  const [mode = '700', uid = '0', gid = '0'] = readlinkSync(join(shadow, 'm', id)).split(' ')
  return { mode: Number.parseInt(mode, 8), uid: Number(uid), gid: Number(gid) }
}

const isRoot = process.getuid?.() === 0

const give = (path: string, { mode, uid, gid }: Kept): void => {
  if (isRoot) chownSync(path, uid, gid)
  chmodSync(path, mode)
}

/** Copies a file of the shadow folder, or creates an empty one if it was never synced. */
const copyFile = (from: string, to: string): void => {
  if (existsSync(from)) copyFileSync(from, to, constants.COPYFILE_FICLONE)
  else writeFileSync(to, '')
}

/** Copies a folder with its synced names to a new one at `target`. */
const copySynced = (shadow: string, ids: ReadonlyMap<number, string>, id: string, target: string): void => {
  mkdirSync(target)
  const names = join(shadow, 'd', id)
  for (const entry of readdirSync(names, { withFileTypes: true })) {
    // A name that is still being written has another prefix.
    if (!entry.name.startsWith('=')) continue
    const from = join(names, entry.name)
    const to = join(target, entry.name.slice(1))
    if (entry.isSymbolicLink()) {
      const link = readlinkSync(from)
      if (link.startsWith('d')) copySynced(shadow, ids, link.slice(1), to)
      else symlinkSync(link.slice(1), to)
      continue
    }
    copyFile(from, to)
    give(to, metaOf(shadow, ids.get(statSync(from).ino) ?? ''))
  }
  give(target, metaOf(shadow, id))
}

/** The ID of a file, as in `synced.c`. */
const idOf = ({ ino, birthtimeNs }: BigIntStats): string =>
  `${ino.toString(16)}-${(birthtimeNs / 1_000_000_000n).toString(16)}.${(birthtimeNs % 1_000_000_000n).toString(16)}`

/** Copies a folder with its current names to a new one at `target`. */
const copyNewest = (shadow: string, folder: string, target: string): void => {
  mkdirSync(target)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const from = join(folder, entry.name)
    const to = join(target, entry.name)
    const stats = lstatSync(from, { bigint: true })
    const kept = { mode: Number(stats.mode & 0o7777n), uid: Number(stats.uid), gid: Number(stats.gid) }
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
    else if (entry.isDirectory()) copyNewest(shadow, from, to)
    else if (entry.isFile()) {
      copyFile(join(shadow, 'f', idOf(stats)), to)
      give(to, kept)
    }
  }
  const { mode, uid, gid } = statSync(folder)
  give(target, { mode: mode & 0o7777, uid, gid })
}

/** Kills every process that has loaded a library, as soon as it is found. Returns whether there were any. */
const endFound = (path: string): boolean => {
  let found = false
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      if (!readFileSync(`/proc/${name}/maps`, 'utf8').includes(path)) continue
      found = true
      process.kill(Number(name), 'SIGKILL')
    } catch {
      // The process has ended.
    }
  }
  return found
}

/** Repeats until none is left: a process may start another one before it is killed. */
const endAll = (path: string): void => {
  while (endFound(path));
}

const makeShadow = (): string => {
  const shadow = mkdtempSync(join(tmpdir(), 'tributary-shadow-'))
  // Engines run under other accounts, which must be able to write here.
  for (const part of ['', 'f', 'd', 'm', 'p']) {
    if (part !== '') mkdirSync(join(shadow, part))
    chmodSync(join(shadow, part), 0o777)
  }
  return shadow
}

/**
 * Starts to record the syncs of an existing folder; its current content counts as synced. Only processes that are
 * started with `env` are recorded.
 */
export const noteSyncs = (folder: string, names: Names = 'journal'): SyncedFolder => {
  const path = realpathSync(folder)
  const shadow = makeShadow()
  // A separate copy of the library, by which its processes are identified.
  const ownLibrary = join(shadow, 'synced.so')
  writeFileSync(ownLibrary, compiledLibrary(), { mode: 0o755 })
  const env = {
    LD_PRELOAD: ownLibrary,
    POWER_LOSS_FOLDER: path,
    POWER_LOSS_SHADOW: shadow,
    POWER_LOSS_NAMES: names,
  }
  const args = [path, '(', '-type', 'f', '-o', '-type', 'd', ')', '-exec', 'sync', '{}', '+']
  const { status, stderr } = spawnSync('find', args, { env: { ...process.env, ...env }, encoding: 'utf8' })
  if (status !== 0 || stderr !== '') throw new Error(`What is in ${path} cannot be noted: ${stderr}`)
  return {
    env,
    losePower(target) {
      endAll(ownLibrary)
      if (names === 'newest') return copyNewest(shadow, path, target)
      const files = readdirSync(join(shadow, 'f'))
      const ids = new Map(files.map((id) => [statSync(join(shadow, 'f', id)).ino, id]))
      copySynced(shadow, ids, readlinkSync(join(shadow, 'root')), target)
    },
    [Symbol.dispose]() {
      endAll(ownLibrary)
      rmSync(shadow, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
