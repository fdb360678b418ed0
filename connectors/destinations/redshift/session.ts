import {
  ConfigurationError,
  type DeliverContext,
  type DeliveryError,
  hideSecrets,
  RetryableError,
} from '@tributary/connector-kit'
import type { Client, QueryArrayResult } from 'pg'
import { cancelStatement } from '../../wire/postgresql/cancel.ts'
import { causeOf, createGuardedClient } from '../../wire/postgresql/connect.ts'
import { stateOf, wordsOf } from '../../wire/postgresql/failures.ts'
import { quoted } from '../../wire/postgresql/identifiers.ts'
import { asTexts } from '../../wire/postgresql/read-statements.ts'
import { digestReply } from '../../wire/redshift/digest.ts'
import { deliveryError } from '../../wire/redshift/failures.ts'
import { prepareStatements } from '../../wire/redshift/prepare.ts'
import { literal } from '../../wire/redshift/super.ts'
import type { WarehouseSession } from '../../wire/warehouse/dialect.ts'
import { bucketOf, copyRows } from './copy-rows.ts'
import { createDialect } from './dialect.ts'
import { insertStatements } from './insert-rows.ts'
import type { RedshiftSettings } from './settings.ts'
import { fittingRows } from './stage-rows.ts'

/** Longest time in ms of a statement, with its time in a queue. */
const statementMs = 30 * 60 * 1000

/** Longest answer to a statement: the columns of a thousand tables, or a page of staged rows. */
const answerBytes = 64 * 1024 * 1024

/**
 * Whether another session was faster, so that the same work succeeds when it is repeated. A table or column exists
 * already, or two transactions exclude each other.
 * Source: https://docs.aws.amazon.com/redshift/latest/dg/c_serial_isolation-serializable-troubleshooting.html
 */
const isRace = (state: string, words: string): boolean =>
  ['42P07', '42701', '42710', '23505', '40001', '40P01'].includes(state) || /serializable isolation/i.test(words)

const failureOf = (error: unknown, secrets: readonly string[]): DeliveryError => {
  const words = wordsOf(error)
  if (isRace(stateOf(error), words)) return new RetryableError(words, { cause: error })
  const failure = deliveryError(error)
  const shown = hideSecrets(failure.message, secrets)
  if (shown === failure.message) return failure
  return failure instanceof ConfigurationError ? new ConfigurationError(shown) : new RetryableError(shown)
}

/** The texts that no error may have, also as they are in a literal. */
const secretsOf = ({ password = '', secret_access_key = '' }: RedshiftSettings): string[] =>
  [password, secret_access_key].flatMap((secret) => [secret, literal(secret).slice(1, -1)])

/** Creates the schema if it is missing. The account needs no privilege for that if it exists. */
const ensureSchema = async (client: Client, schema: string): Promise<void> => {
  const { rows } = await client.query(`select 1 from pg_catalog.pg_namespace where nspname = ${literal(schema)}`)
  if (rows.length === 0) await client.query(`create schema if not exists ${quoted(schema)}`)
}

/** Runs work on a connection of its own, whose errors are DeliveryErrors. An open transaction ends with it. */
export const withClient = async <T>(
  context: DeliverContext<RedshiftSettings>,
  work: (client: Client) => Promise<T>,
): Promise<T> => {
  const { settings, signal, connect } = context
  const secrets = secretsOf(settings)
  const { client, socket } = await createGuardedClient(
    settings,
    context,
    { statementMs, answerBytes },
    digestReply(settings.password ?? ''),
  ).catch((error: unknown) => {
    throw failureOf(error, secrets)
  })
  // Without a listener, an error between two statements would end the process.
  client.on('error', () => {})
  let cancelled = Promise.resolve()
  const onAbort = (): void => {
    if (!socket.destroyed) cancelled = cancelStatement(client, settings, connect)
    socket.destroy()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    await client.connect()
    await client.query(prepareStatements(statementMs).join('; '))
    return await work(client)
  } catch (error) {
    throw signal.aborted ? new RetryableError('Interrupted') : failureOf(causeOf(error, socket), secrets)
  } finally {
    signal.removeEventListener('abort', onAbort)
    if (!socket.destroyed) await client.end().catch(() => {})
    socket.destroy()
    await cancelled
  }
}

/** Opens a session with the schema of the settings. */
export const withSession = <T>(
  context: DeliverContext<RedshiftSettings>,
  work: (session: WarehouseSession) => Promise<T>,
): Promise<T> =>
  withClient(context, async (client) => {
    const { settings } = context
    const secrets = secretsOf(settings)
    const dialect = createDialect(settings.schema)
    const bucket = bucketOf(settings)
    await ensureSchema(client, settings.schema)
    const run = async (statement: string): Promise<(string | null)[][]> => {
      try {
        const { rows }: QueryArrayResult<(string | null)[]> = await client.query(asTexts(statement))
        return rows
      } catch (error) {
        throw failureOf(error, secrets)
      }
    }
    return await work({
      dialect,
      run,
      stage: async (rows) => {
        const fitting = fittingRows(rows)
        if (bucket !== undefined) return await copyRows(context, bucket, fitting, run)
        const statements = insertStatements(settings.schema, fitting)
        if (statements.length > 1) await run('begin')
        for (const statement of statements) await client.query(statement.text, statement.values)
        if (statements.length > 1) await run('commit')
      },
    })
  })
