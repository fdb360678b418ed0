import type { Sync, SyncRunState } from '@tributary/contract'

/** The state of a sync in the list: paused, never run, or the state of its last run. */
export type SyncState = SyncRunState | 'paused' | 'never'

/** The filters of the list; '' is no filter. */
export type SyncFilters = { search: string; state: string }

/** The state of a sync. A run that waits for approval or has failed is shown even when the sync is paused. */
export const syncStateOf = ({ last_run, paused }: Pick<Sync, 'last_run' | 'paused'>): SyncState => {
  if (last_run?.state === 'needs_approval' || last_run?.state === 'failed') return last_run.state
  return paused ? 'paused' : (last_run?.state ?? 'never')
}

/** Syncs with the text in title, model or destination, in the chosen state. */
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
