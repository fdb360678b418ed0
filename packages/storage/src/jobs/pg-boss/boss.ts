import { CompiledQuery } from 'kysely'
import type { Db as BossDb, ConstructorOptions, PgBoss } from 'pg-boss'
import { createListener } from '../../relational/listener.ts'
import type { Relational } from '../../relational/open.ts'
import type { JobDb } from '../port.ts'

/** The PostgreSQL schema that only pg-boss uses. */
const jobsSchema = 'jobs'

/** How often a lost connection for notifications is checked, ms. */
const listenAgainMs = 5000

/** Runs pg-boss on the product's connection pool; it listens on one of the connections. */
export const onPool = (pool: Relational['pool']): BossDb => ({
  executeSql: (text, values) => pool.query(text, values),
  async listen(channel, hear, onListening) {
    const listener = createListener(pool, channel, hear, onListening)
    await listener.ensure()
    const timer = setInterval(() => void listener.ensure(), listenAgainMs)
    return {
      async close() {
        clearInterval(timer)
        listener.stop()
      },
    }
  },
})

/** Returns which of these kinds have jobs that can run now. */
export const readDue = async (pool: Relational['pool'], names: readonly string[]): Promise<string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select name from unnest($1::text[]) as asked (name) where exists (
       select from ${jobsSchema}.job j where j.name = asked.name and j.state < 'active' and not j.blocked
         and j.start_after <= ${jobsSchema}.job_now())`,
    [names],
  )
  return rows.map(({ name }) => name)
}

/** Runs pg-boss's statements in the caller's transaction. */
export const inTransaction = (db: JobDb): BossDb => ({
  executeSql: async (text, values = []) => {
    const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
    return { rows }
  },
})

/** Creates pg-boss, not started. It is imported only here, since it needs 10 MB in each thread that loads it. */
export const makeBoss = async (db: BossDb, options: ConstructorOptions): Promise<PgBoss> => {
  const { PgBoss: Boss } = await import('pg-boss')
  return new Boss({
    db,
    schema: jobsSchema,
    registerInstance: false,
    openTelemetry: { enabled: false },
    monitorVacuum: false,
    // No job depends on others, so the library checks for such jobs only once a day.
    flowIntervalSeconds: 24 * 60 * 60,
    ...options,
  })
}
