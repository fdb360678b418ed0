import type { Db } from '@tributary/api-kit'
import { sql } from 'kysely'
import type { AudienceServices } from './services.ts'
import type { Person } from './sql-builder.ts'

/**
 * Reads profiles of a workspace with the numbers of their identifiers in the event store. Merged and deleted profiles
 * are omitted.
 */
export const readPeople = async (
  { db, profileLedger }: { db: Db } & Pick<AudienceServices, 'profileLedger'>,
  workspaceId: string,
  profileIds: readonly string[],
): Promise<Person[]> => {
  const { rows } = await sql<{ id: string; identifiers: { type: string; value: string }[] }>`
    select p.id, array(
      select json_build_object('type', i.type, 'value', i.value) from profile_identifiers i
      where i.workspace_id = ${workspaceId}::uuid and i.profile_id = p.id and i.type in ('user_id', 'anonymous_id')
    ) as identifiers
    from profiles p
    where p.workspace_id = ${workspaceId}::uuid and p.id = any(${profileIds}::uuid[]) and p.merged_into is null`.execute(
    db,
  )
  return rows.map(({ id, identifiers }) => ({
    id,
    owners: identifiers.map((each) => profileLedger.ownerOf(workspaceId, each)),
  }))
}
