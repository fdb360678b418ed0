import { ChartColumn, Table } from 'lucide-react'
import { Button } from '../button.tsx'
import { Card } from '../card.tsx'
import { Tooltip } from '../overlays/tooltip.tsx'
import { BarChart } from './bar-chart.tsx'
import { BarTable } from './bar-table.tsx'
import type { BarChartProps } from './chart-parts.ts'

/**
 * A card with a bar chart, or with its numbers as a table. The page stores which of the two is shown, so that it stays
 * while the data of another range is loading.
 */
export const ChartCard = ({
  title,
  description,
  chart,
  table,
  onTable,
}: {
  title: string
  description: string
  chart: BarChartProps
  table: boolean
  onTable: (table: boolean) => void
}) => {
  const name = table ? 'Show chart' : 'Show table'
  return (
    <Card
      title={title}
      description={description}
      action={
        <Tooltip text={name}>
          <Button variant="none" size="sm" square aria-label={name} onClick={() => onTable(!table)}>
            {table ? <ChartColumn aria-hidden /> : <Table aria-hidden />}
          </Button>
        </Tooltip>
      }
    >
      {table ? <BarTable {...chart} /> : <BarChart {...chart} />}
    </Card>
  )
}
