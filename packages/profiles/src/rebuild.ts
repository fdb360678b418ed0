import { faultPoint } from '@tributary/kernel'
import type { Database } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import { keepingFirstTimes } from './first-times.ts'
import { type LedgerTx, lockLedger, type OperationRow, operationOf } from './ledger.ts'
import { project } from './projection.ts'

/** Maximum operations per page. */
const pageSize = 5000

const page = async (tx: LedgerTx, workspaceId: string, after: number): Promise<OperationRow[]> =>
  (
    await sql<OperationRow>`select * from identity_operations
      where workspace_id = ${workspaceId}::uuid and sequence > ${after} order by sequence limit ${pageSize}`.execute(tx)
  ).rows

/**
 * Rebuilds the profiles of a workspace from its ledger, in one transaction: readers see the old profiles until it ends,
 * and no new facts are learned meanwhile. Profiles in memory are dropped as after a split. Returns the number of operations; `onProgress` gets the number of operations
 * applied so far.
 */
export const rebuildProfiles = (
  db: Kysely<Database>,
  workspaceId: string,
  onProgress: (operations: number) => void = () => {},
): Promise<number> =>
  db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    if ((await lockLedger(tx, workspaceId)) === undefined) return 0
    let operations = 0
    await keepingFirstTimes(tx, workspaceId, async () => {
      for (const table of ['profile_identifiers_apart', 'profile_identifiers', 'profiles'])
        await sql`delete from ${sql.table(table)} where workspace_id = ${workspaceId}::uuid`.execute(tx)
      for (let rows = await page(tx, workspaceId, 0); rows.length > 0; ) {
        await project(
          tx,
          workspaceId,
          rows.map((row) => ({ operation: operationOf(row), time: row.time.toISOString() })),
        )
        operations += rows.length
        onProgress(operations)
        rows = await page(tx, workspaceId, Number(rows.at(-1)?.sequence))
      }
    })
    // Other threads no longer use the former profiles, which they may have in memory.
    await sql`update identity_ledgers set revision = revision + 1 where workspace_id = ${workspaceId}::uuid`.execute(tx)
    faultPoint('rebuild-profiles.before-commit')
    return operations
  })
