import { AxisBottom, AxisLeft } from '@visx/axis'
import { GridRows } from '@visx/grid'
import { useParentSize } from '@visx/responsive'
import { scaleBand, scaleLinear } from '@visx/scale'
import { BarStack, LinePath } from '@visx/shape'
import { bucketLabel } from '../../lib/format/date-range.ts'
import { shortCount } from '../../lib/format/text.ts'
import { cn } from '../cn.ts'
import { type BarChartProps, chartTones, sumAt } from './chart-parts.ts'

/** The space on the left for an axis, in px. */
const left = 36
const height = 176

const tickLabel = { fill: 'var(--color-ink-3)', fontFamily: 'inherit', fontSize: 11 }

/** Returns the value with which a bar is drawn: a value other than 0 is always visible. */
const seen = (value: number, top: number): number => (value === 0 ? 0 : Math.max(value, top * 0.008))

const Axes = ({
  buckets,
  x,
  y,
  rows,
  width,
}: {
  buckets: readonly string[]
  x: ReturnType<typeof scaleBand<number>>
  y: ReturnType<typeof scaleLinear<number>>
  rows: number[]
  width: number
}) => (
  <>
    <AxisLeft
      scale={y}
      tickValues={rows}
      tickFormat={(value) => shortCount(Number(value))}
      tickLabelProps={{ ...tickLabel, dx: -2 }}
      hideAxisLine
      hideTicks
      tickLength={4}
    />
    <AxisBottom
      scale={x}
      top={height}
      numTicks={width < 420 ? 3 : buckets.length <= 7 ? 7 : 6}
      tickFormat={(index) => bucketLabel(buckets[index] ?? '')}
      tickLabelProps={tickLabel}
      stroke="var(--color-line-strong)"
      hideTicks
      tickLength={4}
    />
  </>
)

/**
 * Draws the bars of a `BarChart` with their axes and the previous period. `active` is the bar whose values are shown.
 * Hidden from screen readers.
 */
export const BarPlot = ({
  buckets,
  parts,
  previous,
  masked = false,
  active,
}: Omit<BarChartProps, 'label' | 'onPick'> & { active: number | undefined }) => {
  const { parentRef, width } = useParentSize({ initialSize: { width: 640 }, debounceTime: 50 })
  const inner = Math.max(0, width - left)
  const max = Math.max(2, ...buckets.map((_, index) => sumAt(parts, index)), ...(previous?.values ?? []))
  const x = scaleBand({ domain: [...buckets.keys()], range: [0, inner], paddingInner: 0.28, paddingOuter: 0.14 })
  const y = scaleLinear({ domain: [0, max], range: [height, 0], nice: 2 })
  const top = y.domain()[1] ?? max
  const rows = y.ticks(2)
  const center = (index: number): number => (x(index) ?? 0) + x.bandwidth() / 2
  return (
    <div ref={parentRef} className="absolute inset-0">
      <svg aria-hidden width={width} height="100%" className="overflow-visible">
        <g transform={`translate(${left})`}>
          <GridRows scale={y} width={inner} tickValues={rows} stroke="var(--color-line)" />
          {active !== undefined && (
            <rect x={active * x.step()} width={x.step()} height={height} className="fill-hover" />
          )}
          <BarStack
            data={[...buckets.keys()]}
            keys={[...parts.keys()]}
            value={(index, part) => seen(parts[part]?.values[index] ?? 0, top)}
            x={(index) => index}
            xScale={x}
            yScale={y}
            color={() => ''}
          >
            {(stacks) =>
              stacks.flatMap(({ index: part, bars }) =>
                bars.map(
                  ({ index, x: from, y: above, width: thick, height: high }) =>
                    high > 0 && (
                      <rect
                        key={`${index} ${part}`}
                        x={from}
                        y={above}
                        width={thick}
                        height={high}
                        className={cn(
                          chartTones[parts[part]?.tone ?? 'neutral'].fill,
                          index === buckets.length - 1 && 'opacity-70',
                        )}
                      />
                    ),
                ),
              )
            }
          </BarStack>
          {previous !== undefined && (
            <LinePath
              data={[...previous.values]}
              x={(_, index) => center(index)}
              y={(value) => y(value)}
              className="stroke-ink-3"
              strokeWidth={1.5}
              strokeDasharray="4 4"
            />
          )}
          {!masked && <Axes buckets={buckets} x={x} y={y} rows={rows} width={inner} />}
        </g>
      </svg>
    </div>
  )
}
