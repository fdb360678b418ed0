import { parseReference } from '@tributary/api-kit'
import { readAudience } from '@tributary/audiences'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import { currentProfileId } from '../../profiles/read.ts'
import { changeList, listVersionOf, lockList } from './change.ts'

/**
 * Removes every identifier of a profile from the list of an audience. Changes nothing for a profile that is not on the
 * list.
 */
export const removeFromAudienceList =
  (deps: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Handler<typeof methods.audiences.removeFromList> =>
  async ({ actor, workspace, params, body }) => {
    const { db } = deps
    const audience = await readAudience(db, workspace.id, params.audience)
    listVersionOf(audience)
    const asked = parseReference(resourceNames.profile, 'profile', body.profile)
    if (asked.workspace !== workspace.id) throw notFound('profile not found')
    const profileId = await currentProfileId(db, workspace.id, asked.profile)
    return await db.transaction().execute(async (tx) => {
      const row = await lockList(tx, audience)
      const version = listVersionOf(row)
      const { rows } = await sql<{ sequence: string }>`
        select i.sequence from profile_identifiers i
        join audience_list_entries e on e.audience_id = ${row.id}::uuid and e.identifier = i.sequence
          and e.from_version <= ${version} and (e.until_version is null or e.until_version > ${version})
        where i.workspace_id = ${workspace.id}::uuid and i.profile_id = ${profileId}::uuid`.execute(tx)
      if (rows.length > 0)
        await changeList(tx, deps, row, actor, {
          operation: 'remove',
          kind: null,
          value_count: rows.length,
          found_count: rows.length,
          add: [],
          remove: rows.map(({ sequence }) => sequence),
          version: undefined,
        })
      return { removed_count: rows.length }
    })
  }
