/** Colors of the parts of a bar, by their meaning. */
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
  /** The title of the counted objects. */
  label: string
  /** Names of hours or days, oldest first. The last one is not over yet. */
  buckets: readonly string[]
  /** The parts of each bar, from bottom to top. */
  parts: readonly ChartPart[]
  /** The previous period, drawn as a line: its title, and its values in the same order. */
  previous?: { title: string; values: readonly number[] }
  /** Hides all values and both axes. The shape of the bars stays visible. */
  masked?: boolean
  /** Called with the bucket on a click on its bar, or on Enter. */
  onPick?: (bucket: string) => void
}

/** The text that replaces a masked value. */
export const hiddenValue = '••••'

/** Returns the height of a bar: the sum of its parts. */
export const sumAt = (parts: readonly ChartPart[], index: number): number =>
  parts.reduce((sum, part) => sum + (part.values[index] ?? 0), 0)
