import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Folder whose files Linux keeps in memory. */
const inMemory = '/dev/shm'
const prefix = 'tributary-tests-'
const gib = 1024 ** 3

/** State of the folder of files in memory: the lines of `/proc/mounts`, free space, and available memory. */
export type MemoryFolder = { mounts: string; freeBytes: number; availableBytes: number }

/**
 * Whether the temporary files of a run may be in memory. There must be room for several times the files that all suites
 * use at the same time. Programs that tests unpack must be allowed to run there.
 */
export const isForTemporaryFiles = ({ mounts, freeBytes, availableBytes }: MemoryFolder): boolean => {
  const [, , type, options = ''] =
    mounts
      .split('\n')
      .findLast((line) => line.split(' ')[1] === inMemory)
      ?.split(' ') ?? []
  return type === 'tmpfs' && !options.split(',').includes('noexec') && freeBytes >= 4 * gib && availableBytes >= 8 * gib
}

/**
 * Opens a folder in memory for the temporary files of a run of tests; it is removed when disposed. Undefined if the
 * files must not be in memory. Tests create and remove hundreds of thousands of files. On a disk, this took most of the
 * system's processor time, and more after many removals. The tests prove the same in memory: they kill processes, not
 * machines, and the tests of a power loss record synced files themselves.
 */
export const openTemporaryFolder = (): (Disposable & { path: string }) | undefined => {
  if (!existsSync('/proc/mounts') || !existsSync(inMemory)) return undefined
  const { bavail, bsize } = statfsSync(inMemory)
  const known = {
    mounts: readFileSync('/proc/mounts', 'utf8'),
    freeBytes: bavail * bsize,
    availableBytes: process.availableMemory(),
  }
  if (!isForTemporaryFiles(known)) return undefined
  // Removes the folders of runs that were killed.
  for (const name of readdirSync(inMemory)) {
    if (name.startsWith(prefix) && !existsSync(`/proc/${name.slice(prefix.length)}`))
      rmSync(join(inMemory, name), { recursive: true, force: true })
  }
  const path = join(inMemory, `${prefix}${process.pid}`)
  mkdirSync(path)
  // All accounts can write to the folder, because some tests run the product under another account.
  chmodSync(path, 0o1777)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}
