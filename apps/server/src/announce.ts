import { hostname } from 'node:os'
import { type Logger, randomToken } from '@tributary/kernel'
import { type AnnouncedProcess, announceProcess, knownSchemas, type Relational } from '@tributary/storage'
import { version } from './built.ts'
import type { Config } from './config/config.ts'

/**
 * Ends the process with a sentence, the last thing that it says: another one has its place, or the schema is one that it cannot work with. Nothing acknowledged is lost by
 * that.
 */
export const endProcess = (why: string): never => {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}

/**
 * Says that this process runs, and which schemas it knows, to those that share its database; undefined where that is its own. A process that cannot work with the
 * schema any more ends.
 *
 * @throws SchemaTooNew
 */
export const announce = async (
  { relational, roles }: Pick<Config, 'relational' | 'roles'>,
  deps: { pool: Relational['pool']; logger: Logger },
): Promise<AnnouncedProcess | undefined> =>
  relational.kind === 'remote'
    ? await announceProcess({
        ...deps,
        id: randomToken(9),
        host: hostname(),
        version,
        roles: [...roles],
        knows: knownSchemas(),
        onTooOld: endProcess,
      })
    : undefined
