import type { Db, Tx } from '@tributary/api-kit'
import type { AudienceQuery } from '@tributary/contract'
import { faultPoint } from '@tributary/kernel'
import { type EventStore } from '@tributary/storage'
import { type CompiledQuery, sql } from 'kysely'
import { createCompiler } from '../compile.ts'
import { noSets, profilesQuery, runEvents, storeSets } from '../evaluate.ts'
import { readPeople } from '../people.ts'
import type { AudienceRow } from '../read.ts'
import type { AudienceServices } from '../services.ts'

export type ReevaluationDeps = Pick<AudienceServices, 'profileLedger'> & {
  db: Db
  eventStore: Pick<EventStore, 'query'>
}

/** A live audience with its query. */
export type LiveAudience = { row: Pick<AudienceRow, 'id' | 'version'>; query: AudienceQuery }

export type Reevaluation = {
  workspaceId: string
  audiences: readonly LiveAudience[]
  /** Profiles with changes. A merged profile counts as the profile that it became. */
  profiles: readonly string[]
  asOf: Date
  queryOf: (audience: string) => AudienceQuery | undefined
  signal: AbortSignal
  /** The time up to which the audiences are current after this evaluation. Unchanged if undefined. */
  reached?: { before: string; asOf: Date | undefined } | undefined
}

/** Maximum profiles per transaction. */
const peopleAtOnce = 5000
/** Timeout in the relational store, ms. */
const timeoutMs = 20_000

/**
 * The part of a statement that follows `members`. It updates the stored members of the audiences $2 among the profiles
 * $1, as of the time $4, and records and counts each entry and exit. In `met` of `members`, an audience has the index
 * that $3 lists for it.
 */
const storeTouched = `, audience as (
  select * from unnest($2::uuid[], $3::integer[]) as audience (id, place)
), met as (
  select audience.id as audience_id, members.id as profile_id from members cross join audience where members.met[audience.place]
), gone as (
  delete from audience_members m using audience, unnest($1::uuid[]) as touched (id)
  where m.audience_id = audience.id and m.profile_id = touched.id
    and not exists (select from met where met.audience_id = m.audience_id and met.profile_id = m.profile_id)
  returning m.audience_id, m.profile_id
), entered as (
  insert into audience_members (audience_id, profile_id, enter_time)
  select audience_id, profile_id, $4::timestamptz from met on conflict do nothing returning audience_id, profile_id
), noted as (
  insert into audience_changes (audience_id, profile_id, kind, time)
  select audience_id, profile_id, 'left', $4::timestamptz from gone
  union all select audience_id, profile_id, 'entered', $4::timestamptz from entered
)
select audience.id, (select count(*) from entered where audience_id = audience.id)::int as entered,
  (select count(*) from gone where audience_id = audience.id)::int as gone
from audience`

type Change = { id: string; entered: number; gone: number }

const storeChanges = async (
  tx: Tx,
  changes: readonly Change[],
  asOf: Date,
  reached: Reevaluation['reached'],
): Promise<void> => {
  const rows = sql`json_to_recordset(${JSON.stringify(changes)}::json) as row (id uuid, entered integer, gone integer)`
  await sql`
    update audiences a set size = a.size + row.entered - row.gone,
      entered_count = row.entered + ${reached === undefined ? sql`a.entered_count` : sql`0`},
      left_count = row.gone + ${reached === undefined ? sql`a.left_count` : sql`0`},
      as_of = greatest(a.as_of, ${reached?.asOf ?? null}::timestamptz),
      touched_before = greatest(a.touched_before, ${reached?.before ?? null}::bigint)
    from ${rows} where a.id = row.id`.execute(tx)
  await sql`
    insert into audience_hours (audience_id, hour, size, entered_count, left_count)
    select a.id, date_trunc('hour', ${asOf}::timestamptz, 'UTC'), a.size, row.entered, row.gone
    from ${rows} join audiences a on a.id = row.id where row.entered + row.gone > 0
    on conflict (audience_id, hour) do update set size = excluded.size,
      entered_count = audience_hours.entered_count + excluded.entered_count,
      left_count = audience_hours.left_count + excluded.left_count`.execute(tx)
}

/**
 * Returns the current profiles of the given profiles, which may have been merged. A merge may also make a profile
 * enter.
 */
const currentOf = async (db: Db, workspaceId: string, profiles: readonly string[]): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    with recursive found as (
      select id, merged_into from profiles where workspace_id = ${workspaceId}::uuid and id = any(${profiles}::uuid[])
      union
      select p.id, p.merged_into from found join profiles p
        on p.workspace_id = ${workspaceId}::uuid and p.id = found.merged_into
    )
    select id from found where merged_into is null`.execute(db)
  return rows.map(({ id }) => id)
}

const lookAtSome = async (
  deps: ReevaluationDeps,
  { workspaceId, audiences, profiles, asOf, queryOf, signal, reached }: Reevaluation,
): Promise<boolean> => {
  const { db, eventStore } = deps
  const people = await readPeople(deps, workspaceId, await currentOf(db, workspaceId, profiles))
  const compiler = createCompiler({ workspaceId, asOf: asOf.getTime(), queryOf, people })
  const statement = compiler.addAll(audiences.map(({ query }) => query))
  const asked = people.length === 0 ? undefined : compiler.events()
  const sets = asked === undefined ? noSets : await runEvents(eventStore, asked, { workspaceId, slot: 'heavy', signal })
  signal.throwIfAborted()
  return await db.transaction().execute(async (tx) => {
    await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(tx)
    // The locks make other changes and computations of these audiences wait.
    const { rows: locked } = await sql<{ id: string; version: number }>`
      select id, version from audiences where id = any(${audiences.map(({ row }) => row.id)}::uuid[])
        and state = 'live' order by id for update`.execute(tx)
    const versions = new Map(locked.map(({ id, version }) => [id, version]))
    const present = audiences
      .map(({ row }, index) => ({ ...row, place: index + 1 }))
      .filter(({ id, version }) => versions.get(id) === version)
    if (present.length === 0) return false
    const touched = [...new Set([...profiles, ...people.map(({ id }) => id)])]
    const ask = {
      text: storeTouched,
      params: [touched, present.map(({ id }) => id), present.map(({ place }) => place), asOf],
    }
    await storeSets(tx, sets)
    const { rows } = await tx.executeQuery<Change>(profilesQuery(statement, sets, ask) as CompiledQuery<Change>)
    await storeChanges(tx, rows, asOf, reached)
    faultPoint('audiences.before-commit')
    return rows.some(({ entered, gone }) => entered + gone > 0)
  })
}

/**
 * Evaluates some profiles again, for some live audiences, as of a time. Members, sizes, recorded changes, and the
 * position of the audiences change together; a kill leaves the earlier state, and the work is repeated. Skips audiences
 * that are no longer live, or have another query. Resolves to whether a profile entered or left.
 */
export const reevaluateProfiles = async (
  deps: ReevaluationDeps,
  { profiles, reached, ...asked }: Reevaluation,
): Promise<boolean> => {
  if (asked.audiences.length === 0 || (profiles.length === 0 && reached === undefined)) return false
  let isChanged = false
  for (let at = 0; at === 0 || at < profiles.length; at += peopleAtOnce) {
    const isLast = at + peopleAtOnce >= profiles.length
    const isOfSome = await lookAtSome(deps, {
      ...asked,
      profiles: profiles.slice(at, at + peopleAtOnce),
      ...(isLast ? { reached } : {}),
    })
    isChanged ||= isOfSome
  }
  return isChanged
}
