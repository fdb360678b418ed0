import type { UsageReport } from '@tributary/contract'
import { csvOf } from '../../../lib/format/csv.ts'

const dayMs = 86_400_000

/** The days of a period up to now, oldest first, those without events included. */
export const daysOf = (
  { period_start_time, period_end_time, days }: UsageReport,
  now: number,
): { date: string; events: number; new_profiles: number }[] => {
  const known = new Map(days.map((day) => [day.date, day]))
  const last = Math.min(now, Date.parse(period_end_time) - 1)
  const found = []
  for (let at = Math.floor(Date.parse(period_start_time) / dayMs) * dayMs; at <= last; at += dayMs) {
    const date = new Date(at).toISOString().slice(0, 10)
    found.push(known.get(date) ?? { date, events: 0, new_profiles: 0 })
  }
  return found
}

/** Usage by day as a CSV file. */
export const dayCsv = (report: UsageReport, now: number): string =>
  csvOf(
    ['date', 'events', 'new_profiles'],
    daysOf(report, now).map(({ date, events, new_profiles }) => [date, `${events}`, `${new_profiles}`]),
  )

/** Usage by source as a CSV file. */
export const sourceCsv = ({ sources, deleted_workspaces: deleted }: UsageReport): string =>
  csvOf(
    ['source', 'title', 'workspace', 'events', 'profiles', 'held_events'],
    [
      ...sources.map((each) => [
        each.source,
        each.title,
        each.workspace_title,
        `${each.events}`,
        `${each.profiles}`,
        `${each.held_events}`,
      ]),
      ...(deleted.events === 0
        ? []
        : [['', '', 'Deleted workspaces', `${deleted.events}`, `${deleted.profiles}`, '0']]),
    ],
  )
