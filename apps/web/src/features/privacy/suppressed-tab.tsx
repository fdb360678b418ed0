import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { methods, type Suppression } from '@tributary/contract'
import { SearchX, UserRoundX } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { call } from '../../lib/api/client.ts'
import { useAddress } from '../../lib/browser/use-address.ts'
import { useTyped } from '../../lib/browser/use-typed.ts'
import { suppressionIds, workspaceIds } from '../../lib/format/names.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { pagesQuery, refresh, stillEmpty } from '../../lib/queries/query.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SearchInput } from '../../ui/forms/input.tsx'
import { CardList, CardRow } from '../../ui/lists/card-list.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { DangerDialog } from '../../ui/overlays/danger-dialog.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/**
 * Reads the suppressed identifiers, newest first, by pages of 50. With a search text, only identifiers with exactly
 * this value.
 */
const suppressionsQuery = (workspace: string, search: string) =>
  pagesQuery(methods.suppressions.list, {
    params: workspaceIds(workspace),
    query: { page_size: 50, ...(search === '' ? {} : { search }) },
  })

const kinds: Readonly<Record<string, string>> = {
  user_id: 'User ID',
  anonymous_id: 'Anonymous ID',
  previous_id: 'Previous ID',
}

const useRelease = (workspace: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => call(methods.suppressions.delete, { params: suppressionIds(name) }),
    onSuccess: () => notify('success', 'Suppression lifted'),
    onSettled: () => refresh(cache, ['suppressions'], workspaceIds(workspace)),
  })
}

const LiftDialog = ({ suppression, onClosed }: { suppression: Suppression; onClosed: () => void }) => {
  const release = useRelease(useWorkspace().name)
  return (
    <DangerDialog
      title="Lift suppression"
      confirmLabel="Lift suppression"
      mutation={release}
      variables={suppression.name}
      onClosed={onClosed}
    >
      Later events with this identifier have a profile again. Events that were refused a profile stay without one.
    </DangerDialog>
  )
}

const Row = ({ suppression, onLift }: { suppression: Suppression; onLift: () => void }) => {
  const hash = suppression.name.slice(-64)
  return (
    <CardRow label={`${kinds[suppression.type] ?? suppression.type} ${hash.slice(0, 12)}`}>
      <span className="min-w-0 flex-1 basis-56">
        <span className="block truncate text-sm">
          {kinds[suppression.type] ?? suppression.type}{' '}
          <code className="font-mono text-xs text-ink-2" title={hash}>
            {hash.slice(0, 12)}…
          </code>
        </span>
        <span className="block text-xs text-ink-3">
          {count(suppression.refused_events)} {pluralise(suppression.refused_events, 'event')} refused a profile ·{' '}
          <RelativeTime time={suppression.create_time} />
        </span>
      </span>
      <Button variant="none" size="sm" onClick={onLift}>
        Lift
      </Button>
    </CardRow>
  )
}

const List = ({ search, onClear }: { search: string; onClear: () => void }) => {
  const query = useInfiniteQuery({
    ...suppressionsQuery(useWorkspace().name, search),
    placeholderData: stillEmpty(search !== '', ({ suppressions }) => suppressions),
  })
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.suppressions) ?? [], [query.data])
  const [lifting, setLifting] = useState<Suppression | undefined>()
  if (query.data === undefined && query.isError)
    return (
      <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the suppressions" />
    )
  if (query.data === undefined) return <TableSkeleton rows={4} columns={2} />
  if (rows.length === 0 && search !== '')
    return (
      <EmptyState icon={<SearchX />} title="Not suppressed" action={<Button onClick={onClear}>Clear search</Button>}>
        No suppressed identifier has this value. Search for a whole value, with the same letter case.
      </EmptyState>
    )
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState icon={<UserRoundX />} title="No one is suppressed">
          Suppress users in a privacy request, and their later events are refused a profile.
        </EmptyState>
      ) : (
        <div className="space-y-4">
          <Card title="Suppressed identifiers" description="Only hashes are kept. Search for a value to find its hash.">
            <CardList label="Suppressed identifiers">
              {rows.map((each) => (
                <Row key={each.name} suppression={each} onLift={() => setLifting(each)} />
              ))}
            </CardList>
          </Card>
          <LoadMore query={query} />
        </div>
      )}
      {lifting !== undefined && <LiftDialog suppression={lifting} onClosed={() => setLifting(undefined)} />}
    </>
  )
}

const names = ['search'] as const

/** The suppressed users, whose events get no profile; searchable by a value. */
export const SuppressedTab = () => {
  const [{ search }, change] = useAddress(names)
  const typed = useTyped(search, (text) => change({ search: text }))
  return (
    <div className="space-y-5">
      <search aria-label="Filters">
        <SearchInput label="Search identifier" maxLength={500} {...typed} className="sm:w-80" />
      </search>
      <List search={search} onClear={() => change({ search: '' })} />
    </div>
  )
}
