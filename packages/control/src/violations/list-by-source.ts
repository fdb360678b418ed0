import { offsetCursor, openPage } from '@tributary/api-kit'
import { readSource } from '@tributary/configuration'
import { type methods, problemKinds, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { wireTime } from '@tributary/replays'
import type { ControlDeps } from '../deps.ts'
import { readFixedVersions } from './fixed-in.ts'

type Row = {
  type: string
  title: string
  property: string
  kind: string
  day: number
  week: number
  month: number
  last_ms: number
  samples: [number, string][]
}

const dayMs = 24 * 3_600_000
const samples = 5

const problems = [...problemKinds, 'new_event'] as const

/**
 * Lists the violations of a source's schema in the last 30 days, by event, property, and problem, and the blocked
 * events.
 */
export const listSourceViolations =
  ({
    db,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.violations.listBySource> =>
  async ({ workspace, params, query, signal }) => {
    const source = await readSource(db, workspace.id, params.source)
    const page = openPage('violations.listBySource', params, query, offsetCursor)
    const offset = page.after ?? 0
    const now = clock()
    const values = {
      workspace: workspace.id,
      source: source.id,
      day: now - dayMs,
      week: now - 7 * dayMs,
      month: now - 30 * dayMs,
      problems,
      limit: page.size + 1,
      offset,
    }
    const within = `workspace_id = {workspace:String} and source_id = {source:String}
      and receive_time >= fromUnixTimestamp64Milli({month:Int64})`
    const options = { owner: workspace.id, slot: 'heavy', signal } as const
    const [found, blocked] = await Promise.all([
      eventStore.query<Row>(
        `select type, if(type = 'identify', '', event) as title, problem.1 as property, problem.2 as kind,
           countIf(receive_time >= fromUnixTimestamp64Milli({day:Int64})) as day,
           countIf(receive_time >= fromUnixTimestamp64Milli({week:Int64})) as week,
           count() as month, toUnixTimestamp64Milli(max(receive_time)) as last_ms,
           groupArraySorted(${samples})((-toUnixTimestamp64Milli(receive_time), event_id)) as samples
         from events
         array join if(compatibility = 'incompatible', [('', 'new_event')], problems) as problem
         where ${within} and compatibility in ('incompatible', 'needsAttention') and kind in {problems:Array(String)}
         group by type, title, property, kind
         order by month desc, type, title, property, kind
         limit {limit:UInt32} offset {offset:UInt32}`,
        values,
        options,
      ),
      eventStore.query<{ n: number }>(
        `select count() as n from events where ${within} and status = 'blocked' and event_id not in (
           select event_id from replayed_events where workspace_id = {workspace:String} and source_id = {source:String})`,
        values,
        options,
      ),
    ])
    const { rows, next } = page.cut(found, () => offset + page.size)
    const known = rows.flatMap((row) => {
      const problem = problems.find((each) => each === row.kind)
      return problem === undefined ? [] : [{ ...row, event: row.title, problem, lastSeen: Number(row.last_ms) }]
    })
    const fixed = await readFixedVersions(db, source.id, known)
    return {
      violations: known.map((row, index) => ({
        type: row.type,
        event: row.event,
        property: row.property,
        problem: row.problem,
        last_24_hours: Number(row.day),
        last_7_days: Number(row.week),
        last_30_days: Number(row.month),
        last_seen_time: wireTime(row.last_ms),
        sample_events: row.samples.map(([, event]) => resourceNames.event.format({ workspace: workspace.id, event })),
        fixed_in_version: fixed[index] ?? null,
      })),
      next_page_token: next,
      blocked_count: Number(blocked[0]?.n ?? 0),
    }
  }
