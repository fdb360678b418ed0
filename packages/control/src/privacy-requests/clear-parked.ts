import type { Db } from '@tributary/api-kit'
import { sql } from 'kysely'

/** Takes what was sent and answered out of what waits or died with one of these events, and drops what died with them alone. */
export const clearParked = async (db: Db, workspaceId: string, eventIds: readonly string[]): Promise<void> => {
  await sql`delete from parked_deliveries where workspace_id = ${workspaceId}::uuid and state = 'dead'
    and event_ids <@ ${eventIds}::text[]`.execute(db)
  await sql`update parked_deliveries set request = '', response = '', last_reason = ''
    where workspace_id = ${workspaceId}::uuid and event_ids && ${eventIds}::text[]`.execute(db)
}
