import { type Logger, noMetrics } from '@tributary/kernel'
import { DataDirLocked, lockDataDir, openRelational, type Relational, runningPostgresUrl } from '@tributary/storage'
import type { Config } from '../config/config.ts'
import { folders, openRelationalStore } from './engines.ts'
import { requireRelational } from './require-engines.ts'

type OpenDatabase = AsyncDisposable & { relational: Relational }
type Deps = {
  logger: Logger
  /** The statement timeout on a shared database, in ms. 0 means no limit. */
  statementMs: number
}

const connectTo = (url: string, { logger, statementMs }: Deps): OpenDatabase => {
  const relational = openRelational({ url, logger, maxConnections: 1, statementMs })
  return { relational, [Symbol.asyncDispose]: () => relational.close() }
}

/**
 * Opens the database for a command that works whether or not the product is running. This is either the remote
 * database, the database of the running product, or the one in the data folder, which is started for this command.
 * @throws EngineAway
 */
export const openDatabase = async (config: Config, deps: Deps): Promise<OpenDatabase> => {
  await requireRelational(config)
  if (config.relational.kind === 'remote') return connectTo(config.relational.url, deps)
  let lock: AsyncDisposable
  try {
    lock = lockDataDir(config.dataDir)
  } catch (error) {
    if (!(error instanceof DataDirLocked)) throw error
    return connectTo(await runningPostgresUrl(folders(config.dataDir).postgres), deps)
  }
  try {
    const store = await openRelationalStore(config, { logger: deps.logger, metrics: noMetrics })
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
