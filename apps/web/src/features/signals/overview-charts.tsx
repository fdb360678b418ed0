import type { SignalOverview } from '@tributary/contract'
import { ChartColumn, Table } from 'lucide-react'
import { useState } from 'react'
import { useMask } from '../../lib/browser/ui-store.ts'
import { filled } from '../../lib/format/date-range.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import { BarTable } from '../../ui/charts/bar-table.tsx'
import type { ChartPart } from '../../ui/charts/chart-parts.ts'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { statusTitles } from './signal-words.ts'

type Overview = SignalOverview & { buckets: string[] }
type Day = SignalOverview['days'][number]

const valuesOf = ({ buckets, days }: Overview, of: (day: Day) => number): number[] =>
  filled(buckets, Object.fromEntries(days.map((each) => [each.day, of(each)])))

const DayChart = ({
  title,
  description,
  buckets,
  parts,
}: {
  title: string
  description: string
  buckets: readonly string[]
  parts: readonly ChartPart[]
}) => {
  const [table, setTable] = useState(false)
  const masked = useMask((state) => state.on)
  const chart = { label: title, buckets, parts, masked }
  const name = table ? 'Show chart' : 'Show table'
  return (
    <section aria-label={title}>
      <Card
        title={title}
        description={description}
        action={
          <Tooltip text={name}>
            <Button variant="none" size="sm" square aria-label={name} onClick={() => setTable(!table)}>
              {table ? <ChartColumn aria-hidden /> : <Table aria-hidden />}
            </Button>
          </Tooltip>
        }
      >
        {table ? <BarTable {...chart} /> : <BarChart {...chart} />}
      </Card>
    </section>
  )
}

/** How many conversions were made on each day of a range. */
export const ConversionsByDay = ({ overview }: { overview: Overview }) => (
  <DayChart
    title="Conversions by day"
    description="In UTC, by when they were made."
    buckets={overview.buckets}
    parts={[{ title: 'Conversions', tone: 'accent', values: valuesOf(overview, (day) => day.conversion_count) }]}
  />
)

/** The statuses from the bottom of a bar to its top, with how each is drawn. */
const statuses = [
  { status: 'delivered', tone: 'success' },
  { status: 'pending', tone: 'accent' },
  { status: 'failed', tone: 'danger' },
  { status: 'filtered', tone: 'neutral' },
  { status: 'not_sent', tone: 'warning' },
] as const

/** What became of the conversions of each day of a range, over all platforms. */
export const ConversionsByStatus = ({ overview }: { overview: Overview }) => (
  <DayChart
    title="Conversions by status"
    description="In UTC, over all platforms: a conversion counts once at each, and so does a refund."
    buckets={overview.buckets}
    parts={statuses.map(({ status, tone }) => ({
      title: statusTitles[status],
      tone,
      values: valuesOf(overview, (day) => day.status_counts[status]),
    }))}
  />
)
