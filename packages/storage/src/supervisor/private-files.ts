import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Mode of folders in the data folder. Only the product's account has access, because files have raw events and keys. */
const folderMode = 0o700
/** Mode of files in the data folder. */
const fileMode = 0o600

/** Creates a folder and its missing parents, which no other user may enter. An existing folder is left unchanged. */
export const makePrivateFolder = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: folderMode })
}

/**
 * Creates an empty file that no other user may read, for an engine that would create it with the umask. An existing
 * file is left unchanged.
 */
export const reservePrivateFile = (path: string): void => closeSync(openSync(path, 'a', fileMode))

/**
 * Names that the product creates at the top of a data folder. Other entries are left alone, because the operator may
 * have chosen a folder with other content. PostgreSQL may run as another account, and protects its own folder.
 */
const ownName =
  /^(event-store|log|journal|blobs|outbox)$|^(tributary\.|secret\.key|metrics\.token|\.restore-|\.before-restore-)/

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/**
 * Removes the access of other users to a data folder: folders get mode 0700, files 0600. Also corrects a folder that
 * was prepared by hand, restored from an archive, or written by an earlier version. A link at the top is followed,
 * because it leads to an engine's folder on another disk; deeper links are not followed. Returns entries that could not
 * be changed, such as a mounted folder of another account. Their content is still private.
 */
export const closeToOthers = (dir: string): string[] => {
  const open: string[] = []
  const visit = (path: string, depth: number): void => {
    try {
      const found = depth === 1 ? statSync(path) : lstatSync(path)
      if (!found.isDirectory() && !found.isFile()) return
      const mode = found.isDirectory() ? folderMode : fileMode
      if ((found.mode & 0o7777) !== mode) {
        try {
          chmodSync(path, mode)
        } catch (error) {
          if (codeOf(error) === 'ENOENT') return
          if ((found.mode & 0o077) !== 0) open.push(path)
        }
      }
      if (!found.isDirectory()) return
      for (const name of readdirSync(path)) if (depth > 0 || ownName.test(name)) visit(join(path, name), depth + 1)
    } catch (error) {
      // An engine that is ending removes its files meanwhile.
      if (codeOf(error) !== 'ENOENT') open.push(path)
    }
  }
  visit(dir, 0)
  return open
}
