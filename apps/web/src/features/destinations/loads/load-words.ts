import type { WarehouseLoad, WarehouseLoadState, WarehouseStatus, WarehouseWorkKind } from '@tributary/contract'
import { count, pluralise } from '../../../lib/format/text.ts'
import { elapsed } from '../../../lib/format/time.ts'
import type { BadgeTone } from '../../../ui/badge.tsx'

/** The title and the tone of each state of a load. */
export const loadStates: Readonly<Record<WarehouseLoadState, { label: string; tone: BadgeTone }>> = {
  waiting: { label: 'Waiting', tone: 'neutral' },
  running: { label: 'Running', tone: 'accent' },
  succeeded: { label: 'Succeeded', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
}

const changeTitles: Readonly<Record<Exclude<WarehouseWorkKind, 'load'>, { done: string; wanted: string }>> = {
  change_type: { done: 'Type changed', wanted: 'Change type' },
  rename_column: { done: 'Column renamed', wanted: 'Rename column' },
  drop_column: { done: 'Column dropped', wanted: 'Drop column' },
}

/** The title of a load or a change: `Load`, or `Type changed: order_completed.total to Float64`. */
export const loadTitle = ({ kind, change, state }: Pick<WarehouseLoad, 'kind' | 'change' | 'state'>): string => {
  if (kind === 'load') return 'Load'
  const { done, wanted } = changeTitles[kind]
  return `${state === 'succeeded' ? done : wanted}: ${change}`
}

/** The user who started a load, or the schedule. */
export const starterOf = ({ trigger, creator }: Pick<WarehouseLoad, 'trigger' | 'creator'>): string =>
  trigger === 'schedule' ? 'Schedule' : (creator?.display_name ?? 'A former member')

/** The duration of a load until its end, or until `now` (epoch ms); '' before it starts. */
export const loadDuration = (
  { start_time, finish_time }: Pick<WarehouseLoad, 'start_time' | 'finish_time'>,
  now: number,
): string => {
  if (start_time === null) return ''
  const end = finish_time === null ? now : Date.parse(finish_time)
  return elapsed(Math.max(0, end - Date.parse(start_time)))
}

/** The rows of a load and their tables: `1,204 rows in 3 tables`. */
export const rowsText = ({ row_count, tables }: Pick<WarehouseLoad, 'row_count' | 'tables'>): string =>
  `${count(row_count)} ${pluralise(row_count, 'row')} in ${count(tables.length)} ${pluralise(tables.length, 'table')}`

/** How many values were moved because they no longer fit their column. */
export const movedText = (values: number): string =>
  `${count(values)} ${values === 1 ? 'value' : 'values'} moved to extra_properties`

/**
 * Formats a time without seconds, in the locale and time zone of the reader: `14:05`, and with its day if that is not
 * the day of `now` (epoch ms).
 */
export const momentText = (time: string, now: number, locale?: string, timeZone?: string): string => {
  const zone = timeZone === undefined ? {} : { timeZone }
  const clock = { hour: '2-digit', minute: '2-digit', ...zone } as const
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'short', ...zone })
  const at = new Date(time)
  return at.toLocaleString(
    locale,
    day.format(at) === day.format(now) ? clock : { month: 'short', day: 'numeric', ...clock },
  )
}

/** How often a warehouse loads: `every 5 minutes`, `every hour`, `every 3 hours`. */
export const everyText = (minutes: number): string => {
  const [value, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
  return value === 1 ? `every ${unit}` : `every ${count(value)} ${unit}s`
}

/**
 * For a warehouse that bills running time: the loads a day by the schedule, and the minutes that they run. Each counts
 * as long as those of the last 24 hours. Undefined for other warehouses.
 */
export const billedText = ({
  billed,
  every_minutes,
  loads_last_day,
  seconds_last_day,
}: Pick<WarehouseStatus, 'billed' | 'every_minutes' | 'loads_last_day' | 'seconds_last_day'>): string | undefined => {
  if (!billed) return undefined
  const loads = Math.round(1440 / every_minutes)
  const expected = `The warehouse bills running time. Expected ${count(loads)} ${pluralise(loads, 'load')} a day`
  if (loads_last_day === 0) return `${expected}.`
  const minutes = Math.max(1, Math.round((loads * seconds_last_day) / loads_last_day / 60))
  return `${expected}, about ${count(minutes)} ${pluralise(minutes, 'minute')} of running time.`
}

type Compared = NonNullable<WarehouseStatus['comparison']>['tables'][number]

/** A table of a comparison; `difference` is the rows that are missing (negative) or too many (positive). */
export type ComparedTable = Compared & { difference: number }

/** The tables of a comparison, those that differ most first, and then by name. */
export const comparedTables = (tables: readonly Compared[]): ComparedTable[] =>
  tables
    .map((each) => ({ ...each, difference: each.row_count - each.event_count }))
    .toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference) || (a.table < b.table ? -1 : 1))

/** What a difference means, in a few words. */
export const differenceText = (difference: number): string =>
  difference === 0
    ? 'Equal'
    : difference < 0
      ? `${count(-difference)} missing`
      : `${count(difference)} more than delivered`

/** What a change of a column's type would convert, as sentences. */
export const conversionTexts = ({
  value_count,
  convert_count,
  from_extra_count,
}: {
  value_count: number
  convert_count: number
  from_extra_count: number
}): string[] => {
  const rest = value_count - convert_count
  return [
    value_count === 0
      ? 'The column has no values.'
      : `${count(convert_count)} of ${count(value_count)} ${pluralise(value_count, 'value')} ${convert_count === 1 ? 'converts' : 'convert'}.`,
    ...(rest > 0 ? [`${count(rest)} ${rest === 1 ? 'value moves' : 'values move'} to extra_properties.`] : []),
    ...(from_extra_count > 0
      ? [
          `${count(from_extra_count)} ${from_extra_count === 1 ? 'value comes' : 'values come'} back from extra_properties.`,
        ]
      : []),
  ]
}
