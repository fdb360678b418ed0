import { sql } from 'kysely'
import type { CountServices } from '../services.ts'

/**
 * Reads the owners of stored events with values that their workspaces block, as decimal numbers. Such events have no
 * profile. An ID counts in any letter case and with surrounding spaces, so all forms in which it was sent are looked
 * up.
 */
export const readBlockedOwners = async (
  { db, eventStore, profileLedger }: Pick<CountServices, 'db' | 'eventStore' | 'profileLedger'>,
  workspaces: readonly string[],
  signal: AbortSignal | undefined,
): Promise<bigint[]> => {
  const { rows: decided } = await sql<{ workspace_id: string; blocked: string[] }>`
    select workspace_id, rules -> 'blocked_values' as blocked from identity_settings
    where workspace_id = any(${workspaces}::uuid[]) and rules -> 'blocked_values' <> '[]'`.execute(db)
  const owners: bigint[] = []
  for (const { workspace_id, blocked } of decided)
    for (const type of ['user_id', 'anonymous_id'] as const) {
      const rows = await eventStore.query<{ value: string }>(
        `select distinct ${type} as value from events where workspace_id = {workspace:String}
           and lowerUTF8(trim(both ' \\t\\r\\n' from ${type})) in {blocked:Array(String)}`,
        { workspace: workspace_id, blocked: blocked.map((value) => value.trim().toLowerCase()) },
        { owner: workspace_id, slot: 'heavy', ...(signal === undefined ? {} : { signal }) },
      )
      for (const { value } of rows) owners.push(BigInt(profileLedger.ownerOf(workspace_id, { type, value })))
    }
  return owners
}
