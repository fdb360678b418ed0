import type { SyncRunState } from '@tributary/contract'

/** Events of a run of a sync. */
export const runEvents = [
  'begin',
  'staged',
  'planned',
  'doubted',
  'approve',
  'settled',
  'settled_with_rejected',
  'cancel',
  'fail',
] as const
export type RunEvent = (typeof runEvents)[number]

/** The event does not change the state, and the caller learns that nothing was done. */
type Ignored = undefined
type Row = Readonly<Record<RunEvent, SyncRunState | Ignored>>

const ended: Row = {
  begin: undefined,
  staged: undefined,
  planned: undefined,
  doubted: undefined,
  approve: undefined,
  settled: undefined,
  settled_with_rejected: undefined,
  cancel: undefined,
  fail: undefined,
}

/**
 * The next state of a run for each state and event. `begin` starts a run, or restarts it after its process was killed,
 * before anything was sent. From `sending` on, the run continues where it stopped, and a canceled run waits for the
 * rows that were appended. When two processes start the same step, the second finds another state and ends without
 * effect.
 */
export const runTransitions: Readonly<Record<SyncRunState, Row>> = {
  queued: { ...ended, begin: 'extracting', cancel: 'canceled', fail: 'failed' },
  extracting: { ...ended, begin: 'extracting', staged: 'diffing', cancel: 'canceled', fail: 'failed' },
  diffing: {
    ...ended,
    begin: 'extracting',
    planned: 'sending',
    doubted: 'needs_approval',
    cancel: 'canceled',
    fail: 'failed',
  },
  needs_approval: { ...ended, approve: 'sending', cancel: 'canceled' },
  sending: { ...ended, settled: 'succeeded', settled_with_rejected: 'partial', cancel: 'canceling' },
  canceling: { ...ended, settled: 'canceled', settled_with_rejected: 'canceled' },
  succeeded: ended,
  partial: ended,
  failed: ended,
  canceled: ended,
}
