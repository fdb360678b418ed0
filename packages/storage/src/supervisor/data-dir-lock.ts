import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isRecord } from '@tributary/kernel'
import { reservePrivateFile } from './private-files.ts'
import { identify, isRunning, type ProcessIdentity } from './processes.ts'

/** Files of the lock inside the data folder; no backup contains them. */
export const lockFiles = ['tributary.lock', 'tributary.lock-journal', 'tributary.owner.json'] as const

/** Thrown if another running process uses the data folder. */
export class DataDirLocked extends Error {
  readonly dir: string
  readonly pid: number | undefined
  constructor(dir: string, pid: number | undefined) {
    const owner = pid === undefined ? 'another process' : `the process with the id ${pid}`
    super(
      `The data folder ${dir} is in use by ${owner}. Only one Tributary may work on a data folder: ` +
        'stop the other one first, or choose another folder with TRIBUTARY_DATA_DIR.',
    )
    this.name = 'DataDirLocked'
    this.dir = dir
    this.pid = pid
  }
}

/** Name of a file that is in a data folder from the first to the last rename of a restore. */
export const restoreMark = 'tributary.restoring'

/** Thrown if an earlier restore was interrupted while it exchanged the folder's content. */
export class DataDirHalfRestored extends Error {
  constructor(dir: string) {
    super(
      `A restore into ${dir} was interrupted, and the folder holds neither the old data nor the restored data. ` +
        'Run the restore again with --force. The old data is in a folder named .before-restore-… inside.',
    )
    this.name = 'DataDirHalfRestored'
  }
}

const unusable: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file, not a folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EACCES: 'this user is not allowed to write there',
  EPERM: 'this user is not allowed to write there',
  EROFS: 'it is on a disk that is mounted read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk is full for this user',
}

/** Thrown if the data folder cannot be created or written to. */
export class DataDirUnusable extends Error {
  constructor(dir: string, cause: NodeJS.ErrnoException) {
    super(
      `The data folder ${dir} cannot be used: ${unusable[cause.code ?? ''] ?? cause.message}. ` +
        'Choose another folder with TRIBUTARY_DATA_DIR, or make this one writable for the user that runs Tributary.',
      { cause },
    )
    this.name = 'DataDirUnusable'
  }
}

/**
 * Creates the folder (mode 0700) if it is missing.
 * @throws DataDirUnusable if it cannot be created or written to
 */
const makeFolder = (folder: string): void => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new DataDirUnusable(folder, error as NodeJS.ErrnoException)
  }
}

/** A held lock. It ends with `release`, with `await using`, or with the process, however the process ends. */
export type DataDirLock = AsyncDisposable & { readonly dir: string; release(): Promise<void> }

const readOwner = (file: string): ProcessIdentity | undefined => {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isRecord(value) || !('pid' in value) || typeof value.pid !== 'number') return undefined
    const startTime = 'startTime' in value && typeof value.startTime === 'string' ? value.startTime : undefined
    return { pid: value.pid, startTime }
  } catch {
    return undefined
  }
}

/**
 * Takes the operating system's lock on the file, which ends with the process. Returns undefined if another process has
 * it.
 */
const takeFileLock = (file: string): DatabaseSync | undefined => {
  reservePrivateFile(file)
  const handle = new DatabaseSync(file, { timeout: 0 })
  try {
    handle.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return handle
  } catch (error) {
    handle.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return undefined
    throw error
  }
}

/** Closes a folder to other users, since it may have existed before. A folder of another account is left unchanged. */
const closeFolder = (folder: string): void => {
  try {
    chmodSync(folder, 0o700)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error
  }
}

/**
 * Creates the data folder if it is missing, closes it to other users (mode 0700), and reserves it for this process
 * until `release`. So two instances never use the same folder.
 *
 * There are two protections. The first is a lock of the operating system, taken through SQLite. It ends with its
 * holder, even on SIGKILL, and works across containers on one machine. The second is a file with the owner's PID and
 * start time. It names the owner in the message, and also protects the folder if the file system does not lock. The
 * file is taken over if its process has ended, or if its PID now belongs to a process with another start time.
 *
 * @param purpose `restore` may enter a folder that an interrupted restore has left; other purposes are refused
 * @throws DataDirLocked naming the other process; DataDirHalfRestored; DataDirUnusable.
 */
export const lockDataDir = (dir: string, purpose: 'work' | 'restore' = 'work'): DataDirLock => {
  const folder = resolve(dir)
  makeFolder(folder)
  closeFolder(folder)
  const ownerFile = join(folder, 'tributary.owner.json')
  const handle = takeFileLock(join(folder, 'tributary.lock'))
  const owner = readOwner(ownerFile)
  if (handle === undefined)
    throw new DataDirLocked(folder, owner !== undefined && isRunning(owner) ? owner.pid : undefined)
  if (owner !== undefined && owner.pid !== process.pid && owner.startTime !== undefined && isRunning(owner)) {
    handle.close()
    throw new DataDirLocked(folder, owner.pid)
  }
  if (purpose === 'work' && existsSync(join(folder, restoreMark))) {
    handle.close()
    throw new DataDirHalfRestored(folder)
  }
  const self = identify(process.pid) ?? { pid: process.pid, startTime: undefined }
  const draft = `${ownerFile}.${process.pid}`
  writeFileSync(draft, JSON.stringify(self), { mode: 0o600 })
  renameSync(draft, ownerFile)

  let held = true
  const release = async (): Promise<void> => {
    if (!held) return
    held = false
    rmSync(ownerFile, { force: true })
    handle.close()
  }
  return { dir: folder, release, [Symbol.asyncDispose]: release }
}
