import { useQueries, useQuery } from '@tanstack/react-query'
import type { Compatibility } from '@tributary/contract'
import { ChartColumn, Table } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { useMask } from '../lib/browser/ui-store.ts'
import { compatibilityWords } from '../lib/events/compatibility-words.ts'
import { bucketSpan, type RangePreset, viewOf } from '../lib/format/date-range.ts'
import { paths } from '../lib/paths.ts'
import { type Series, seriesQuery } from '../lib/queries/metric-queries.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { BarChart } from '../ui/charts/bar-chart.tsx'
import { BarTable } from '../ui/charts/bar-table.tsx'
import { Change } from '../ui/charts/change.tsx'
import type { BarChartProps, ChartPart } from '../ui/charts/chart-parts.ts'
import { MetricValue } from '../ui/charts/metric.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { LoadingNote } from '../ui/page/loading-note.tsx'
import { Skeleton } from '../ui/page/skeleton.tsx'
import { ErrorScreen } from './error-screen.tsx'

const Loading = () => (
  <div aria-busy className="flex h-58 items-end gap-2 pl-9">
    <LoadingNote />
    {[40, 65, 50, 80, 55, 70, 45].map((height) => (
      <span key={height} className="flex-1" style={{ height: `${height}%` }}>
        <Skeleton className="h-full" />
      </span>
    ))}
  </div>
)

/** The parts of a bar, from bottom to top. */
const validations = ['compatible', 'needsAttention', 'incompatible'] as const satisfies readonly Compatibility[]

/** Splits counts of events by validation result. Events without a result were not validated. */
const partsOf = (all: Series, validated: readonly Series[]): ChartPart[] => {
  const rest = all.values.map((value, index) =>
    Math.max(0, value - validated.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)),
  )
  return [
    ...validations.map((compatibility, place): ChartPart => {
      const { title, tone } = compatibilityWords[compatibility]
      return { title, tone, values: validated[place]?.values ?? [] }
    }),
    ...(rest.some((value) => value > 0) ? [{ title: 'Not checked', tone: 'neutral' as const, values: rest }] : []),
  ]
}

type EventChartProps = {
  workspace: string
  /** If set, the chart counts only events of this source, split by validation result. */
  source?: string
  preset: RangePreset
  /** Shown instead of the chart when the range has no events. */
  empty: ReactNode
}

const useSeries = ({ workspace, source, preset }: Omit<EventChartProps, 'empty'>) => {
  const counted = { workspace, source, metric: 'events_received' } as const
  const all = useQuery(seriesQuery(counted, preset))
  const validated = useQueries({
    queries: (source === undefined ? [] : validations).map((compatibility) =>
      seriesQuery({ ...counted, compatibility }, preset),
    ),
  })
  const queries = [all, ...validated]
  const series = validated.map(({ data }) => data).filter((data) => data !== undefined)
  return {
    all: all.data,
    validated: series.length === validated.length ? series : undefined,
    error: queries.find(({ isError, data }) => isError && data === undefined)?.error,
    retry: () => void Promise.all(queries.map((query) => query.refetch())),
  }
}

/**
 * The events received over a range, compared with the previous period, as a chart or a table. A bar links to its
 * events.
 */
export const EventChart = ({ workspace, source, preset, empty }: EventChartProps) => {
  const [table, setTable] = useState(false)
  const masked = useMask((state) => state.on)
  const navigate = useNavigate()
  const { all, validated, error, retry } = useSeries({ workspace, preset, ...(source === undefined ? {} : { source }) })
  const { granularity, previous } = viewOf(preset)
  const open = (bucket: string): void => {
    const { start, end } = bucketSpan(bucket)
    const span = { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
    void navigate(paths.events(workspace, { source, ...span }))
  }
  const ready = all !== undefined && validated !== undefined
  const nothing = ready && all.total === 0 && all.previous === 0
  const chart: BarChartProps | undefined = ready
    ? {
        label: `Events received by ${granularity}`,
        buckets: all.buckets,
        parts:
          source === undefined
            ? [{ title: 'Events received', tone: 'accent', values: all.values }]
            : partsOf(all, validated),
        previous: { title: previous.charAt(0).toUpperCase() + previous.slice(1), values: all.previousValues },
        masked,
        onPick: open,
      }
    : undefined
  const name = table ? 'Show chart' : 'Show table'
  return (
    <Card
      title="Events received"
      description={
        ready &&
        !nothing && (
          <>
            <span className="mr-2 font-medium text-ink tabular">
              <MetricValue value={all.total} />
            </span>
            <Change totals={all} than={previous} />
          </>
        )
      }
      action={
        <div className="flex items-center gap-1">
          {!nothing && chart !== undefined && (
            <Tooltip text={name}>
              <Button variant="none" size="sm" square aria-label={name} onClick={() => setTable(!table)}>
                {table ? <ChartColumn aria-hidden /> : <Table aria-hidden />}
              </Button>
            </Tooltip>
          )}
          {!nothing && (
            <ButtonLink to={paths.events(workspace, { source })} size="sm">
              Explore events
            </ButtonLink>
          )}
        </div>
      }
    >
      {chart === undefined && error !== undefined ? (
        <ErrorScreen error={error} onRetry={retry} title="Failed to load the counts" />
      ) : chart === undefined ? (
        <Loading />
      ) : nothing ? (
        empty
      ) : table ? (
        <BarTable {...chart} />
      ) : (
        <BarChart {...chart} />
      )}
    </Card>
  )
}
