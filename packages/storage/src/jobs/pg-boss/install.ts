import type { Relational } from '../../relational/open.ts'
import { makeBoss } from './boss.ts'

/** Key of the advisory lock that lets one process install at a time; "jobs" in ASCII. */
const lockKey = 0x6a6f6273

/**
 * Migrates the tables of the jobs to this version. Processes that start together wait for each other; a killed one
 * leaves only completed steps.
 */
export const installJobs = async (pool: Relational['pool']): Promise<void> => {
  const client = await pool.connect()
  try {
    // The library takes its own lock inside its statements, which is too late for two processes that create the schema.
    await client.query('select pg_advisory_lock($1)', [lockKey])
    const boss = await makeBoss(
      { executeSql: (text, values) => client.query(text, values) },
      { schedule: false, supervise: false },
    )
    await boss.start()
    await boss.stop({ graceful: false })
  } finally {
    // Closing the connection releases the lock, also after errors.
    client.release(true)
  }
}
