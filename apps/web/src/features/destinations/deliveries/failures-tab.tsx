import { useQuery } from '@tanstack/react-query'
import { type Destination, type FailureGroup, resourceNames } from '@tributary/contract'
import { CircleCheck, History, RotateCw } from 'lucide-react'
import { useMemo } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { QueryView } from '../../../components/query-view.tsx'
import { useAddress } from '../../../lib/browser/use-address.ts'
import { rangePresets, viewOf } from '../../../lib/format/date-range.ts'
import { destinationIds, failureGroupIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { type FailureFilters, failureGroupsQuery } from '../../../lib/queries/event-queries.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { useRetryDeliveries } from '../mutations.ts'
import { sumOf } from './failure-count.tsx'
import { FailureGroupView } from './failure-group.tsx'
import { causeOf, retryAndReplay, stateWords } from './failure-words.ts'

/** Shows the time of the next retry. `past` is the text for a time that has come. */
const NextTry = ({ row: { next_time }, past }: { row: FailureGroup; past: string }) =>
  next_time === null ? (
    <span className="text-ink-3">Manual</span>
  ) : (
    <RelativeTime time={next_time} upcoming past={past} className="text-ink-2" />
  )

/**
 * Returns the column for the cause of a failure. With `tried`, the column also shows the next retry on a narrow page.
 */
const cause = (tried: boolean): Column<FailureGroup> => ({
  id: 'cause',
  header: 'Cause',
  value: causeOf,
  cell: (row) => (
    <span className="block min-w-0 py-1.5">
      <span className="block truncate font-medium" title={causeOf(row)}>
        {causeOf(row)}
      </span>
      <span className="block text-xs text-ink-2 sm:hidden">
        {(row.http_status ?? 0) !== 0 && `HTTP ${row.http_status} · `}
        {count(row.event_count)} {pluralise(row.event_count, 'event')}
        {tried && row.state === 'waiting' && (
          <>
            {' '}
            · next try: <NextTry row={row} past="due now" />
          </>
        )}
      </span>
    </span>
  ),
  className: 'w-full max-w-0',
})
const state: Column<FailureGroup> = {
  id: 'state',
  header: 'State',
  value: (row) => row.state,
  cell: (row) => <Badge tone={stateWords[row.state].tone}>{stateWords[row.state].title}</Badge>,
}
const http: Column<FailureGroup> = {
  id: 'http',
  header: 'HTTP',
  value: (row) => row.http_status ?? 0,
  cell: (row) => ((row.http_status ?? 0) === 0 ? <span className="text-ink-3">–</span> : row.http_status),
  align: 'right',
  wide: true,
}
const events: Column<FailureGroup> = {
  id: 'events',
  header: 'Events',
  value: (row) => row.event_count,
  cell: (row) => count(row.event_count),
  align: 'right',
  wide: true,
}
const last: Column<FailureGroup> = {
  id: 'last',
  header: 'Last',
  value: (row) => row.last_time,
  cell: (row) => <RelativeTime time={row.last_time} className="text-ink-2" />,
  align: 'right',
  wide: true,
  className: 'whitespace-nowrap',
}
const next: Column<FailureGroup> = {
  id: 'next',
  header: 'Next try',
  value: (row) => row.next_time ?? '',
  cell: (row) => <NextTry row={row} past="Due now" />,
  align: 'right',
  wide: true,
  className: 'whitespace-nowrap',
}

const columns = [cause(true), state, http, events, last, next]
const pausedColumns = [cause(false), state, http, events, last]

const filterNames = ['state', 'range'] as const

/** The filters of the list of held deliveries, stored in the URL. */
const useFailureFilters = () => {
  const [address, change] = useAddress(filterNames)
  const filters: FailureFilters = {
    state: address.state === 'dead' || address.state === 'waiting' ? address.state : '',
    range: rangePresets.find((preset) => preset === address.range) ?? '',
  }
  return { filters, change }
}

const Filters = ({
  filters: { state: chosen, range },
  onChange,
}: {
  filters: FailureFilters
  onChange: (some: { state?: string; range?: string }) => void
}) => (
  <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
    <Select
      aria-label="State"
      className="w-40"
      value={chosen}
      onChange={(event) => onChange({ state: event.target.value })}
    >
      <option value="">Any state</option>
      <Options of={['dead', 'waiting'] as const} title={(value) => stateWords[value].title} />
    </Select>
    {chosen !== 'waiting' && (
      <Select
        aria-label="Failed"
        className="w-40"
        value={range}
        onChange={(event) => onChange({ range: event.target.value })}
      >
        <option value="">At any time</option>
        <Options of={rangePresets} title={(preset) => viewOf(preset).title} />
      </Select>
    )}
  </search>
)

const NoMatch = ({ destination, filters }: { destination: Destination; filters: FailureFilters }) => (
  <EmptyState
    icon={<CircleCheck />}
    title="No failures match"
    action={
      <ButtonLink
        to={paths.deliveries(destination.name, filters.state === 'waiting' ? 'retry' : 'dead', {
          range: filters.range,
        })}
      >
        See deliveries
      </ButtonLink>
    }
  >
    Failed events that have been retried, replayed, or discarded are listed in deliveries.
  </EmptyState>
)

const Nothing = ({ destination }: { destination: Destination }) => (
  <EmptyState
    icon={<CircleCheck />}
    title="No failures"
    action={<ButtonLink to={paths.destination(destination.name, 'deliveries')}>See deliveries</ButtonLink>}
  >
    Failed events are grouped here by cause, with the request and response. Fix the cause, then retry them. Nothing is
    lost.
  </EmptyState>
)

const Groups = ({
  destination,
  groups,
  onOpen,
}: {
  destination: Destination
  groups: FailureGroup[]
  onOpen: (group: FailureGroup) => void
}) => {
  const mayEdit = useMayEdit() === true
  const retry = useRetryDeliveries(destination.name)
  const dead = sumOf(groups, 'dead')
  const waiting = sumOf(groups, 'waiting')
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <p className="text-sm text-ink-2" aria-live="polite">
            <span className="font-medium text-ink tabular">{count(dead)}</span> {pluralise(dead, 'dead letter')} ·{' '}
            <span className="font-medium text-ink tabular">{count(waiting)}</span> {pluralise(waiting, 'event')} waiting
          </p>
          {mayEdit && destination.enabled && dead > 0 && (
            <p className="mt-0.5 max-w-prose text-xs text-ink-2">{retryAndReplay}</p>
          )}
        </div>
        <div className="flex flex-wrap gap-2">
          {mayEdit && dead > 0 && (
            <ButtonLink to={paths.newReplay(destination.name, { kind: 'dead' })}>
              <History aria-hidden />
              Replay dead letters
            </ButtonLink>
          )}
          {mayEdit && destination.enabled && (
            <Button variant="primary" loading={retry.isPending} onClick={() => retry.mutate({})}>
              <RotateCw aria-hidden />
              Retry all now
            </Button>
          )}
        </div>
      </div>
      <DataTable
        label="Failures"
        columns={destination.enabled ? columns : pausedColumns}
        rows={groups}
        rowId={(row) => row.name}
        onRow={onOpen}
      />
    </div>
  )
}

