import type { Db } from '@tributary/api-kit'
import { type methods, type ProfileTraitValue, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { isMasked, maskTraitValue } from './mask.ts'
import { currentProfileId } from './read.ts'

/** Maximum number of earlier values that are shown with the current value. */
const shownEarlier = 10

type ValueRow = { name: string; value: string | null; time: Date; event_id: string; source_id: string }

/**
 * Reads the values of all traits of a profile, or of one trait: each change, with the last event that had the value.
 */
export const readTraitValues = async (
  db: Db,
  workspaceId: string,
  profileId: string,
  name?: string,
): Promise<Map<string, ProfileTraitValue[]>> => {
  const { rows } = await sql<ValueRow>`
    with traits as (
      select t.name, t.value, t.time, t.event_id, t.source_id, t.earlier
      from profile_identifiers i
      join current_traits t on t.workspace_id = i.workspace_id and t.identifier = i.sequence
      where i.workspace_id = ${workspaceId}::uuid and i.profile_id = ${profileId}::uuid
        ${name === undefined ? sql`and t.name <> ''` : sql`and t.name = ${name}`}
        -- What is computed has no history.
        and t.time <> 'infinity'),
    given as (
      select name, value, time, event_id, source_id from traits
      union all
      select traits.name, e.value, e.time, e.event_id, e.source_id from traits
        cross join jsonb_to_recordset(traits.earlier) as e (value text, time timestamptz, event_id text, source_id uuid)),
    told as (
      select *, lag(value, 1) over latest_first is not distinct from value
        and row_number() over latest_first > 1 as again
      from given window latest_first as (partition by name order by time desc, event_id desc)),
    numbered as (
      select *, row_number() over (partition by name order by time desc, event_id desc) as number
      from told where not again)
    select name, value, time, event_id, source_id from numbered where number <= ${shownEarlier + 1}
    order by name, number`.execute(db)
  const valueOf = ({ value, time, event_id, source_id }: ValueRow): ProfileTraitValue => ({
    value,
    time: time.toISOString(),
    source: resourceNames.source.format({ workspace: workspaceId, source: source_id }),
    event: resourceNames.event.format({ workspace: workspaceId, event: event_id }),
  })
  return new Map([...Map.groupBy(rows, (row) => row.name)].map(([each, list]) => [each, list.map(valueOf)]))
}

/** Returns the values of a trait of a profile, from all of its identifiers. */
export const getTraitHistory =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.profiles.getTraitHistory> =>
  async ({ actor, workspace, params, query }) => {
    const id = await currentProfileId(db, workspace.id, params.profile)
    const values = (await readTraitValues(db, workspace.id, id, query.trait)).get(query.trait) ?? []
    return { values: isMasked(actor, workspace) ? values.map(maskTraitValue) : values }
  }
