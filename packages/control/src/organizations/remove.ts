import { type Db, deleteAuditOfOrganization } from '@tributary/api-kit'
import { faultPoint } from '@tributary/kernel'
import { againMs, type RemovalDeps, removeData } from '../workspaces/remove-data.ts'

/**
 * Whether no more data of an organization can arrive, neither from logs nor from pending calls to the payment provider.
 */
const isOver = async (
  { db, oldestLogged, billing }: RemovalDeps,
  { id, delete_time }: { id: string; delete_time: Date },
  workspaces: readonly string[],
): Promise<boolean> => {
  const open = async (query: Promise<unknown>): Promise<boolean> => (await query) !== undefined
  const operations = db.selectFrom('payment_operations').select('id').where('organization_id', '=', id)
  if (await open(operations.where('done_time', 'is', null).executeTakeFirst())) return false
  const onboardings = db.selectFrom('onboardings').select('id').where('organization_id', '=', id)
  if (await open(onboardings.where('billing', '=', 'open').executeTakeFirst())) return false
  const unbilled = db.selectFrom('usage_periods').select('start_time').where('organization_id', '=', id)
  const byProvider = unbilled.where('done_time', 'is', null).where('provider', '=', billing.payment)
  if (await open(byProvider.executeTakeFirst())) return false
  for (const workspace of workspaces) if ((await oldestLogged(workspace)) <= delete_time.getTime()) return false
  return true
}

/**
 * Removes the row of the organization with its configuration. Also removes its audit records, except for the record of
 * the deletion.
 */
const removeOrganization = (db: Db, id: string): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await deleteAuditOfOrganization(tx, id)
    await tx.deleteFrom('organizations').where('id', '=', id).execute()
  })

/**
 * Removes the data of deleted organizations, as far as possible now. Call it regularly, also after a crash. Removes the
 * row of an organization once no log contains anything that was received before the deletion.
 */
export const removeDeletedOrganizations = async (
  deps: RemovalDeps,
  { signal }: { signal: AbortSignal },
): Promise<void> => {
  const { db, clock, logger } = deps
  const due = await db
    .selectFrom('organizations')
    .select(['id', 'delete_time'])
    .where('delete_time', 'is not', null)
    .where('remove_time', '<=', new Date(clock()))
    .orderBy('remove_time')
    .limit(20)
    .execute()
  for (const { id, delete_time } of due)
    try {
      if (delete_time === null) continue
      const rows = await db.selectFrom('workspaces').select('id').where('organization_id', '=', id).execute()
      const workspaces = rows.map((row) => row.id)
      const over = await isOver(deps, { id, delete_time }, workspaces)
      await removeData(deps, id, workspaces, signal)
      faultPoint('remove-organization.before-last')
      if (over) await removeOrganization(db, id)
      else
        await db
          .updateTable('organizations')
          .set({ remove_time: new Date(clock() + againMs) })
          .where('id', '=', id)
          .execute()
    } catch (error) {
      signal.throwIfAborted()
      // The next call tries this organization again. The loop continues with the others.
      logger.warn({ id, err: error }, 'a deleted organization could not be removed yet')
    }
}
