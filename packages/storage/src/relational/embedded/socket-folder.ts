import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Account } from './account.ts'

/** sun_path holds 108 bytes with the closing zero on Linux (unix(7)); PostgreSQL adds `/.s.PGSQL.5432`. */
const longestFolder = 107 - '/.s.PGSQL.5432'.length

/**
 * A private folder for the socket, short enough for a socket address however deep the data folder lies. It is named
 * after the data folder, so that each start finds the same one, and 0700 for the account that PostgreSQL runs as. A
 * folder of that name with another owner is refused and the next place is tried.
 *
 * @throws when none of the places works.
 */
export const ensureSocketFolder = async (
  dir: string,
  server: Account,
  places: readonly string[] = [tmpdir(), '/tmp', '/dev/shm', '/var/tmp'],
): Promise<string> => {
  const name = `tributary-${createHash('sha256')
    .update(`${server.uid}:${resolve(dir)}`)
    .digest('hex')
    .slice(0, 16)}`
  for (const place of places) {
    const folder = join(place, name)
    // PostgreSQL takes a list of folders: a comma or a quote in the path would be read as more than one.
    if (Buffer.byteLength(folder) > longestFolder || !/^[\w./-]+$/.test(folder)) continue
    try {
      await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      })
      const found = await lstat(folder)
      const own = process.getuid?.() ?? server.uid
      if (!found.isDirectory() || (found.uid !== own && found.uid !== server.uid)) continue
      if (own === 0) await chown(folder, server.uid, server.gid)
      await chmod(folder, 0o700)
      return folder
    } catch {
      // Missing, full or read-only: the next place may do.
    }
  }
  throw new Error(`No folder for PostgreSQL's socket could be made in ${places.join(', ')}: make one of them writable.`)
}
