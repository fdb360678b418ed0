import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '@tributary/kernel'
import { type QueryExecutorProvider, sql } from 'kysely'
import type { PoolClient } from 'pg'
import { type AppliedSchema, refuseTooNew, SchemaTooNew, schemaLock } from './applied-schemas.ts'
import { baselineName } from './migrations/0200-baseline/baseline.ts'
import type { Relational } from './open.ts'

/** How long a process counts as running after its last announcement, in ms; three announcements may fail. */
export const runningMs = 8000

/** Thrown if a migration would remove parts that a running process uses; the message names the process. */
export class OlderProcessesRun extends Error {
  override readonly name = 'OlderProcessesRun'
  constructor(processes: readonly string[], oldest: string) {
    super(
      `The database cannot be brought to this version yet: processes run that are too old for it (${processes.join('; ')}). ${
        oldest === baselineName
          ? 'This version works beside none of version 0.1: stop all processes'
          : 'Update or stop them'
      } first, then start this one again.`,
    )
  }
}

/**
 * Checks that no process runs without support for a migration.
 *
 * @throws OlderProcessesRun
 */
export const requireNoneOlder = async (db: QueryExecutorProvider, oldest: string): Promise<void> => {
  const table = await sql<{ known: boolean }>`select to_regclass('process_schemas') is not null as known`.execute(db)
  if (table.rows[0]?.known !== true) return
  const { rows } = await sql<{ host: string; version: string; roles: string[] }>`
    select host, version, roles from process_schemas
    where not ${oldest} = any(knows) and seen_time > clock_timestamp() - ${runningMs} * interval '1 millisecond'
    order by host, roles`.execute(db)
  if (rows.length > 0)
    throw new OlderProcessesRun(
      rows.map(({ host, version, roles }) => `${roles.join(',')} on ${host}, version ${version}`),
      oldest,
    )
}

/**
 * Records that a migration of another store will remove something. From then on, no process without support for
 * `oldest` can start, and running ones end.
 *
 * @throws OlderProcessesRun
 */
export const noteContraction = async (
  { db }: Pick<Relational, 'db'>,
  { name, oldest }: { name: string; oldest: string },
): Promise<void> =>
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(schemaLock)})`.execute(tx)
    await requireNoneOlder(tx, oldest)
    await sql`insert into schema_migrations (name, oldest) values (${name}, ${oldest}) on conflict do nothing`.execute(
      tx,
    )
  })

/** The roles of each running process, as announced. */
export const runningRoles = async ({ pool }: { pool: Pick<Relational['pool'], 'query'> }): Promise<string[][]> => {
  const { rows } = await pool.query<{ roles: string[] }>(
    `select roles from process_schemas where seen_time > clock_timestamp() - $1 * interval '1 millisecond'`,
    [runningMs],
  )
  return rows.map(({ roles }) => roles)
}

/** A process that has announced its version to others. */
export type AnnouncedProcess = {
  /**
   * Checks that this process can still work with the schema.
   *
   * @throws SchemaTooNew
   */
  check(): Promise<void>
  /** Withdraws the announcement. */
  stop(): Promise<void>
}

const contractions = 'select name, oldest from schema_migrations where oldest is not null'

const hereText = `
insert into process_schemas (id, host, version, roles, knows, seen_time)
values ($1, $2, $3, $4, $5, clock_timestamp())
on conflict (id) do update set seen_time = excluded.seen_time`

const beatText = `
with here as (${hereText}
), gone as (
  delete from process_schemas where seen_time < clock_timestamp() - interval '1 day'
)
${contractions}`

type Announced = {
  pool: Relational['pool']
  id: string
  host: string
  version: string
  roles: readonly string[]
  knows: ReadonlySet<string>
}

const valuesOf = ({ id, host, version, roles, knows }: Announced): unknown[] => [id, host, version, roles, [...knows]]

/** Announces a process, unless another one changes the schema; returns false in that case. */
const announceOnce = async (client: PoolClient, announced: Announced): Promise<boolean> => {
  await client.query('begin')
  const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_xact_lock_shared($1) as free', [
    schemaLock,
  ])
  if (rows[0]?.free !== true) {
    await client.query('rollback')
    return false
  }
  refuseTooNew((await client.query<AppliedSchema>(contractions)).rows, announced.knows)
  await client.query(hereText, valuesOf(announced))
  await client.query('commit')
  return true
}

/**
 * Announces, now and every `everyMs`, that a process runs and which schemas it supports, so that no migration is
 * applied with which it cannot work. That may still happen if the process was paused or disconnected for longer than it
 * counts as running: then `onTooOld` is called. Waits while the schema is being changed.
 *
 * @throws SchemaTooNew
 */
export const announceProcess = async ({
  everyMs = 2000,
  onTooOld,
  logger,
  ...announced
}: Announced & {
  everyMs?: number
  onTooOld: (why: string) => void
  logger: Pick<Logger, 'warn'>
}): Promise<AnnouncedProcess> => {
  const { pool, id, knows } = announced
  const client = await pool.connect()
  try {
    while (!(await announceOnce(client, announced))) await pause(200)
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
  let isAway = false
  const beat = async (): Promise<void> => {
    try {
      const { rows } = await pool.query<AppliedSchema>({
        name: 'process-beat',
        text: beatText,
        values: valuesOf(announced),
      })
      isAway = false
      refuseTooNew(rows, knows)
    } catch (error) {
      if (error instanceof SchemaTooNew) {
        clearInterval(timer)
        onTooOld(error.message)
        return
      }
      if (!isAway) logger.warn({ err: error }, 'this process cannot announce that it runs; it tries again')
      isAway = true
    }
  }
  let beating: Promise<void> | undefined
  const timer = setInterval(() => {
    beating ??= beat().finally(() => {
      beating = undefined
    })
  }, everyMs)
  return {
    async check() {
      refuseTooNew((await pool.query<AppliedSchema>({ name: 'process-check', text: contractions })).rows, knows)
    },
    async stop() {
      clearInterval(timer)
      await beating
      await pool.query('delete from process_schemas where id = $1', [id]).catch(() => {})
    },
  }
}
