import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')

/**
 * The environment of a root command that a test starts without the launcher. Like the launcher, it caches compiled
 * code. Without the cache, a command spends most of its time on compiling.
 */
export const commandEnvironment = {
  PATH: process.env.PATH,
  TMPDIR: tmpdir(),
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compile'),
}
