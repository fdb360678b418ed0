import { useState } from 'react'
import { bucketsOf, type RangePreset, viewOf } from '../../lib/format/date-range.ts'
import { Card } from '../../ui/card.tsx'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import { BarTable } from '../../ui/charts/bar-table.tsx'
import type { BarChartProps } from '../../ui/charts/chart-parts.ts'
import { CountedFigure, Figure, FigureValue } from '../../ui/charts/figure.tsx'
import { MaskToggle } from '../../ui/charts/metric.tsx'
import { RangeSelect } from '../../ui/charts/range-select.tsx'

const wave = (index: number, height: number): number => Math.round(height * (1.4 + Math.sin(index / 1.3)))

const chartOf = (preset: RangePreset): BarChartProps => {
  const buckets = bucketsOf(preset, Date.UTC(2026, 0, 31, 12))
  return {
    label: 'Example by time',
    buckets,
    parts: [
      { title: 'Compatible', tone: 'success', values: buckets.map((_, index) => wave(index, 400)) },
      { title: 'Needs attention', tone: 'warning', values: buckets.map((_, index) => wave(index + 2, 60)) },
      { title: 'Incompatible', tone: 'danger', values: buckets.map((_, index) => wave(index + 4, 30)) },
    ],
    previous: { title: 'Previous period', values: buckets.map((_, index) => wave(index + 1, 420)) },
  }
}

const retry = (): Promise<void> => Promise.resolve()

/** Numbers with their outcomes, and charts of every range. */
export const KitFigures = () => {
  const [preset, setPreset] = useState<RangePreset>('7days')
  const chart = chartOf(preset)
  const than = viewOf(preset).previous
  return (
    <>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <CountedFigure
          title="More"
          than={than}
          query={{ data: { total: 1240, previous: 1000 }, isError: false, refetch: retry }}
        />
        <CountedFigure
          title="More of what is bad"
          than={than}
          lessIsBetter
          query={{ data: { total: 12, previous: 0 }, isError: false, refetch: retry }}
        />
        <CountedFigure title="Not counted" than={than} query={{ data: undefined, isError: true, refetch: retry }} />
        <Figure title="Plain">
          <FigureValue value={3}>of 4</FigureValue>
        </Figure>
      </div>
      <Card
        title="Chart"
        action={
          <div className="flex gap-2">
            <RangeSelect value={preset} onChange={setPreset} />
            <MaskToggle />
          </div>
        }
      >
        <BarChart {...chart} />
      </Card>
      <Card title="Chart, masked, and as a table">
        <BarChart {...chart} label="Masked example" masked />
        <BarTable {...chart} />
      </Card>
    </>
  )
}
