import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@tributary/kernel'
import { clearOrphans } from '../relational/embedded/orphans.ts'
import { processesUsing } from '../supervisor/processes.ts'

/**
 * Waits until no process works on the data folder, whose lock the caller holds. Stops a PostgreSQL that a killed server
 * left behind. Waits for the other engines, which end by themselves after their server.
 *
 * @throws with the names of the processes that still work there after `waitMs`
 */
export const untilIdle = async (dir: string, logger: Logger, waitMs = 20_000): Promise<void> => {
  const folder = realpathSync(dir)
  const deadline = Date.now() + waitMs
  await clearOrphans(join(folder, 'postgres'), logger)
  for (;;) {
    const users = processesUsing(folder)
    if (users.length === 0) return
    if (Date.now() >= deadline) {
      const names = users.map(({ pid, command }) => `${command} (${pid})`).join(', ')
      throw new Error(`These processes still use the data folder ${dir}: ${names}. Stop them and try again.`)
    }
    await delay(50)
  }
}
