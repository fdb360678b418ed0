import { createHash } from 'node:crypto'
import { chmod, chown, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Account } from './account.ts'

/**
 * Maximum bytes of the path of a socket folder. A socket address has 108 bytes with the terminating zero on Linux
 * (`sun_path` in unix(7)), and PostgreSQL appends `/.s.PGSQL.5432`.
 */
const longestFolder = 107 - '/.s.PGSQL.5432'.length

/**
 * A private folder for the socket, short enough for a socket address however deep the data folder is. Its name is
 * derived from the data folder, so that each start finds the same one, and its mode is 0700 for the account that runs
 * PostgreSQL. A folder of that name with another owner is refused, and the next place is tried.
 *
 * @throws if none of the places works
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
    // PostgreSQL accepts a list of folders: a comma or a quote in the path would split it.
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
      // Missing, full or read-only: the next place may work.
    }
  }
  throw new Error(`No folder for PostgreSQL's socket could be made in ${places.join(', ')}: make one of them writable.`)
}
