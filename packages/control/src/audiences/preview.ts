import { checkReferences, compileAudience, type Evaluation, lookUp, readKnown } from '@tributary/audiences'
import { type methods, previewSample } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type SqlBool, sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { readSummaries } from '../profiles/read.ts'
import { warnOfQuery } from './never-received.ts'
import { sampleOf } from './sample.ts'

/**
 * SQL that reads the identifiers of the members once, and for each identifier whether the profile has an email and a
 * phone trait.
 */
const ask = `, reached as (
  select i.profile_id, bool_or(i.type = 'anonymous_id') as device, bool_or(t.name = 'email') as email, bool_or(t.name = 'phone') as phone
  from members
  join profile_identifiers i on i.workspace_id = $1::uuid and i.profile_id = members.id
  left join profile_traits t on t.workspace_id = i.workspace_id and t.identifier = i.sequence
    and t.name in ('email', 'phone') and t.value <> 'null'
  group by i.profile_id
)
select (select count(*) from members)::int as size, count(*) filter (where email)::int as email,
  count(*) filter (where phone)::int as phone, count(*) filter (where device)::int as device,
  array(select id from members order by sequence desc limit $2::int) as sample
from reached`

type Row = { size: number; email: number; phone: number; device: number; sample: string[] }

/**
 * Counts the profiles that meet a query now, and returns some of them. Estimates the count if the caller accepts that
 * and there are many profiles.
 */
export const previewAudience =
  ({
    db,
    eventStore,
    clock,
    evaluation,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'> & { evaluation: Evaluation }): Handler<
    typeof methods.audiences.preview
  > =>
  async ({ workspace, body, signal }) => {
    const known = await readKnown(db, workspace.id)
    checkReferences(body.query, '', known)
    const asOf = clock()
    const sample = body.estimate ? await sampleOf(db, workspace.id) : undefined
    const queryOf = lookUp(known)
    const compiled = compileAudience(body.query, { workspaceId: workspace.id, asOf, queryOf, sample })
    const [row] = await evaluation.run<Row, readonly Row[]>(
      compiled,
      { text: ask, params: [workspace.id, previewSample] },
      (_, rows) => Promise.resolve(rows),
      { workspaceId: workspace.id, slot: 'short', signal },
    )
    const shown = row?.sample ?? []
    const all = (some = 0): number => some * (sample?.share ?? 1)
    const profiles = await db
      .selectFrom('profiles')
      .select(['id', 'create_time'])
      .where('workspace_id', '=', workspace.id)
      .where(sql<SqlBool>`id = any(${shown}::uuid[])`)
      .orderBy('sequence', 'desc')
      .execute()
    return {
      as_of: new Date(asOf).toISOString(),
      exact: sample === undefined,
      size: all(row?.size),
      email_count: all(row?.email),
      phone_count: all(row?.phone),
      device_count: all(row?.device),
      sample: await readSummaries(db, workspace.id, profiles),
      warnings: await warnOfQuery({ db, eventStore }, body.query, { workspaceId: workspace.id, signal }),
    }
  }
