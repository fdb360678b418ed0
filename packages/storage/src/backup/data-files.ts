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

/** Restores unpack here, and move the earlier content here; both inside the data folder, which may be a mount point. */
export const sidePrefix = '.restore-'
export const earlierPrefix = '.before-restore-'

/** Hashes of users who were deleted: a restore keeps those that are there, so that a backup does not bring the users back. */
export const forgottenFileName = 'forgotten.ndjson'

/** Entries of a run, which are no data: locks, unfinished work, the content kept from before a restore. */
const belongsToRun = (name: string): boolean =>
  lockFiles.some((file) => name === file || name.startsWith(`${file}.`)) ||
  name === restoreMark ||
  name.startsWith(sidePrefix) ||
  name.startsWith(earlierPrefix) ||
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

/** Links that are followed one behind the other before they count as a circle, as Linux does. */
const maxLinks = 40

/**
 * True when a path, followed as the file system would follow it through `links` (targets by their paths), passes outside the folder. A link may look as if it stayed inside and leave by another one: `..` behind a link is its target's parent.
 */
export const leadsOutside = (path: string, links: ReadonlyMap<string, string>): boolean => {
  const ahead = path.split('/').toReversed()
  const real: string[] = []
  let followed = 0
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (real.pop() === undefined) return true
      continue
    }
    const target = links.get([...real, part].join('/'))
    if (target === undefined) real.push(part)
    else if (isAbsolute(target)) return true
    // Such a path leads nowhere: no reader can follow it.
    else if (++followed > maxLinks) return false
    else ahead.push(...target.split('/').toReversed())
  }
  return false
}

/**
 * How much of a file to read at a time, bytes. A stream makes a buffer of this size for each read, and an engine's
 * folder has thousands of small files.
 */
export const readSize = (size: number): number => Math.min(1024 * 1024, size + 1)

/**
 * Everything a backup of the folder holds, folders before what is in them. Links inside the folder stay links: the
 * event store names its databases by them. Links that lead out are followed, since an engine's folder on another disk
 * is part of the data. Sockets, pipes and PostgreSQL's note of its process are left out.
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