/** The held deliveries of a destination by cause, and one cause with its events. */
export const FailuresTab = ({ destination }: { destination: Destination }) => {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const { filters, change } = useFailureFilters()
  const filtered = filters.state !== '' || filters.range !== ''
  const query = useQuery(failureGroupsQuery(destination.name, filters))
  const rows = useMemo(() => query.data ?? [], [query.data])
  const chosen = search.get('group')
  const group =
    chosen === null || !/^[\w-]+$/.test(chosen)
      ? undefined
      : resourceNames.failureGroup.format({ ...destinationIds(destination.name), failure_group: chosen })
  return (
    <div className="space-y-5">
      {group !== undefined ? (
        <FailureGroupView key={group} destination={destination} name={group} />
      ) : (
        <>
          {(filtered || rows.length > 0) && <Filters filters={filters} onChange={change} />}
          <QueryView
            query={query}
            skeleton={<TableSkeleton rows={4} columns={5} />}
            errorTitle="Failed to load the failures"
          >
            {() =>
              rows.length === 0 ? (
                filtered ? (
                  <NoMatch destination={destination} filters={filters} />
                ) : (
                  <Nothing destination={destination} />
                )
              ) : (
                <Groups
                  destination={destination}
                  groups={rows}
                  onOpen={({ name }) =>
                    void navigate(paths.failureGroup(destination.name, failureGroupIds(name).failure_group))
                  }
                />
              )
            }
          </QueryView>
        </>
      )}
    </div>
  )
}
