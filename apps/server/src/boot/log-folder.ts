import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@tributary/kernel'
import {
  journalPlaces,
  type KeptPlace,
  openRelational,
  partitionGroups,
  type Relational,
  readKeptPlaces,
  setJournalPlaces,
} from '@tributary/storage'
import type { LogHolder } from '@tributary/storage/kafka'
import { type Config, isShared } from '../config/config.ts'
import { createPrivateFile, readPrivateFile } from '../secrets/private-file.ts'
import { folders } from './engines.ts'

/**
 * Consumers whose positions are copied to PostgreSQL, so that another folder does not repeat their work. Profiles need
 * no copy: they store which events they have.
 */
export const copiedConsumers = ['delivery', 'signals'] as const

/** The ID that is recorded if no data folder has processing state. */
const noFolder = 'shared'

/** Thrown if the log was used with another data folder. Its message explains what to do. */
export class LogOfOtherFolder extends Error {
  override readonly name = 'LogOfOtherFolder'
}

const fileOf = (dataDir: string): string => join(dataDir, 'folder.id')

/** Creates a unique ID for the folder. It is on disk when the promise resolves. */
const makeId = async (dataDir: string): Promise<string> => {
  const id = randomUUID()
  await createPrivateFile(fileOf(dataDir), id)
  return id
}

type LogConfig = Pick<Config, 'dataDir' | 'log' | 'relational' | 'eventStore' | 'lostFolder'>

/**
 * Returns the name with which the operator declares a folder lost. Earlier versions recorded no folder: then the name
 * is the incarnation of the log.
 */
const nameOf = ({ folder, incarnation }: LogHolder): string => folder ?? incarnation

const refusal = ({ dataDir, log }: LogConfig, holder: LogHolder): string => {
  const prefix = log.kind === 'kafka' ? log.topicPrefix : ''
  const way =
    holder.folder === noFolder
      ? `The log ${prefix} on Kafka is used by processes with DATABASE_URL and CLICKHOUSE_URL, where this one would keep its state in ${dataDir}. Set both; `
      : `The log ${prefix} on Kafka is used with another data folder than ${dataDir}. Start with that folder (TRIBUTARY_DATA_DIR); `
  return `${way}only if that state is lost, set TRIBUTARY_LOST_FOLDER=${nameOf(holder)} to go on without it.`
}

/** Whether the database already has journals of processes that share all state. */
const hasSharedJournals = async (url: string, logger: Logger): Promise<boolean> => {
  await using relational = openRelational({ url, logger, maxConnections: 1, statementMs: 10_000 })
  const { rows } = await relational.pool.query<{ known: boolean }>(
    `select to_regclass('journal_positions') is not null as known`,
  )
  if (rows[0]?.known !== true) return false
  const found = await relational.pool.query('select from journal_positions limit 1')
  return found.rowCount === 1
}

/** Whether a version that recorded no folder may have used the log with this folder. */
const wasUsedBefore = async ({ dataDir, relational, ...config }: LogConfig, logger: Logger): Promise<boolean> => {
  if (existsSync(join(dataDir, 'journal'))) return true
  if (!isShared({ relational, ...config }) || relational.kind !== 'remote') return false
  return await hasSharedJournals(relational.url, logger)
}

/** The result of the check: `lost` is the earlier holder whose state is lost, if any. */
export type LogUse = { lost: LogHolder | undefined }

/**
 * Checks that the log was last used with this data folder, or that the operator declares the earlier folder lost.
 * Changes nothing.
 *
 * @throws LogOfOtherFolder
 */
export const requireLogFolder = async (
  config: LogConfig,
  holder: LogHolder | undefined,
  logger: Logger,
): Promise<LogUse> => {
  const own = { lost: undefined }
  if (holder === undefined) return own
  const { folder } = holder
  if (
    folder === undefined
      ? await wasUsedBefore(config, logger)
      : folder === (await readPrivateFile(fileOf(config.dataDir)))
  )
    return own
  if (folder === noFolder && isShared(config)) return own
  if (config.lostFolder === nameOf(holder)) return { lost: holder }
  throw new LogOfOtherFolder(refusal(config, holder))
}

const placesOfLost = async (
  relational: Relational,
  holder: LogHolder,
  consumer: (typeof copiedConsumers)[number],
): Promise<KeptPlace[]> => {
  if (holder.folder !== noFolder) return await readKeptPlaces(relational, consumer)
  const groups = consumer === 'delivery' ? await partitionGroups(relational) : 1
  return (await journalPlaces(relational, consumer, groups)).map((place) => ({ ...place, note: '' }))
}

/**
 * Takes the log over for this data folder, so that deliveries of a lost folder are not repeated. Resolves to the ID of
 * the folder, for the log to record; undefined if the log is in the folder. Call it before any consumer starts.
 */
export const takeLogFolder = async (
  config: LogConfig,
  { lost }: LogUse,
  { relational, logger }: { relational: Relational; logger: Logger },
): Promise<string | undefined> => {
  if (config.log.kind !== 'kafka') return undefined
  if (lost !== undefined) {
    for (const consumer of copiedConsumers) {
      const places = await placesOfLost(relational, lost, consumer)
      setJournalPlaces(folders(config.dataDir).journal(consumer), places)
      logger.warn(
        { folder: nameOf(lost), consumer, partitions: places.length },
        places.length === 0
          ? 'nothing is known of what was done with the lost data folder: all that the log holds is done again'
          : 'the log is taken over from a lost data folder: what was done with it is not done again',
      )
    }
  }
  const id = (await readPrivateFile(fileOf(config.dataDir))) ?? (await makeId(config.dataDir))
  return isShared(config) ? noFolder : id
}
