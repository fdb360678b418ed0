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
  /** The title of the count. */
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

/** The text in place of a masked value. */
export const hiddenValue = '••••'

/** A whole bar. */
export const sumAt = (parts: readonly ChartPart[], index: number): number =>
  parts.reduce((sum, part) => sum + (part.values[index] ?? 0), 0)
