import type { Sync, SyncRun } from '@tributary/contract'
import { isRunning } from '../../lib/queries/sync-queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { runStateTitles, runStateTones } from './sync-words.ts'

/** A badge with the state of a run. */
export const RunBadge = ({ run }: { run: Pick<SyncRun, 'state'> }) => (
  <Badge tone={runStateTones[run.state]} dot={isRunning(run)}>
    {runStateTitles[run.state]}
  </Badge>
)

/** Shows when a sync runs next, or why there is no next run. */
export const NextRun = ({ sync }: { sync: Pick<Sync, 'paused' | 'next_run_time' | 'after'> }) => {
  if (sync.paused) return <span className="text-ink-3">Paused</span>
  if (sync.after !== null) return <span className="text-ink-3">After a sync</span>
  if (sync.next_run_time === null) return <span className="text-ink-3">Manual</span>
  return <RelativeTime time={sync.next_run_time} upcoming past="Soon" />
}
