import type { Logger } from '@tributary/kernel'
import { type CoordinationHub, createCoordinationHub, openPostgresLink } from '@tributary/storage'
import type { Config } from '../config/config.ts'

/** Topics about this process's own log. Other processes with their own logs must not receive them. */
const ofOwnLog = /^pipeline\./

/** Frequent topics for current subscribers only. Without another process they are not sent through the database. */
const passing = new Set(['live.publish', 'live.occupied'])

/**
 * Opens the coordination between the threads of this process and all processes that share its database. An embedded
 * database is not shared.
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
