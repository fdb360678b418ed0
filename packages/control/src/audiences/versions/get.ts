import type { Db } from '@tributary/api-kit'
import { type AudienceRow, readAudience } from '@tributary/audiences'
import { type AudienceQuery, type AudienceVersion, audienceQuery, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../../deps.ts'
import { presentVersion, selectVersions } from './versions.ts'

/** Reads a version with its query. Throws 404 if the version does not exist or was removed. */
export const readVersion = async (
  db: Db,
  audience: AudienceRow,
  version: string,
): Promise<AudienceVersion & { query: AudienceQuery }> => {
  const row = /^[0-9]{1,9}$/.test(version)
    ? await selectVersions(db, audience.id)
        .select('v.query')
        .where('v.version', '=', Number(version))
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('version not found')
  return { ...presentVersion(audience, row), query: audienceQuery.parse(JSON.parse(row.query)) }
}

/** A version of an audience with its query. */
export const getAudienceVersion =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.getVersion> =>
  async ({ workspace, params }) =>
    await readVersion(db, await readAudience(db, workspace.id, params.audience), params.version)
