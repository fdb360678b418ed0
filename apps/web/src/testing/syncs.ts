import { defaultSyncAlerts, type Model, type Sync, type SyncRun, type SyncRunCounts } from '@tributary/contract'

/** Returns the counts of a run. All counts that are not given are 0. */
export const someCounts = (some: Partial<SyncRunCounts> = {}): SyncRunCounts => ({
  read: 0,
  added: 0,
  changed: 0,
  updated: 0,
  sent_again: 0,
  unchanged: 0,
  skipped: 0,
  invalid: 0,
  rejected: 0,
  waiting: 0,
  not_sent: 0,
  removed: 0,
  removals_rejected: 0,
  removals_waiting: 0,
  removals_not_sent: 0,
  ...some,
})

/** Returns a run of a sync, as the server returns it. */
export const aRun = (some: Partial<SyncRun> = {}): SyncRun => ({
  name: 'workspaces/w1/syncs/s1/runs/r1',
  state: 'succeeded',
  trigger: 'manual',
  resync: false,
  rerun_of: '',
  create_time: '2026-03-01T12:00:00.000Z',
  start_time: '2026-03-01T12:00:01.000Z',
  finish_time: '2026-03-01T12:00:31.000Z',
  state_times: { queued: '2026-03-01T12:00:00.000Z' },
  rows_read: 0,
  planned: null,
  counts: null,
  cursor: null,
  message: '',
  alert: '',
  approved_by: '',
  ...some,
})

/** Returns a sync, as the server returns it. */
export const aSync = (some: Partial<Sync> = {}): Sync => ({
  name: 'workspaces/w1/syncs/s1',
  title: 'Customers to warehouse',
  model: { name: 'workspaces/w1/models/m1', title: 'Buyers', audience: '' },
  destination: { name: 'workspaces/w1/destinations/d1', title: 'Warehouse' },
  object: 'table',
  object_name: 'buyers',
  mode: 'UPSERT_ONLY',
  identifier: 'id',
  fields: [{ column: 'id', target: 'id' }],
  guard_percent: 20,
  to_destinations: false,
  owns_object: false,
  cursor: null,
  interval_minutes: null,
  cron: null,
  after: null,
  paused: false,
  next_run_time: null,
  schedule_note: '',
  alerts: defaultSyncAlerts,
  last_run: null,
  create_time: '2026-03-01T12:00:00.000Z',
  update_time: '2026-03-01T12:00:00.000Z',
  ...some,
})

/** Returns a model, as the server returns it. */
export const aModel = (): Model => ({
  name: 'workspaces/w1/models/m1',
  title: 'Paying customers',
  data_source: { name: 'workspaces/w1/dataSources/d1', title: 'Shop' },
  query: { schema: 'shop', table: 'customers' },
  audience: null,
  primary_key: ['id'],
  columns: [
    { name: 'id', type: 'bigint' },
    { name: 'email', type: 'text' },
  ],
  create_time: '2026-03-01T12:00:00.000Z',
  update_time: '2026-03-01T12:00:00.000Z',
})
