import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { lockFiles, restoreMark } from '../supervisor/data-dir-lock.ts'

/** A folder or file of the data folder. `path` is relative, with `/` between its parts. */
export type DataEntry = {
  path: string
  folder: boolean
  mode: number
  size: number
  mtime: Date /** Where an inner link points. */
  link?: string
}

/** Restores unpack here, and keep here what was there before; both inside the data folder, which may be a mount point. */
export const sidePrefix = '.restore-'
export const keptPrefix = '.before-restore-'

/** Hashes of users who were deleted: a restore keeps those that are there, so that a backup does not bring the users back. */
export const forgottenFileName = 'forgotten.ndjson'

/** What belongs to a run and not to the data: locks, unfinished work, the content kept from before a restore. */
const belongsToRun = (name: string): boolean =>
  lockFiles.some((file) => name === file || name.startsWith(`${file}.`)) ||
  name === restoreMark ||
  name.startsWith(sidePrefix) ||
  name.startsWith(keptPrefix) ||
  name.startsWith('postgres.init-')

/** Names in a data folder that are data. Empty when the folder does not exist. */
export const dataNames = async (dir: string): Promise<string[]> => {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => !belongsToRun(name)).toSorted()
}

/** True when a link at `path` (relative to the data folder) to `target` stays inside: it is part of an engine's layout. */
export const isInnerLink = (path: string, target: string): boolean =>
  !isAbsolute(target) && !normalize(join(dirname(path), target)).startsWith('..')

/**
 * How much of a file to read at a time, bytes: a stream makes a buffer of this size for each read, and an engine's folder is
 * thousands of small files.
 */
export const readSize = (size: number): number => Math.min(1024 * 1024, size + 1)

/**
 * Everything a backup of the folder holds, folders before what is in them. Links inside the folder stay links (the event
 * store names its databases by them); those that lead out are followed: an engine's folder that lies on another disk is
 * part of the data. Sockets and pipes are left out, and PostgreSQL's note of its process.
 */
export async function* dataEntries(dir: string): AsyncGenerator<DataEntry> {
  for (const name of await dataNames(dir)) yield* entriesBelow(dir, name)
}

async function* entriesBelow(dir: string, path: string): AsyncGenerator<DataEntry> {
  if (path === 'postgres/postmaster.pid') return
  if ((await lstat(join(dir, path))).isSymbolicLink()) {
    const link = await readlink(join(dir, path))
    if (isInnerLink(path, link)) {
      yield { path, folder: false, mode: 0o777, size: 0, mtime: new Date(0), link }
      return
    }
  }
  const found = await stat(join(dir, path))
  const entry = { path, mode: found.mode & 0o7777, size: found.size, mtime: found.mtime }
  if (found.isFile()) yield { ...entry, folder: false }
  if (!found.isDirectory()) return
  yield { ...entry, folder: true, size: 0 }
  for (const name of (await readdir(join(dir, path))).toSorted()) yield* entriesBelow(dir, `${path}/${name}`)
}
