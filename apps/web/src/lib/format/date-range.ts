/** The size of a bucket: an hour or a day. */
export type BucketSize = 'hour' | 'day'

/** The count of a range, and the count of the period before it. */
export type Totals = { total: number; previous: number }

/** The ranges that a chart can show; all of them end now. */
export const rangePresets = ['1day', '7days', '30days', '90days'] as const
export type RangePreset = (typeof rangePresets)[number]
export const defaultPreset: RangePreset = '7days'

/** A time range from `start_date` (inclusive) to `end_date` (exclusive), in epoch seconds. */
export type DateRange = { start_date: { seconds: number }; end_date: { seconds: number } }

const views: Record<RangePreset, { granularity: BucketSize; count: number; title: string; previous: string }> = {
  '1day': { granularity: 'hour', count: 24, title: 'Last 24 hours', previous: 'previous 24 hours' },
  '7days': { granularity: 'day', count: 7, title: 'Last 7 days', previous: 'previous 7 days' },
  '30days': { granularity: 'day', count: 30, title: 'Last 30 days', previous: 'previous 30 days' },
  '90days': { granularity: 'day', count: 90, title: 'Last 90 days', previous: 'previous 90 days' },
}

/**
 * Returns how a preset is drawn: the size and number of its buckets, and the texts for the preset and for the period
 * before it.
 */
export const viewOf = (preset: RangePreset) => views[preset]

/** Returns the preset that a text names; for any other text the default one. */
export const presetOf = (text: string | null): RangePreset =>
  rangePresets.find((preset) => preset === text) ?? defaultPreset

const unitMs: Record<BucketSize, number> = { hour: 3_600_000, day: 86_400_000 }

// Rounds down to the UTC hour or day. All have the same length, because epoch time has no leap seconds.
const floor = (ms: number, granularity: BucketSize): number => ms - (ms % unitMs[granularity])

const firstOf = (preset: RangePreset, now: number): number => {
  const { granularity, count } = views[preset]
  return floor(now, granularity) - (count - 1) * unitMs[granularity]
}

/**
 * Returns the range of a preset up to `now` (epoch ms): the current UTC hour or day, and the complete ones before it.
 */
export const rangeOf = (preset: RangePreset, now: number): DateRange => ({
  start_date: { seconds: firstOf(preset, now) / 1000 },
  // Includes the current second.
  end_date: { seconds: Math.floor(now / 1000) + 1 },
})

/** Returns the period of the same length that ends where the range starts. */
export const previousRange = ({ start_date, end_date }: DateRange): DateRange => ({
  start_date: { seconds: 2 * start_date.seconds - end_date.seconds },
  end_date: { seconds: start_date.seconds },
})

/** Returns the name of the UTC hour (`YYYYMMDDHH`) or day (`YYYYMMDD`) that contains a time (epoch ms). */
export const bucketOf = (ms: number, granularity: BucketSize): string =>
  new Date(ms)
    .toISOString()
    .slice(0, granularity === 'hour' ? 13 : 10)
    .replaceAll(/[-T]/g, '')

/** Returns start and end (epoch ms, UTC) of a bucket by its name. */
export const bucketSpan = (bucket: string): { start: number; end: number } => {
  const [, year, month, day, hour] = /^(\d{4})(\d\d)(\d\d)(\d\d)?$/.exec(bucket) ?? []
  const start = Date.parse(`${year}-${month}-${day}T${hour ?? '00'}:00:00Z`)
  return { start, end: start + unitMs[hour === undefined ? 'day' : 'hour'] }
}

/** Returns the buckets of a preset that ends at `now` (epoch ms), oldest first: 24 hours, or 7, 30 or 90 days. */
export const bucketsOf = (preset: RangePreset, now: number): string[] => {
  const { granularity, count } = views[preset]
  const first = firstOf(preset, now)
  return Array.from({ length: count }, (_, index) => bucketOf(first + index * unitMs[granularity], granularity))
}

/**
 * Returns the same number of buckets just before those of a preset, oldest first. A chart draws this previous period
 * over the current one.
 */
export const previousBucketsOf = (preset: RangePreset, now: number): string[] =>
  bucketsOf(preset, firstOf(preset, now) - 1)

/** Returns the counts of the buckets in their order. A bucket that has no count gives 0. */
export const filled = (buckets: readonly string[], counts: Readonly<Record<string, number>>): number[] =>
  buckets.map((bucket) => counts[bucket] ?? 0)

/**
 * Returns the change of a count compared with the previous period, in percent; undefined if the previous count was 0.
 */
export const changeOf = (current: number, previous: number): number | undefined =>
  previous === 0 ? undefined : Math.round(((current - previous) / previous) * 100)

const utc = (bucket: string, options: Intl.DateTimeFormatOptions, locale?: string): string =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(bucketSpan(bucket).start)

const isHour = (bucket: string): boolean => bucket.length === 10

/** Formats a bucket for an axis, in the language of the reader: "14:00" or "Feb 3". */
export const bucketLabel = (bucket: string, locale?: string): string =>
  isHour(bucket)
    ? utc(bucket, { hour: '2-digit', minute: '2-digit', hour12: false }, locale)
    : utc(bucket, { month: 'short', day: 'numeric' }, locale)

/** Formats the full name of a bucket: "Sat, Feb 3, 2024", or for an hour the day and the time in UTC. */
export const bucketTitle = (bucket: string, locale?: string): string =>
  isHour(bucket)
    ? `${utc(bucket, { month: 'short', day: 'numeric' }, locale)}, ${bucketLabel(bucket, locale)} UTC`
    : utc(bucket, { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' }, locale)
