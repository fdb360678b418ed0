import type { Logger } from '@tributary/kernel'
import { type CoordinationHub, createCoordinationHub, openPostgresLink } from '@tributary/storage'
import type { Config } from './config/config.ts'

/** Topics about the log of this process. Another process with a log of its own must not hear them. */
const ofOwnLog = /^pipeline\./

/** What is published for whoever watches now, often, and said again: where no other process is, the database is spared it. */
const passing = new Set(['live.publish', 'live.occupied'])

/**
 * How the threads of this process, and all processes that share its database, tell each other things. A database that is this process's
 * own is nobody else's.
 */
export const openCoordination = async (
  { relational }: Pick<Config, 'relational'>,
  logger: Logger,
): Promise<CoordinationHub> => {
  const link =
    relational.kind === 'remote'
      ? await openPostgresLink({ url: relational.url, logger, isPassing: (topic) => passing.has(topic) })
      : undefined
  return createCoordinationHub({ logger, link, isShared: (topic) => !ofOwnLog.test(topic) })
}
