import type { Logger } from '@tributary/kernel'
import { type CoordinationHub, createCoordinationHub, openPostgresLink } from '@tributary/storage'
import type { Config } from '../config/config.ts'

/**
 * Topics about the log of this process. Other processes have different logs, so they must not receive these messages.
 */
const ofOwnLog = /^pipeline\./

/**
 * Topics with many messages, which only current subscribers need. If there is no other process, they are not sent
 * through the database. The last two only wake senders, which also look themselves.
 */
const passing = new Set([
  'live.publish',
  'live.occupied',
  'profiles.positions',
  'audiences.changes',
  'signals.conversions',
])

/** Whether messages of a topic are sent through the database only while another process runs. */
export const isPassing = (topic: string): boolean => passing.has(topic)

/**
 * Opens the coordination between the threads of this process and all processes that share its database. An embedded
 * database is not shared.
 */
export const openCoordination = async (
  { relational }: Pick<Config, 'relational'>,
  logger: Logger,
): Promise<CoordinationHub> => {
  const link =
    relational.kind === 'remote' ? await openPostgresLink({ url: relational.url, logger, isPassing }) : undefined
  return createCoordinationHub({ logger, link, isShared: (topic) => !ofOwnLog.test(topic) })
}
