import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { lockFiles, restoreMark } from '../supervisor/data-dir-lock.ts'

/** A folder or file of the data folder. `path` is relative, with `/` between its parts. */
export type DataEntry = {
  path: string
  folder: boolean
  mode: number
  size: number
  mtime: Date
  /** The target of an inner link. */
  link?: string
}

/**
 * Prefix of the folder into which a restore unpacks the backup. Both folders of a restore are inside the data folder,
 * which may be a mount point.
 */
export const sidePrefix = '.restore-'
/** Prefix of the folder into which a restore moves the earlier content. */
export const earlierPrefix = '.before-restore-'

/** The hashes of deleted users. A restore keeps those in the folder, so that a backup does not bring the users back. */
export const forgottenFileName = 'forgotten.ndjson'

/**
 * Whether an entry belongs to a running process and is not data: locks, unfinished work, content from before a restore.
 */
const belongsToRun = (name: string): boolean =>
  lockFiles.some((file) => name === file || name.startsWith(`${file}.`)) ||
  name === restoreMark ||
  name.startsWith(sidePrefix) ||
  name.startsWith(earlierPrefix) ||
  name.startsWith('postgres.init-')

/** The names of data entries in a data folder. Empty if the folder does not exist. */
export const dataNames = async (dir: string): Promise<string[]> => {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => !belongsToRun(name)).toSorted()
}

/**
 * True if a link at `path` (relative to the data folder) to `target` stays inside the folder. Such a link is part of an
 * engine's layout.
 */
export const isInnerLink = (path: string, target: string): boolean =>
  !isAbsolute(target) && !normalize(join(dirname(path), target)).startsWith('..')

/** Maximum links that are followed in a row before they count as a loop, as in Linux. */
const maxLinks = 40

/**
 * True if a path leaves the folder when it is followed through `links` (targets by path), as the file system would. A
 * link may look as if it stays inside, and leave through another link: `..` after a link means the parent of its
 * target.
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
    // A path with a loop leads nowhere: no reader can follow it.
    else if (++followed > maxLinks) return false
    else ahead.push(...target.split('/').toReversed())
  }
  return false
}

/**
 * Bytes of a file to read at a time. A stream allocates a buffer of this size for each read, and an engine's folder has
 * thousands of small files.
 */
export const readSize = (size: number): number => Math.min(1024 * 1024, size + 1)

/**
 * All entries of the folder that belong in a backup, each folder before its content. Links inside the folder stay
 * links, because the event store names its databases by them. Links that lead out are followed, because an engine's
 * folder on another disk is part of the data. Sockets, pipes and PostgreSQL's process file are left out.
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
