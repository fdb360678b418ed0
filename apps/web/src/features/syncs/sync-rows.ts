import type { Sync, SyncRunState } from '@tributary/contract'

/** What a sync is at, for the list: that of its last run, unless it has none or is paused. */
export type SyncState = SyncRunState | 'paused' | 'never'

/** What the list is narrowed by; '' is no filter. */
export type SyncFilters = { search: string; state: string }

/** What a sync is at. A run that waits for somebody or has failed is told though the sync is paused. */
export const syncStateOf = ({ last_run, paused }: Pick<Sync, 'last_run' | 'paused'>): SyncState => {
  if (last_run?.state === 'needs_approval' || last_run?.state === 'failed') return last_run.state
  return paused ? 'paused' : (last_run?.state ?? 'never')
}

/** Syncs whose title, model or destination has the text, in the state that is asked for. */
export const syncRows = (syncs: readonly Sync[], { search, state }: SyncFilters): Sync[] => {
  const wanted = search.trim().toLowerCase()
  return syncs.filter(
    (sync) =>
      `${sync.title} ${sync.model.title} ${sync.destination.title} ${sync.object_name}`
        .toLowerCase()
        .includes(wanted) &&
      (state === '' || syncStateOf(sync) === state),
  )
}
