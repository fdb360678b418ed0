import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import {
  type Audience,
  type AudienceChange,
  type AudienceChangeKind,
  type AudiencePoint,
  methods,
} from '@tributary/contract'
import { History } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { ProfileCell } from '../../components/profile-cell.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useMask } from '../../lib/browser/ui-store.ts'
import { type RangePreset, rangeOf, viewOf } from '../../lib/format/date-range.ts'
import { audienceIds } from '../../lib/format/names.ts'
import { count } from '../../lib/format/text.ts'
import { pagesQuery, query } from '../../lib/queries/query.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import { RangeSelect, useRange } from '../../ui/charts/range-select.tsx'
import { Select } from '../../ui/forms/input.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { CardSkeleton, TableSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { changeTitles } from './audience-words.ts'

/**
 * Reads the entries and exits of an audience, or only one of both, by pages of 50. `changeTime` is the time at which
 * the audience changed last.
 */
const audienceChangesQuery = (audience: string, changeTime: string | null, kind: AudienceChangeKind | undefined) =>
  pagesQuery(
    methods.audiences.listChanges,
    { params: audienceIds(audience), query: { page_size: 50, ...(kind === undefined ? {} : { kind }) } },
    { clocked: { of: changeTime, at: () => ({}) } },
  )

/**
 * Reads the size of an audience for each hour or day of a range. `changeTime` is the time at which the audience changed
 * last.
 */
const audienceHistoryQuery = (audience: string, changeTime: string | null, preset: RangePreset) =>
  query(
    methods.audiences.getHistory,
    {
      params: audienceIds(audience),
      query: {
        'start_date.seconds': 0,
        'end_date.seconds': 0,
        granularity: viewOf(preset).granularity,
      },
    },
    {
      staleTime: 0,
      clocked: {
        of: [changeTime, preset],
        at: (now) => {
          const { start_date, end_date } = rangeOf(preset, now)
          return { 'start_date.seconds': start_date.seconds, 'end_date.seconds': end_date.seconds }
        },
      },
      read: ({ points }) => points,
    },
  )

const sum = (points: readonly AudiencePoint[], of: 'entered_count' | 'left_count'): string =>
  count(points.reduce((total, point) => total + point[of], 0))

const SizeChart = ({ points, preset }: { points: readonly AudiencePoint[]; preset: RangePreset }) => {
  const masked = useMask((state) => state.on)
  return (
    <BarChart
      label={`Size by ${viewOf(preset).granularity}`}
      buckets={points.map(({ bucket }) => bucket)}
      parts={[{ title: 'Profiles', tone: 'accent', values: points.map(({ size }) => size ?? 0) }]}
      masked={masked}
    />
  )
}

const SizeCard = ({ audience }: { audience: Audience }) => {
  const [preset, choose] = useRange()
  const query = useQuery(audienceHistoryQuery(audience.name, audience.change_time, preset))
  return (
    <Card
      title="Size"
      description={
        query.data !== undefined && `${sum(query.data, 'entered_count')} entered, ${sum(query.data, 'left_count')} left`
      }
      action={<RangeSelect value={preset} onChange={choose} />}
    >
      <QueryView query={query} skeleton={<CardSkeleton lines={6} />} errorTitle="Failed to load the sizes">
        {(points) => <SizeChart points={points} preset={preset} />}
      </QueryView>
    </Card>
  )
}

const columns: readonly Column<AudienceChange>[] = [
  {
    id: 'profile',
    header: 'Profile',
    cell: ({ profile, merged }) =>
      profile === null ? (
        <span className="block py-1.5 text-ink-3">Deleted profile</span>
      ) : (
        <span className="flex min-w-0 items-center gap-2">
          <ProfileCell profile={profile} />
          {merged && <span className="shrink-0 text-xs text-ink-3">merged since</span>}
        </span>
      ),
  },
  {
    id: 'kind',
    header: 'Change',
    cell: ({ kind }) => <Badge tone={kind === 'entered' ? 'success' : 'neutral'}>{changeTitles[kind]}</Badge>,
    width: 'sm:w-32',
  },
  {
    id: 'time',
    header: 'Time',
    cell: ({ time }) => <RelativeTime time={time} className="text-ink-2" />,
    align: 'right',
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
]

const idOf = ({ id }: AudienceChange): string => id

const kinds = ['entered', 'left'] as const satisfies readonly AudienceChangeKind[]

const Changes = ({ audience, kind }: { audience: Audience; kind: AudienceChangeKind | undefined }) => {
  const query = useInfiniteQuery(audienceChangesQuery(audience.name, audience.change_time, kind))
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.changes) ?? [], [query.data])
  if (query.data === undefined && query.isError)
    return <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the changes" />
  if (query.data === undefined) return <TableSkeleton rows={6} columns={3} />
  if (rows.length === 0)
    return (
      <EmptyState icon={<History />} title="No changes">
        Profiles that enter or leave the audience show up here.
      </EmptyState>
    )
  return (
    <>
      <DataTable label="Changes" columns={columns} rows={rows} rowId={idOf} />
      <LoadMore query={query} />
    </>
  )
}

/** The size of an audience over time, and when profiles entered and left it. */
export const HistoryTab = ({ audience }: { audience: Audience }) => {
  const [kind, setKind] = useState<AudienceChangeKind>()
  return (
    <div className="space-y-5">
      <SizeCard audience={audience} />
      <div className="flex justify-end">
        <Select
          aria-label="Changes"
          className="w-40"
          value={kind ?? ''}
          onChange={(event) => setKind(kinds.find((each) => each === event.target.value))}
        >
          <option value="">All changes</option>
          <Options of={kinds} title={(each) => changeTitles[each]} />
        </Select>
      </div>
      <Changes audience={audience} kind={kind} />
    </div>
  )
}
