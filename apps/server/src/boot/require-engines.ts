import { existsSync } from 'node:fs'
import { silentLogger } from '@tributary/kernel'
import { openRelational } from '@tributary/storage'
import { type Config, isShared } from '../config/config.ts'
import { folders } from './engines.ts'
import { kafkaOptions } from './open-log.ts'

/**
 * Thrown if an engine that a command needs is unreachable or not set. Its message names the engine and explains what to
 * do.
 */
export class EngineAway extends Error {
  override readonly name = 'EngineAway'
}

/**
 * Maximum time in ms for the response of an engine, so that a command responds within 3 seconds even if engines are
 * down.
 */
const answerMs = 2000

const reasonOf = (error: unknown): string => {
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error]
  const texts = causes.map((cause) => (cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause)))
  return [...new Set(texts.filter((text) => text !== ''))].join('; ') || 'no reason is known'
}

const addressOf = (url: string): string => {
  const found = URL.parse(url.replace(/^(postgres(?:ql)?:\/\/(?:[^/@]*@)?)\//, '$1localhost/'))
  return found?.searchParams.get('host') ?? found?.host ?? ''
}

const askPostgres = async (url: string, ms: number): Promise<void> => {
  const relational = openRelational({ url, logger: silentLogger, maxConnections: 1, statementMs: ms })
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${ms / 1000} seconds`)), ms)
  try {
    await Promise.race([relational.pool.query('select 1'), late.promise])
  } finally {
    clearTimeout(timer)
    // Not awaited, because closing the connection to an engine that hangs may never end.
    void relational.close().catch(() => {})
  }
}

type Engines = Pick<Config, 'dataDir' | 'log' | 'relational'>

/**
 * Checks that a remote PostgreSQL responds, or that the data folder has one.
 *
 * @throws EngineAway
 */
export const requireRelational = async ({ relational, dataDir }: Engines, ms = answerMs): Promise<void> => {
  if (relational.kind === 'embedded') {
    if (existsSync(folders(dataDir).postgres)) return
    throw new EngineAway(
      `There is no database in ${dataDir}. Set TRIBUTARY_DATA_DIR to the folder of Tributary, or DATABASE_URL to its PostgreSQL.`,
    )
  }
  await askPostgres(relational.url, ms).catch((error: unknown) => {
    throw new EngineAway(
      `PostgreSQL at ${addressOf(relational.url)} does not answer: ${reasonOf(error)}. Start it, or correct DATABASE_URL.`,
    )
  })
}

/**
 * Checks that PostgreSQL responds, if it stores the journals of the log consumers.
 * @throws EngineAway
 */
export const requireJournals = async (config: Engines & Pick<Config, 'eventStore'>): Promise<void> => {
  if (isShared(config)) await requireRelational(config)
}

/**
 * Checks that Kafka responds, if the log is on Kafka.
 * @throws EngineAway
 */
export const requireLog = async ({ log }: Engines, ms = answerMs): Promise<void> => {
  if (log.kind !== 'kafka') return
  const { requireKafkaAnswer } = await import('@tributary/storage/kafka')
  await requireKafkaAnswer(kafkaOptions(log), ms).catch((error: unknown) => {
    const brokers = log.brokers.map(({ host, port }) => `${host}:${port}`).join(', ')
    throw new EngineAway(`Kafka at ${brokers} does not answer: ${reasonOf(error)}. Start it, or correct KAFKA_BROKERS.`)
  })
}
