import type { SyncRunState } from '@tributary/contract'

/** What happens to a run of a sync. */
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

/** Nothing is to be done: the state stays, and whoever asked is told so. */
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
 * What becomes of a run in each state with each event. `begin` starts it, also anew after its process was killed: nothing has
 * been sent by then. From `sending` on it goes on where it was, and what was appended is waited for when it is canceled. Of
 * what was begun by two, the second finds another state and ends without effect.
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
