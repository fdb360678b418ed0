import type { SignalOverview } from '@tributary/contract'
import { useMask } from '../../lib/browser/ui-store.ts'
import { filled } from '../../lib/format/date-range.ts'
import { ChartCard } from '../../ui/charts/chart-card.tsx'
import type { ChartPart } from '../../ui/charts/chart-parts.ts'
import { statusTitles } from './signal-words.ts'

type Overview = SignalOverview & { buckets: string[] }
type Day = SignalOverview['days'][number]

const valuesOf = ({ buckets, days }: Overview, of: (day: Day) => number): number[] =>
  filled(buckets, Object.fromEntries(days.map((each) => [each.day, of(each)])))

/** Whether the chart or the table is shown. */
type Shown = { table: boolean; onTable: (table: boolean) => void }

const DayChart = ({
  title,
  description,
  buckets,
  parts,
  ...shown
}: {
  title: string
  description: string
  buckets: readonly string[]
  parts: readonly ChartPart[]
} & Shown) => {
  const masked = useMask((state) => state.on)
  return (
    <section aria-label={title}>
      <ChartCard title={title} description={description} chart={{ label: title, buckets, parts, masked }} {...shown} />
    </section>
  )
}

/** The number of conversions on each day of a range. */
export const ConversionsByDay = ({ overview, ...shown }: { overview: Overview } & Shown) => (
  <DayChart
    title="Conversions by day"
    description="In UTC, by when they were made."
    buckets={overview.buckets}
    {...shown}
    parts={[{ title: 'Conversions', tone: 'accent', values: valuesOf(overview, (day) => day.conversion_count) }]}
  />
)

/** The statuses in the order in which a bar stacks them from bottom to top, and how each is drawn. */
const statuses = [
  { status: 'delivered', tone: 'success' },
  { status: 'pending', tone: 'accent' },
  { status: 'failed', tone: 'danger' },
  { status: 'filtered', tone: 'neutral' },
  { status: 'not_sent', tone: 'warning' },
] as const

/** The conversions of each day of a range by status, over all platforms. */
export const ConversionsByStatus = ({ overview, ...shown }: { overview: Overview } & Shown) => (
  <DayChart
    title="Conversions by status"
    description="In UTC, over all platforms: a conversion counts once at each, and so does a refund."
    buckets={overview.buckets}
    {...shown}
    parts={statuses.map(({ status, tone }) => ({
      title: statusTitles[status],
      tone,
      values: valuesOf(overview, (day) => day.status_counts[status]),
    }))}
  />
)
