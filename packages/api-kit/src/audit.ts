import { type Actor, newId } from '@tributary/kernel'
import type { Tx } from './db.ts'

export type AuditEntry = {
  /** Null when the product itself acts. */
  actor: Pick<Actor, 'userId'> | null
  /** `<resource>.<verb>` of the contract. */
  action: string
  /** Resource name of what was changed. */
  resource: string
  organizationId: string | null
  workspaceId: string | null
  /** What was changed. Never secrets. */
  detail?: Record<string, unknown>
  time: Date
}

/** Records who did what. In the transaction of the write itself: neither happens without the other. */
export const audit = async (tx: Tx, entry: AuditEntry): Promise<void> => {
  await tx
    .insertInto('audit_log')
    .values({
      id: newId(),
      organization_id: entry.organizationId,
      workspace_id: entry.workspaceId,
      actor_id: entry.actor?.userId ?? null,
      action: entry.action,
      resource: entry.resource,
      detail: JSON.stringify(entry.detail ?? {}),
      create_time: entry.time,
    })
    .execute()
}
