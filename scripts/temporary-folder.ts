import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Where Linux keeps files in memory. */
const inMemory = '/dev/shm'
const prefix = 'tributary-tests-'
const gib = 1024 ** 3

/** What is known of the folder of files in memory: the lines of `/proc/mounts`, and bytes. */
export type MemoryFolder = { mounts: string; freeBytes: number; availableBytes: number }

/** Whether the temporary files of a run may be in memory: there is room for several times what all suites together have at once, and what is unpacked there may be run. */
export const isForTemporaryFiles = ({ mounts, freeBytes, availableBytes }: MemoryFolder): boolean => {
  const [, , type, options = ''] =
    mounts
      .split('\n')
      .findLast((line) => line.split(' ')[1] === inMemory)
      ?.split(' ') ?? []
  return type === 'tmpfs' && !options.split(',').includes('noexec') && freeBytes >= 4 * gib && availableBytes >= 8 * gib
}

/**
 * A folder for the temporary files of a run of tests, in memory; gone when disposed. Undefined where they are not to be in
 * memory. Tests make and remove hundreds of thousands of files: on a disk that took most of the system's processor time, more the
 * more of them had just been removed. Nothing is proven less: processes are killed, machines are not, and the tests of a power loss
 * note themselves what was synced.
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
  // Of runs that were killed.
  for (const name of readdirSync(inMemory)) {
    if (name.startsWith(prefix) && !existsSync(`/proc/${name.slice(prefix.length)}`))
      rmSync(join(inMemory, name), { recursive: true, force: true })
  }
  const path = join(inMemory, `${prefix}${process.pid}`)
  mkdirSync(path)
  // For everybody, as any folder of temporary files: some tests run the product under another account.
  chmodSync(path, 0o1777)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}
