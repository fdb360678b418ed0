import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { bucketLabel, bucketTitle } from '../lib/date-range.ts'
import { count, shortCount } from '../lib/text.ts'
import { namedPlaces, scaleTop } from './chart-scale.ts'
import { cn } from './cn.ts'

/** Colours of parts of a bar, by their meaning. */
export const chartTones = {
  accent: { fill: 'fill-accent', swatch: 'bg-accent' },
  success: { fill: 'fill-success', swatch: 'bg-success' },
  warning: { fill: 'fill-warning', swatch: 'bg-warning' },
  danger: { fill: 'fill-danger', swatch: 'bg-danger' },
  neutral: { fill: 'fill-ink-3', swatch: 'bg-ink-3' },
} as const

/** One part of every bar: its values in the order of the buckets. */
export type ChartPart = { title: string; tone: keyof typeof chartTones; values: readonly number[] }

export type BarChartProps = {
  /** What is counted. */
  label: string
  /** Names of hours or days, oldest first; the last one is still running. */
  buckets: readonly string[]
  /** Drawn on top of each other, the first one at the bottom. */
  parts: readonly ChartPart[]
  /** The period before, drawn as a line: its values in the same order, and what it is called. */
  previous?: { title: string; values: readonly number[] }
  /** Keeps the shape and hides every value and both axes. */
  masked?: boolean
  /** A click on a bar, or Enter. */
  onPick?: (bucket: string) => void
}

/** What stands for a value while values are masked. */
export const hiddenValue = '••••'

/** A whole bar. */
export const sumAt = (parts: readonly ChartPart[], index: number): number =>
  parts.reduce((sum, part) => sum + (part.values[index] ?? 0), 0)

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

/** Words for a bucket, read out as the reader moves along the bars. */
const wordsOf = ({ buckets, parts, previous, masked }: BarChartProps, index: number): string => {
  const title = bucketTitle(buckets[index] ?? '')
  if (masked === true) return `${title}: hidden`
  const each = parts.map((part) => `${part.title} ${count(part.values[index] ?? 0)}`)
  const before = previous === undefined ? [] : [`${previous.title} ${count(previous.values[index] ?? 0)}`]
  return `${title}: ${[...each, ...before].join(', ')}`
}

const Bars = ({
  parts,
  previous,
  top,
  last,
}: Pick<BarChartProps, 'parts' | 'previous'> & { top: number; last: number }) => {
  const heightOf = (value: number): number => (value === 0 ? 0 : Math.max((value / top) * 100, 0.8))
  const bars = Array.from({ length: last + 1 }, (_, index) => {
    let above = 100
    return parts.map(({ title, tone, values }) => {
      const height = heightOf(values[index] ?? 0)
      above -= height
      return { key: `${index} ${title}`, x: index + 0.14, y: above, height, tone, running: index === last }
    })
  }).flat()
  const line = previous?.values.map((value, index) => `${index + 0.5},${100 - (value / top) * 100}`).join(' ')
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${last + 1} 100`}
      preserveAspectRatio="none"
      className="absolute inset-0 size-full overflow-visible"
    >
      {bars.map(
        ({ key, x, y, height, tone, running }) =>
          height > 0 && (
            <rect
              key={key}
              x={x}
              y={y}
              width={0.72}
              height={height}
              className={cn(chartTones[tone].fill, running && 'opacity-70')}
            />
          ),
      )}
      {line !== undefined && (
        <polyline
          points={line}
          fill="none"
          vectorEffect="non-scaling-stroke"
          className="stroke-ink-3"
          strokeWidth={1.5}
          strokeDasharray="4 4"
        />
      )}
    </svg>
  )
}

const Scale = ({ top }: { top: number }) => (
  <div aria-hidden className="relative w-9 shrink-0 text-2xs text-ink-3 tabular">
    {[top, top / 2, 0].map((value, index) => (
      <span key={value} className="absolute right-2 -translate-y-1/2" style={{ top: `${index * 50}%` }}>
        {shortCount(value)}
      </span>
    ))}
  </div>
)

const Grid = () => (
  <div aria-hidden className="absolute inset-0 flex flex-col justify-between">
    <span className="border-t border-line" />
    <span className="border-t border-line" />
    <span className="border-t border-line-strong" />
  </div>
)

const Places = ({ buckets }: { buckets: readonly string[] }) => (
  <div aria-hidden className="relative mt-1.5 ml-9 h-4 text-2xs text-ink-3">
    {namedPlaces(buckets.length).map((index, place) => (
      <span
        key={index}
        className={cn('absolute -translate-x-1/2 whitespace-nowrap', place % 2 === 1 && 'max-sm:hidden')}
        style={{ left: `${((index + 0.5) / buckets.length) * 100}%` }}
      >
        {bucketLabel(buckets[index] ?? '')}
      </span>
    ))}
  </div>
)

/** Which bar is read out, and what moves it: pointer, arrows, Home, End; Escape puts it away. */
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
      // A finger has only shown the bar so far: it would never see what it is about to open.
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
 * Bars by hour or day. Every bar can be read with pointer, finger and keyboard: the plot is a slider along its buckets,
 * whose value is read out. `BarTable` has the same numbers as a table.
 */
export const BarChart = (props: BarChartProps) => {
  const { label, buckets, parts, previous, masked = false, onPick } = props
  const last = buckets.length - 1
  const { active, handlers } = useReadout(
    buckets.length,
    onPick === undefined ? undefined : (index) => onPick(buckets[index] ?? ''),
  )
  const sums = buckets.map((_, index) => sumAt(parts, index))
  const top = scaleTop(Math.max(0, ...sums, ...(previous?.values ?? [])))
  const shown = active ?? last
  const readout = { buckets, parts, masked, ...(previous === undefined ? {} : { previous }) }
  return (
    <div>
      <div className="flex h-44">
        {masked ? <span className="w-9 shrink-0" /> : <Scale top={top} />}
        <div className="relative min-w-0 flex-1">
          <Grid />
          {active !== undefined && (
            <span
              aria-hidden
              className="absolute inset-y-0 bg-hover"
              style={{ left: `${(active / buckets.length) * 100}%`, width: `${100 / buckets.length}%` }}
            />
          )}
          <Bars parts={parts} top={top} last={last} {...(previous === undefined ? {} : { previous })} />
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
      {masked ? <div className="mt-1.5 h-4" /> : <Places buckets={buckets} />}
      <Legend parts={parts} {...(previous === undefined ? {} : { previous })} />
    </div>
  )
}
