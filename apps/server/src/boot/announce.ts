import { hostname } from 'node:os'
import { type Logger, randomToken } from '@tributary/kernel'
import { type AnnouncedProcess, announceProcess, knownSchemas, type Relational } from '@tributary/storage'
import type { Config } from '../config/config.ts'
import { version } from './built.ts'

/**
 * Ends the process and writes the reason to standard error as its last output: another process has its place, or the
 * schema is one that it cannot work with. Nothing acknowledged is lost.
 */
export const endProcess = (why: string): never => {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}

/**
 * Announces this process and the schemas that it supports to those that share its database; undefined where the
 * database is its own. A process that cannot work with the schema any more ends.
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
