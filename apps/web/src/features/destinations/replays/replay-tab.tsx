import { useInfiniteQuery } from '@tanstack/react-query'
import type { Destination } from '@tributary/contract'
import { History, Plus } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { ErrorScreen } from '../../../components/error-screen.tsx'
import { paths } from '../../../lib/paths.ts'
import { replaysQuery } from '../../../lib/queries/replay-queries.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { LoadMore } from '../../../ui/lists/load-more.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { ReplayCard } from './replay-card.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { emptyDraft, type ReplayDraft } from './replay-scope.ts'

/** `reason` is the ID of the text that explains why the button is disabled. */
const NewButton = ({ open, reason, onClick }: { open: boolean; reason?: string; onClick: () => void }) => (
  <Button variant="primary" disabled={open} aria-describedby={open ? reason : undefined} onClick={onClick}>
    <Plus aria-hidden />
    New replay
  </Button>
)

/** The draft in the page's URL: `?replay=dead&reason=…`. */
const draftOf = (search: URLSearchParams): ReplayDraft | undefined => {
  const kind = search.get('replay')
  return kind === 'history' || kind === 'dead' ? emptyDraft(kind, search.get('reason') ?? '') : undefined
}

/** The replays of a destination with their progress, and a button that starts one. */
export const ReplayTab = ({ destination }: { destination: Destination }) => {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const mayEdit = useMayEdit() === true
  const [draft, setDraft] = useState<ReplayDraft | undefined>(() => draftOf(search))
  const query = useInfiniteQuery(replaysQuery(destination.name))
  const replays = useMemo(() => query.data?.pages.flatMap((page) => page.replays) ?? [], [query.data])
  const open = replays.some(({ state }) => state === 'running' || state === 'paused')
  const note = useId()
  const start = (): void => setDraft(emptyDraft('history'))
  const closed = (): void => {
    setDraft(undefined)
    if (search.has('replay')) void navigate(paths.destination(destination.name, 'replay'), { replace: true })
  }
  if (query.data === undefined && query.isError)
    return <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the replays" />
  return (
    <div className="space-y-4">
      {query.data === undefined ? (
        <TableSkeleton rows={4} columns={3} />
      ) : replays.length === 0 ? (
        <EmptyState
          icon={<History />}
          title="No replays yet"
          {...(mayEdit ? { action: <NewButton open={false} onClick={start} /> } : {})}
        >
          A replay sends past events to this destination again, and to no other. Use it to backfill a new destination,
          or to resend events after you fix a mapping.
        </EmptyState>
      ) : (
        <>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p id={note} className="text-sm text-ink-2">
              {open && mayEdit
                ? 'Only one replay can run at a time. Wait for it to finish, or cancel it.'
                : 'Send past events to this destination again, and to no other.'}
            </p>
            {mayEdit && <NewButton open={open} reason={note} onClick={start} />}
          </div>
          <ul aria-label="Replays" className="space-y-3">
            {replays.map((replay) => (
              <ReplayCard key={replay.name} destination={destination.name} replay={replay} />
            ))}
          </ul>
        </>
      )}
      <LoadMore query={query} />
      {draft !== undefined && mayEdit && <ReplayDialog destination={destination} initial={draft} onClosed={closed} />}
    </div>
  )
}
