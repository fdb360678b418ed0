import { type KeyboardEvent, lazy, type PointerEvent, Suspense, useState } from 'react'
import { bucketTitle } from '../../lib/format/date-range.ts'
import { count } from '../../lib/format/text.ts'
import { cn } from '../cn.ts'
import { LoadingNote } from '../page/loading-note.tsx'
import { Skeleton } from '../page/skeleton.tsx'
import { type BarChartProps, chartTones, hiddenValue, sumAt } from './chart-parts.ts'

/** Shown until the chart's code is loaded. */
const Drawing = () => (
  <div aria-busy className="h-44 pl-9">
    <LoadingNote />
    <Skeleton className="h-full" />
  </div>
)

/** Shown if the code of the chart cannot be loaded. The slider still gives the values of the bars. */
const NoPlot = () => (
  <p className="grid h-44 place-items-center text-sm text-ink-2">
    Could not load the chart. Show the table to see the values.
  </p>
)

// The chart library is loaded only on pages with a chart.
const BarPlot = lazy(() =>
  import('./bar-plot.tsx').then(
    (module) => ({ default: module.BarPlot }),
    () => ({ default: NoPlot }),
  ),
)

const Swatch = ({ className }: { className: string }) => (
  <span aria-hidden className={cn('size-2 shrink-0 rounded-xs', className)} />
)

const Dash = () => <span aria-hidden className="w-3.5 shrink-0 border-t-2 border-dotted border-ink-3" />

const Legend = ({ parts, previous }: Pick<BarChartProps, 'parts' | 'previous'>) => (
  <ul aria-label="Legend" className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-2">
    {parts.map(({ title, tone }) => (
      <li key={title} className="flex items-center gap-1.5">
        <Swatch className={chartTones[tone].swatch} />
        {title}
      </li>
    ))}
    {previous !== undefined && (
      <li className="flex items-center gap-1.5">
        <Dash />
        {previous.title}
      </li>
    )}
  </ul>
)

const Line = ({ swatch, title, value }: { swatch?: string; title: string; value: string }) => (
  <span className="flex items-center gap-2">
    {swatch === 'dash' ? <Dash /> : swatch !== undefined && <Swatch className={swatch} />}
    <span className="flex-1">{title}</span>
    <span className="font-medium text-ink tabular">{value}</span>
  </span>
)

const Readout = ({
  index,
  buckets,
  parts,
  previous,
  masked,
}: Pick<BarChartProps, 'buckets' | 'parts' | 'previous' | 'masked'> & { index: number }) => {
  const show = (value: number): string => (masked === true ? hiddenValue : count(value))
  const place = ((index + 0.5) / buckets.length) * 100
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute bottom-full z-10 mb-1 w-48 rounded-md bg-raised px-3 py-2 text-xs text-ink-2 shadow-pop"
      style={{ left: `clamp(0px, calc(${place}% - 6rem), calc(100% - 12rem))` }}
    >
      <span className="mb-1 block font-medium text-ink">
        {bucketTitle(buckets[index] ?? '')}
        {index === buckets.length - 1 && <span className="font-normal text-ink-3"> so far</span>}
      </span>
      {parts.map(({ title, tone, values }) => (
        <Line key={title} swatch={chartTones[tone].swatch} title={title} value={show(values[index] ?? 0)} />
      ))}
      {parts.length > 1 && <Line title="Total" value={show(sumAt(parts, index))} />}
      {previous !== undefined && (
        <Line swatch="dash" title={previous.title} value={show(previous.values[index] ?? 0)} />
      )}
    </div>
  )
}

/** Returns the text of a bucket, which screen readers announce when the user moves along the bars. */
const wordsOf = ({ buckets, parts, previous, masked }: BarChartProps, index: number): string => {
  const title = bucketTitle(buckets[index] ?? '')
  if (masked === true) return `${title}: hidden`
  const each = parts.map((part) => `${part.title} ${count(part.values[index] ?? 0)}`)
  const before = previous === undefined ? [] : [`${previous.title} ${count(previous.values[index] ?? 0)}`]
  return `${title}: ${[...each, ...before].join(', ')}`
}

/**
 * Returns the bar whose values are shown, and the handlers that change it: pointer, arrow keys, Home and End. Escape
 * hides the values.
 */
const useReadout = (size: number, pick: ((index: number) => void) | undefined) => {
  const [active, setActive] = useState<number>()
  const last = size - 1
  const at = (event: PointerEvent<HTMLElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return Math.min(last, Math.max(0, Math.floor(((event.clientX - left) / width) * size)))
  }
  const moves: Record<string, (from: number) => number | undefined> = {
    ArrowLeft: (from) => Math.max(0, from - 1),
    ArrowDown: (from) => Math.max(0, from - 1),
    ArrowRight: (from) => Math.min(last, from + 1),
    ArrowUp: (from) => Math.min(last, from + 1),
    Home: () => 0,
    End: () => last,
    Escape: () => undefined,
  }
  return {
    active: active === undefined ? undefined : Math.min(active, last),
    handlers: {
      onPointerMove: (event: PointerEvent<HTMLElement>) => setActive(at(event)),
      onPointerDown: (event: PointerEvent<HTMLElement>) => setActive(at(event)),
      onPointerLeave: () => setActive(undefined),
      // The first touch only shows the values of the bar, so that users see what a click would open.
      onPointerUp: (event: PointerEvent<HTMLElement>) => {
        if (event.pointerType === 'mouse' && event.button === 0) pick?.(at(event))
      },
      onFocus: () => setActive((shown) => shown ?? last),
      onBlur: () => setActive(undefined),
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
        const move = moves[event.key]
        if (move === undefined && event.key !== 'Enter') return
        event.preventDefault()
        if (move !== undefined) setActive((from) => move(from ?? last))
        else if (active !== undefined) pick?.(active)
      },
    },
  }
}

/**
 * A chart of bars by hour or day. Users can read every bar with pointer, touch and keyboard. The plot is a slider along
 * its buckets, whose value screen readers announce. The component `BarTable` shows the same numbers as a table.
 */
export const BarChart = (props: BarChartProps) => {
  const { label, buckets, parts, previous, masked = false, onPick } = props
  const last = buckets.length - 1
  const { active, handlers } = useReadout(
    buckets.length,
    onPick === undefined ? undefined : (index) => onPick(buckets[index] ?? ''),
  )
  const shown = active ?? last
  const readout = { buckets, parts, masked, ...(previous === undefined ? {} : { previous }) }
  return (
    <div>
      <div className="relative h-50">
        <Suspense fallback={<Drawing />}>
          <BarPlot {...readout} active={active} />
        </Suspense>
        <div className="absolute top-0 right-0 bottom-6 left-9">
          <div
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a range input moves on drags, not under the pointer
            role="slider"
            tabIndex={0}
            aria-label={label}
            aria-valuemin={0}
            aria-valuemax={last}
            aria-valuenow={shown}
            aria-valuetext={wordsOf(props, shown)}
            className={cn('absolute inset-0 rounded-sm touch-pan-y', onPick !== undefined && 'cursor-pointer')}
            {...handlers}
          />
          {active !== undefined && <Readout index={active} {...readout} />}
        </div>
      </div>
      <Legend parts={parts} {...(previous === undefined ? {} : { previous })} />
    </div>
  )
}
