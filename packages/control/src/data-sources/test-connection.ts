import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { AppError } from '@tributary/kernel'
import { dataSourceName, readDataSource, type SessionDeps, useDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'
import { countTry } from '../users/sign-in/count-tries.ts'

/** Maximum number of connection tests of one workspace in 15 minutes. */
const maxTests = 60

/**
 * Tests the address and the credentials of a data source. If the connection fails, the response explains why. The audit
 * record is written before the test, so that every outgoing connection has a known author.
 */
export const testDataSource =
  (
    deps: SessionDeps & Pick<ControlDeps, 'db' | 'counters' | 'clock'>,
  ): Handler<typeof methods.dataSources.testConnection> =>
  async ({ workspace, params, signal }) => {
    const { db, counters } = deps
    const row = await readDataSource(db, workspace.id, params.data_source)
    await countTry(
      counters,
      [[`connection-tests:${workspace.id}`, maxTests]],
      'Too many connection tests. Try again in 15 minutes',
    )
    await db.transaction().execute((tx) => audit(tx, dataSourceName(workspace.id, row.id)))
    const began = performance.now()
    const answer = await useDataSource(deps, row, signal, async (session) => ({
      ok: true,
      message: await session.about(),
    })).catch((error: unknown) => {
      const { code, metadata } = error instanceof AppError ? error : {}
      if (code !== 412 || metadata === undefined) throw error
      return { ok: false, message: metadata.detail ?? '' }
    })
    return { ...answer, latency_ms: Math.round(performance.now() - began) }
  }
