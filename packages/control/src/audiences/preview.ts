import { type methods, previewSample } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type SqlBool, sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { readSummaries } from '../profiles/read.ts'
import { compileAudience } from './compile.ts'
import type { Evaluation } from './evaluate.ts'
import { readKnown } from './read.ts'
import { checkReferences, lookUp } from './references.ts'

/** Goes through the identifiers of those who are in once, and looks up both traits of each. */
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

/** Counts who meets a query now, exactly, and shows some of them. */
export const previewAudience =
  ({
    db,
    clock,
    evaluation,
  }: Pick<ControlDeps, 'db' | 'clock'> & { evaluation: Evaluation }): Handler<typeof methods.audiences.preview> =>
  async ({ workspace, body, signal }) => {
    const known = await readKnown(db, workspace.id)
    checkReferences(body.query, '', known)
    const asOf = clock()
    const compiled = compileAudience(body.query, { workspaceId: workspace.id, asOf, queryOf: lookUp(known) })
    const [row] = await evaluation.run<Row, readonly Row[]>(
      compiled,
      { text: ask, params: [workspace.id, previewSample] },
      (_, rows) => Promise.resolve(rows),
      { workspaceId: workspace.id, slot: 'short', signal },
    )
    const sample = row?.sample ?? []
    const profiles = await db
      .selectFrom('profiles')
      .select(['id', 'create_time'])
      .where('workspace_id', '=', workspace.id)
      .where(sql<SqlBool>`id = any(${sample}::uuid[])`)
      .orderBy('sequence', 'desc')
      .execute()
    return {
      as_of: new Date(asOf).toISOString(),
      size: row?.size ?? 0,
      email_count: row?.email ?? 0,
      phone_count: row?.phone ?? 0,
      device_count: row?.device ?? 0,
      sample: await readSummaries(db, workspace.id, profiles),
    }
  }
