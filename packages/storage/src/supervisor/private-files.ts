import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Folders and files of the data folder are for the account of the product alone: raw events and keys are in them. */
const folderMode = 0o700
const fileMode = 0o600

/** Makes a folder, and those above it, that no other user may enter. An existing one is left as it is. */
export const makePrivateFolder = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: folderMode })
}

/**
 * Makes an empty file that no other user may read, for an engine that would make it by the umask. An existing one
 * stays.
 */
export const reservePrivateFile = (path: string): void => closeSync(openSync(path, 'a', fileMode))

/**
 * Names at the top of a data folder that the product has made. Other entries are left alone: the operator may have
 * chosen a folder with other things in it. PostgreSQL may run as another account and sees to its own folder.
 */
const ownName =
  /^(event-store|log|journal|blobs|outbox)$|^(tributary\.|secret\.key|metrics\.token|\.restore-|\.before-restore-)/

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/**
 * Removes the access of other users to a data folder: folders become 0700, files 0600. Also fixes a folder that was
 * prepared by hand, restored from an archive or written by an earlier version. A link at the top leads to an engine's
 * folder on another disk and is followed, those deeper are not.
 *
 * Returns entries that could not be changed, such as a mounted folder of another account; their content is still
 * private.
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
      // An engine that is ending takes its files away.
      if (codeOf(error) !== 'ENOENT') open.push(path)
    }
  }
  visit(dir, 0)
  return open
}
