import { type methods, type ProfileTraitValue, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { isMasked, maskTraitValue } from './mask.ts'
import { currentProfileId } from './read.ts'

/** Earlier values that are shown beside the current one. */
const shownEarlier = 10

type ValueRow = { value: string | null; time: Date; event_id: string; source_id: string }

/** The values of a trait, of all identifiers of the profile: each where it changed, with the last event that gave it. */
export const getTraitHistory =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.profiles.getTraitHistory> =>
  async ({ actor, workspace, params, query }) => {
    const id = await currentProfileId(db, workspace.id, params.profile)
    const { rows } = await sql<ValueRow>`
      with traits as (
        select t.value, t.time, t.event_id, t.source_id, t.earlier
        from profile_identifiers i
        join current_traits t on t.workspace_id = i.workspace_id and t.identifier = i.sequence
        where i.workspace_id = ${workspace.id}::uuid and i.profile_id = ${id}::uuid and t.name = ${query.trait}
          -- What is computed has no history.
          and t.time <> 'infinity'),
      given as (
        select value, time, event_id, source_id from traits
        union all
        select e.value, e.time, e.event_id, e.source_id from traits
          cross join jsonb_to_recordset(traits.earlier) as e (value text, time timestamptz, event_id text, source_id uuid)),
      told as (
        select *, lag(value, 1) over latest_first is not distinct from value
          and row_number() over latest_first > 1 as again
        from given window latest_first as (order by time desc, event_id desc))
      select value, time, event_id, source_id from told where not again
      order by time desc, event_id desc limit ${shownEarlier + 1}`.execute(db)
    const values = rows.map(
      ({ value, time, event_id, source_id }): ProfileTraitValue => ({
        value,
        time: time.toISOString(),
        source: resourceNames.source.format({ workspace: workspace.id, source: source_id }),
        event: resourceNames.event.format({ workspace: workspace.id, event: event_id }),
      }),
    )
    return { values: isMasked(actor, workspace) ? values.map(maskTraitValue) : values }
  }
