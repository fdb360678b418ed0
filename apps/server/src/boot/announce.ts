import { hostname } from 'node:os'
import { type Logger, randomToken } from '@tributary/kernel'
import { type AnnouncedProcess, announceProcess, knownSchemas, type Relational } from '@tributary/storage'
import type { Config } from '../config/config.ts'
import { version } from './built.ts'

/**
 * Ends the process and writes the reason to standard error as its last output. Called if another process has taken the
 * place of this process, or if this process cannot work with the schema. No acknowledged data is lost.
 */
export const endProcess = (why: string): never => {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}

/**
 * Announces this process and its supported schemas to the processes that share its database; undefined if the database
 * is not shared. A process that can no longer work with the schema ends.
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
