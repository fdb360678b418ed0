import { useQuery } from '@tanstack/react-query'
import { type DeliveryOverview, type DeliveryTotals, type Destination, successRate } from '@tributary/contract'
import { ChevronRight, TriangleAlert, Truck } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { QueryView } from '../../components/query-view.tsx'
import { useMask } from '../../lib/browser/ui-store.ts'
import { filled, type RangePreset, viewOf } from '../../lib/format/date-range.ts'
import { percent, rateOf } from '../../lib/format/rates.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { deliveryOverviewQuery } from '../../lib/queries/event-queries.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Change } from '../../ui/charts/change.tsx'
import { ChartCard } from '../../ui/charts/chart-card.tsx'
import type { BarChartProps } from '../../ui/charts/chart-parts.ts'
import { Figure, FigureNote, FigureText } from '../../ui/charts/figure.tsx'
import { MetricValue } from '../../ui/charts/metric.tsx'
import { RangeSelect, useRange } from '../../ui/charts/range-select.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { CardSkeleton, Skeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TestDestination } from './test-connection.tsx'

type Overview = DeliveryOverview & { names: string[] }

/** The number of events at one step of delivery, with its change. */
const Step = ({
  title,
  of,
  overview,
  than,
  to,
  lessIsBetter = false,
}: {
  title: string
  of: (totals: DeliveryTotals) => number
  overview: Overview
  than: string
  to?: string
  lessIsBetter?: boolean
}) => {
  const totals = { total: of(overview.current), previous: of(overview.previous) }
  return (
    <li className="relative min-w-0 *:h-full">
      <Figure title={title} {...(to === undefined ? {} : { to })}>
        <FigureText>
          <MetricValue value={totals.total} />
        </FigureText>
        <Change totals={totals} than={than} lessIsBetter={lessIsBetter} />
      </Figure>
      <ChevronRight
        aria-hidden
        className="absolute top-1/2 -right-5 size-4 h-4! -translate-y-1/2 text-ink-3 max-lg:hidden [li:last-child>&]:hidden"
      />
    </li>
  )
}

const Steps = ({
  overview,
  destination,
  range,
}: {
  overview: Overview
  destination: Destination
  range: RangePreset
}) => {
  const shared = { overview, than: viewOf(range).previous }
  return (
    <ol
      aria-label="Events"
      className="grid grid-cols-2 gap-2 sm:gap-3 lg:grid-cols-5 lg:gap-6 *:last:max-lg:col-span-2"
    >
      <Step title="Received" of={(totals) => totals.received} {...shared} />
      <Step
        title="Filtered"
        of={(totals) => totals.filtered}
        to={paths.deliveries(destination.name, 'filtered', { range })}
        lessIsBetter
        {...shared}
      />
      <Step
        title="Pending"
        of={(totals) => totals.pending}
        to={paths.failures(destination.name, { state: 'waiting' })}
        lessIsBetter
        {...shared}
      />
      <Step
        title="Failed"
        of={(totals) => totals.failed}
        to={paths.failures(destination.name, { state: 'dead', range })}
        lessIsBetter
        {...shared}
      />
      <Step
        title="Delivered"
        of={(totals) => totals.delivered}
        to={paths.deliveries(destination.name, 'delivered', { range })}
        {...shared}
      />
    </ol>
  )
}

/** A figure that is not a count, such as a rate. Its comparison with the previous period is a text. */
const Rate = ({
  title,
  help,
  now,
  before,
  than,
}: {
  title: string
  help: string
  now: string | undefined
  before: string | undefined
  than: string
}) => {
  const masked = useMask((state) => state.on)
  return (
    <Figure title={title}>
      <FigureText>
        {now === undefined ? (
          <span className="text-ink-3">–</span>
        ) : masked ? (
          <>
            <span aria-hidden>••••</span>
            <span className="sr-only">hidden</span>
          </>
        ) : (
          now
        )}
      </FigureText>
      <FigureNote>
        {help}
        {before !== undefined && !masked && ` · ${before} in the ${than}`}
      </FigureNote>
    </Figure>
  )
}

