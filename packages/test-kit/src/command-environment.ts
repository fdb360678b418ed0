import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')

/**
 * Environment of a root command that a test starts itself. As with the launcher of commands, compiled code is kept: without that a
 * command compiles everything anew, which takes most of its time.
 */
export const commandEnvironment = {
  PATH: process.env.PATH,
  TMPDIR: tmpdir(),
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compile'),
}
