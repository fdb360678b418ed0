import type { Relational } from '../../relational/open.ts'
import { makeBoss } from './boss.ts'

/** Key of the advisory lock that lets one process install at a time; "jobs" in ASCII. */
const lockKey = 0x6a6f6273

/**
 * Brings the part of the database that holds the jobs to the form that this version needs. Processes that start together
 * wait for each other; a killed one leaves a whole step.
 */
export const installJobs = async (pool: Relational['pool']): Promise<void> => {
  const client = await pool.connect()
  try {
    // The library's own lock is taken inside of its statements, too late for two that make the schema.
    await client.query('select pg_advisory_lock($1)', [lockKey])
    const boss = await makeBoss(
      { executeSql: (text, values) => client.query(text, values) },
      { schedule: false, supervise: false },
    )
    await boss.start()
    await boss.stop({ graceful: false })
  } finally {
    // With its connection the lock goes, whatever went wrong.
    client.release(true)
  }
}
