import type { Db } from '@tributary/api-kit'
import { sql } from 'kysely'

/** A profile that entered or left an audience, as destinations receive it. `place` increases within a connection. */
export type ReportedChange = { place: number; kind: 'entered' | 'left'; profileId: string; time: Date }

type Connection = {
  workspace_id: string
  audience_id: string
  first_change: string
  sent_change: string
  fill_cursor: string | null
}

/**
 * Reads members that an audience had when it was connected, after the cursor, in the order of their IDs. A profile that
 * has merged into another of these members is omitted, because that member represents both.
 */
export const readFill = async (
  db: Db,
  { workspace_id, audience_id, first_change, fill_cursor }: Connection,
  sent: number,
  limit: number,
): Promise<ReportedChange[]> => {
  const { rows } = await sql<{ profile_id: string; time: Date }>`
    select profile_id, time from (
      select distinct on (profile_id) profile_id, kind, time from audience_changes
      where audience_id = ${audience_id}::uuid and id <= ${first_change}::bigint
        and (${fill_cursor}::uuid is null or profile_id > ${fill_cursor}::uuid)
      order by profile_id, id desc
    ) as last where kind = 'entered' and not exists (
      with recursive found as (
        select merged_into as id from profiles where workspace_id = ${workspace_id}::uuid and id = last.profile_id
        union all
        select p.merged_into from found join profiles p on p.workspace_id = ${workspace_id}::uuid and p.id = found.id
      )
      select from found cross join lateral (
        select kind from audience_changes c where c.audience_id = ${audience_id}::uuid and c.profile_id = found.id
          and c.id <= ${first_change}::bigint order by c.id desc limit 1
      ) as other where other.kind = 'entered'
    ) order by profile_id limit ${limit}`.execute(db)
  return rows.map(({ profile_id, time }, index) => ({
    place: sent + index + 1,
    kind: 'entered',
    profileId: profile_id,
    time,
  }))
}

/** Counts the members that an audience had at a change. */
export const countFill = async (db: Db, audienceId: string, change: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (
      select distinct on (profile_id) kind from audience_changes
      where audience_id = ${audienceId}::uuid and id <= ${change}::bigint order by profile_id, id desc
    ) as last where kind = 'entered'`.execute(db)
  return rows[0]?.n ?? 0
}

type ChangeRow = { id: string; kind: 'entered' | 'left'; profile_id: string; time: Date; carried: boolean }

/**
 * Reads the changes after the last sent change, in their order, and the place of the last of them. Changes that only
 * give a member another ID are omitted. If a profile merges into a member, neither its exit nor the entry of that
 * member by the merge is sent. The entry of a profile that has since merged into an earlier member is also not sent.
 */
export const readChangesBehind = async (
  db: Db,
  { workspace_id, audience_id, sent_change }: Connection,
  limit: number,
): Promise<{ changes: ReportedChange[]; through: number | undefined }> => {
  const { rows } = await sql<ChangeRow>`
    with batch as (
      select id, kind, profile_id, time from audience_changes
      where audience_id = ${audience_id}::uuid and id > ${sent_change}::bigint order by id limit ${limit}
    )
    select batch.*, case when batch.kind = 'left' then exists (
        with recursive found as (
          select merged_into as id from profiles where workspace_id = ${workspace_id}::uuid and id = batch.profile_id
          union all
          select p.merged_into from found join profiles p on p.workspace_id = ${workspace_id}::uuid and p.id = found.id
        )
        select from found join audience_changes c on c.audience_id = ${audience_id}::uuid and c.profile_id = found.id
        where c.kind = 'entered' and c.time <= batch.time and not exists (
          select from audience_changes l where l.audience_id = c.audience_id and l.profile_id = c.profile_id
            and l.kind = 'left' and l.id > c.id and l.time <= batch.time)
      ) else exists (
        select from audience_changes l join profiles p on p.workspace_id = ${workspace_id}::uuid and p.id = l.profile_id
        where l.audience_id = ${audience_id}::uuid and l.time = batch.time and l.kind = 'left'
          and p.merged_into = batch.profile_id
      ) or exists (
        with recursive found as (
          select merged_into as id from profiles where workspace_id = ${workspace_id}::uuid and id = batch.profile_id
          union all
          select p.merged_into from found join profiles p on p.workspace_id = ${workspace_id}::uuid and p.id = found.id
        )
        select from found join audience_changes c on c.audience_id = ${audience_id}::uuid and c.profile_id = found.id
        where c.kind = 'entered' and c.id < batch.id and not exists (
          select from audience_changes l where l.audience_id = c.audience_id and l.profile_id = c.profile_id
            and l.kind = 'left' and l.id > c.id and l.id < batch.id)
      ) end as carried
    from batch order by batch.id`.execute(db)
  const last = rows.at(-1)
  return {
    through: last === undefined ? undefined : Number(last.id),
    changes: rows
      .filter(({ carried }) => !carried)
      .map(({ id, kind, profile_id, time }) => ({ place: Number(id), kind, profileId: profile_id, time })),
  }
}