const settled = ({ delivered, failed }: DeliveryTotals): number => delivered + failed
const successOf = (totals: DeliveryTotals): string | undefined => {
  const rate = successRate(totals)
  return rate === undefined ? undefined : percent(rate)
}
const firstTryOf = (totals: DeliveryTotals): string | undefined => {
  const rate = rateOf(totals.first_try, settled(totals))
  return rate === undefined ? undefined : percent(rate)
}
const latencyOf = ({ p95_latency_ms: p95 }: DeliveryTotals): string | undefined =>
  p95 === null ? undefined : `${count(p95)} ms`

const Rates = ({ overview: { current, previous }, than }: { overview: Overview; than: string }) => (
  <section aria-label="Rates" className="grid gap-2 sm:grid-cols-3 sm:gap-3">
    <Rate
      title="Success rate"
      help="Delivered ÷ (delivered + failed)"
      now={successOf(current)}
      before={successOf(previous)}
      than={than}
    />
    <Rate
      title="First-try rate"
      help="Delivered on the first attempt"
      now={firstTryOf(current)}
      before={firstTryOf(previous)}
      than={than}
    />
    <Rate
      title="Latency (p95)"
      help="95% of deliveries took this long or less"
      now={latencyOf(current)}
      before={latencyOf(previous)}
      than={than}
    />
  </section>
)

const partTitles = [
  ['delivered', 'Delivered', 'success'],
  ['retried', 'Delivered after a retry', 'accent'],
  ['failed', 'Failed', 'danger'],
  ['filtered', 'Filtered', 'neutral'],
] as const

const Chart = ({
  overview,
  granularity,
  table,
  onTable,
}: {
  overview: Overview
  granularity: string
  table: boolean
  onTable: (table: boolean) => void
}) => {
  const masked = useMask((state) => state.on)
  const chart: BarChartProps = {
    label: `Events by ${granularity}`,
    buckets: overview.names,
    parts: partTitles.map(([key, title, tone]) => ({
      title,
      tone,
      values: filled(
        overview.names,
        Object.fromEntries(Object.entries(overview.buckets).map(([name, bucket]) => [name, bucket[key]])),
      ),
    })),
    masked,
  }
  const { pending } = overview.current
  if (pending > 0 && chart.parts.every(({ values }) => values.every((value) => value === 0)))
    return (
      <Card title="Events over time">
        <p className="text-sm text-ink-2">
          No outcomes yet: <MetricValue value={pending} /> {pluralise(pending, 'event')} pending.
        </p>
      </Card>
    )
  return (
    <ChartCard
      title="Events over time"
      description="Each event counts once, at its last outcome."
      chart={chart}
      table={table}
      onTable={onTable}
    />
  )
}

