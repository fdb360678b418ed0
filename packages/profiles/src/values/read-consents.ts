import type { ProfileConsent } from '@tributary/connector-kit'
import { type Database, prepared } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import { type Identifier, identifierKey } from '../identifiers.ts'

type Row = { place: number; granted: string[]; time: Date }

/**
 * Reads, with one statement, the latest consent of the profiles with the given identifiers, by `identifierKey`. Profiles
 * without a known consent are absent. `limit 1` and `offset 0` keep the planner on the indexes.
 */
export const readConsents = async (
  db: Kysely<Database>,
  workspaceId: string,
  owners: readonly Identifier[],
): Promise<Map<string, ProfileConsent>> => {
  const { rows } = await sql<Row>`${prepared('profile-consents')}
    select a.place::integer, latest.granted, latest.time
    from unnest((select ${owners.map(({ type }) => type)}::text[]), (select ${owners.map(({ value }) => value)}::text[]))
      with ordinality as a (type, value, place)
    cross join lateral (
      select profile_id from profile_identifiers
      where workspace_id = ${workspaceId}::uuid and value = a.value and type = a.type limit 1) known
    cross join lateral (
      select c.granted, c.time
      from (select sequence from profile_identifiers
        where workspace_id = ${workspaceId}::uuid and profile_id = known.profile_id offset 0) i
      cross join lateral (
        select granted, time, event_id from profile_consents
        where workspace_id = ${workspaceId}::uuid and identifier = i.sequence limit 1) c
      order by c.time desc, c.event_id desc limit 1) latest`.execute(db)
  return new Map(
    rows.flatMap(({ place, granted, time }) => {
      const owner = owners[place - 1]
      return owner === undefined ? [] : [[identifierKey(owner), { time: time.toISOString(), granted }]]
    }),
  )
}
