import type { UsageReport } from '@tributary/contract'
import { expect, test } from 'vitest'
import { dayCsv, sourceCsv } from './usage-csv.ts'

const measured = { used: 3, limit: 10, projected: null }
const report: UsageReport = {
  period_start_time: '2026-03-01T00:00:00.000Z',
  period_end_time: '2026-04-01T00:00:00.000Z',
  profiles: measured,
  events: measured,
  days: [{ date: '2026-03-02', events: 3, new_profiles: 2 }],
  overage: null,
  grace_hours: 72,
  sources: [
    {
      source: 'workspaces/w/sources/s',
      title: '=Shop, "main"',
      workspace_title: 'Live',
      events: 3,
      profiles: 2,
      held_events: 1,
    },
  ],
  deleted_workspaces: { events: 0, profiles: 0 },
  holds_from_time: null,
  held: { events: 1, since: null, removal_time: null, removed_events: 0 },
}

test('the days of a period are listed up to today, including days without events', () => {
  expect(dayCsv(report, Date.parse('2026-03-03T10:00:00Z')).split('\r\n')).toEqual([
    'date,events,new_profiles',
    '2026-03-01,0,0',
    '2026-03-02,3,2',
    '2026-03-03,0,0',
    '',
  ])
  expect(dayCsv(report, Date.parse('2026-05-01T00:00:00Z')).split('\r\n')).toHaveLength(33)
})

test("usage by source contains each source's title, and spreadsheets execute none of them", () => {
  expect(sourceCsv(report).split('\r\n')[1]).toBe('workspaces/w/sources/s,"\'=Shop, ""main""",Live,3,2,1')
})

test('usage by source ends with the usage of deleted workspaces, if there is any', () => {
  expect(sourceCsv(report).split('\r\n')).toHaveLength(3)
  const deleted = sourceCsv({ ...report, deleted_workspaces: { events: 7, profiles: 4 } })
  expect(deleted.split('\r\n')[2]).toBe(',,Deleted workspaces,7,4,0')
})