const Reasons = ({
  title,
  status,
  overview,
  to,
}: {
  title: string
  status: 'filtered' | 'dead'
  overview: Overview
  to: string
}) => {
  const rows = overview.reasons.filter((reason) => reason.status === status)
  if (rows.length === 0) return null
  const most = rows[0]?.event_count ?? 1
  return (
    <Card
      title={title}
      action={
        <ButtonLink to={to} size="sm">
          See events
        </ButtonLink>
      }
    >
      <ul aria-label={title} className="space-y-3">
        {rows.map(({ reason, event_count }) => (
          <li key={reason} className="text-sm">
            <div className="flex items-baseline justify-between gap-4">
              <span className="min-w-0 break-words">{reason === '' ? 'No reason recorded' : reason}</span>
              <span className="shrink-0 font-medium tabular">
                <MetricValue value={event_count} />
              </span>
            </div>
            <div aria-hidden className="mt-1 h-1 rounded-full bg-hover">
              <div
                className={status === 'dead' ? 'h-1 rounded-full bg-danger' : 'h-1 rounded-full bg-ink-3'}
                style={{ width: `${Math.max(1, (event_count / most) * 100)}%` }}
              />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** The deliveries that are held now, with a link to them. */
const HeldNote = ({ overview: { waiting, dead }, destination }: { overview: Overview; destination: Destination }) => {
  if (waiting.event_count + dead.event_count === 0) return null
  const parts: ReactNode[] = []
  if (dead.event_count > 0)
    parts.push(
      <span key="dead">
        {count(dead.event_count)} {pluralise(dead.event_count, 'dead letter')}
      </span>,
    )
  if (waiting.event_count > 0)
    parts.push(
      <span key="waiting">
        {count(waiting.event_count)} {pluralise(waiting.event_count, 'event')} waiting
        {waiting.oldest_time !== null && (
          <>
            , the oldest from <RelativeTime time={waiting.oldest_time} />
          </>
        )}
      </span>,
    )
  return (
    <p className="flex items-start gap-2 rounded-lg border border-line bg-surface px-4 py-2.5 text-sm shadow-card">
      <TriangleAlert
        aria-hidden
        className={dead.event_count > 0 ? 'mt-0.5 size-4 shrink-0 text-danger' : 'mt-0.5 size-4 shrink-0 text-warning'}
      />
      <span className="flex min-w-0 flex-wrap gap-x-2 gap-y-1">
        <span>
          {parts[0]}
          {parts.length > 1 && <> and {parts[1]}</>}.
        </span>
        <Link
          to={paths.destination(destination.name, 'failures')}
          className="rounded-sm font-medium text-accent-ink hover:underline"
        >
          See failures
        </Link>
      </span>
    </p>
  )
}

const Empty = ({ destination }: { destination: Destination }) => {
  const mayEdit = useMayEdit() === true
  const { enabled, name } = destination
  return (
    <EmptyState
      icon={<Truck />}
      title="No events in this period"
      action={
        <>
          <ButtonLink to={paths.destination(name, enabled ? 'connections' : 'settings')} replace>
            {enabled ? 'See connections' : 'See settings'}
          </ButtonLink>
          {mayEdit && destination.state === 'ready' && <TestDestination destination={destination} />}
        </>
      }
    >
      Delivered, filtered, and failed events are counted here.{' '}
      {enabled ? 'Connect' : 'Resume this destination, connect'} a source and send an event to see the first one.
    </EmptyState>
  )
}

const Loading = () => (
  <div aria-busy className="space-y-4">
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-5">
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <Skeleton key={key} className="h-24" />
      ))}
    </div>
    <CardSkeleton lines={6} />
  </div>
)

/** The outcomes of the events of a destination over a range, compared with the previous period. */
export const OverviewTab = ({ destination }: { destination: Destination }) => {
  const [preset, setPreset] = useRange()
  const [table, setTable] = useState(false)
  const query = useQuery(deliveryOverviewQuery(destination.name, preset))
  const { granularity, previous } = viewOf(preset)
  return (
    <div className="space-y-4">
      <div className="flex justify-end">
        <RangeSelect value={preset} onChange={setPreset} />
      </div>
      <QueryView query={query} skeleton={<Loading />} errorTitle="Failed to load the overview">
        {(overview) => (
          <>
            <HeldNote overview={overview} destination={destination} />
            {overview.current.received === 0 && overview.previous.received === 0 ? (
              <Empty destination={destination} />
            ) : (
              <>
                <Steps overview={overview} destination={destination} range={preset} />
                <Rates overview={overview} than={previous} />
                <Chart overview={overview} granularity={granularity} table={table} onTable={setTable} />
                <div className="grid items-start gap-4 lg:grid-cols-2">
                  <Reasons
                    title="Why events failed"
                    status="dead"
                    overview={overview}
                    to={paths.deliveries(destination.name, 'dead', { range: preset })}
                  />
                  <Reasons
                    title="Why events were filtered"
                    status="filtered"
                    overview={overview}
                    to={paths.deliveries(destination.name, 'filtered', { range: preset })}
                  />
                </div>
              </>
            )}
          </>
        )}
      </QueryView>
    </div>
  )
}
