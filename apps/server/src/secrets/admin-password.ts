import { existsSync } from 'node:fs'
import { resetAdminPassword } from '@tributary/control'
import { type Logger, noMetrics, randomToken, systemClock } from '@tributary/kernel'
import { installJobs } from '@tributary/storage'
import { folders } from '../boot/engines.ts'
import { openDatabase } from '../boot/open-database.ts'
import type { Config } from '../config/config.ts'
import { listeningUrl } from '../http/http-server.ts'
import { openJobs } from '../operations/scheduled-jobs.ts'

/** Thrown if there is no admin whose password could be set. */
export class NoSuchAdmin extends Error {
  override readonly name = 'NoSuchAdmin'
}

/**
 * Sets a new password for a platform admin, whether or not the product is running: the configured one, or a generated
 * one. All sessions of the admin end.
 *
 * @param email which admin; the first unless given
 * @throws NoSuchAdmin, and errors of opening the data folder and the database
 */
export const setAdminPassword = async (
  config: Config,
  { email, logger }: { email?: string | undefined; logger: Logger },
): Promise<{ email: string; generatedPassword: string | undefined }> => {
  if (config.relational.kind === 'embedded' && !existsSync(folders(config.dataDir).postgres))
    throw new NoSuchAdmin(`There is no administrator in ${config.dataDir} yet: npm start makes the first one.`)
  const password = config.admin.password ?? randomToken(15)
  await using store = await openDatabase(config, { logger, statementMs: 10_000 })
  const origin = config.publicUrl ?? listeningUrl(config.host, config.port)
  const { db, pool } = store.relational
  // The remote database may never have been used by this version.
  await installJobs(pool)
  const jobs = await openJobs({ pool, logger, metrics: noMetrics })
  const found = await resetAdminPassword({ db, jobs, clock: systemClock }, { email, password, origin })
  if (found === undefined)
    throw new NoSuchAdmin(
      email === undefined
        ? 'There is no administrator yet: npm start makes the first one.'
        : `There is no administrator with the address ${email}.`,
    )
  return { email: found.email, generatedPassword: config.admin.password === undefined ? password : undefined }
}
