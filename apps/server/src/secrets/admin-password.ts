import { existsSync } from 'node:fs'
import { resetAdminPassword } from '@tributary/control'
import { type Logger, noMetrics, randomToken, systemClock } from '@tributary/kernel'
import {
  DataDirLocked,
  installJobs,
  lockDataDir,
  openRelational,
  type Relational,
  runningPostgresUrl,
} from '@tributary/storage'
import type { Config } from '../config/config.ts'
import { folders, openRelationalStore } from '../engines.ts'
import { listeningUrl } from '../http/http-server.ts'
import { openJobs } from '../operations/scheduled-jobs.ts'

/** Thrown when there is no admin whose password could be set. */
export class NoSuchAdmin extends Error {
  override readonly name = 'NoSuchAdmin'
}

type Store = AsyncDisposable & { relational: Relational }

const connectTo = (url: string, logger: Logger): Store => {
  const relational = openRelational({ url, logger, maxConnections: 1, statementMs: 10_000 })
  return { relational, [Symbol.asyncDispose]: () => relational.close() }
}

/** The database: the one by address, the one that a running product has, or the one in the data folder, started for this. */
const openStore = async (config: Config, logger: Logger): Promise<Store> => {
  if (config.relational.kind === 'remote') return connectTo(config.relational.url, logger)
  let lock: AsyncDisposable
  try {
    lock = lockDataDir(config.dataDir)
  } catch (error) {
    if (!(error instanceof DataDirLocked)) throw error
    return connectTo(await runningPostgresUrl(folders(config.dataDir).postgres), logger)
  }
  try {
    const store = await openRelationalStore(config, { logger, metrics: noMetrics })
    return {
      relational: store.relational,
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]()
        await lock[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await lock[Symbol.asyncDispose]()
    throw error
  }
}

/**
 * Sets a new password for a platform admin, whether the product runs or is stopped: the one of the configuration, else
 * one that is made here. All sessions of the admin end.
 *
 * @param email which admin; the first unless given
 * @throws NoSuchAdmin; what opening the data folder and the database throws
 */
export const setAdminPassword = async (
  config: Config,
  { email, logger }: { email?: string | undefined; logger: Logger },
): Promise<{ email: string; generatedPassword: string | undefined }> => {
  if (config.relational.kind === 'embedded' && !existsSync(folders(config.dataDir).postgres))
    throw new NoSuchAdmin(`There is no administrator in ${config.dataDir} yet: npm start makes the first one.`)
  const password = config.admin.password ?? randomToken(15)
  await using store = await openStore(config, logger)
  const origin = config.publicUrl ?? listeningUrl(config.host, config.port)
  const { db, pool } = store.relational
  // A database by address may not have been used by this version yet.
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
