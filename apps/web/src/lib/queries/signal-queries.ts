import { type ConversionStatus, methods, type StandardConversion } from '@tributary/contract'
import { bucketsOf, type RangePreset, rangeOf } from '../format/date-range.ts'
import { signalIds, workspaceIds } from '../format/names.ts'
import { pagesQuery, query, rowsQuery } from './query.ts'

/** Pause in ms between reads of conversions, which can arrive at any moment. */
const lookEvery = 10_000

/**
 * Returns the time range of a preset up to now, in the form of the signal calls. In the query key, the preset stands
 * for the time range.
 */
const during = (preset: RangePreset) => ({
  of: preset,
  at: (now: number) => {
    const { start_date, end_date } = rangeOf(preset, now)
    return { 'start_date.seconds': start_date.seconds, 'end_date.seconds': end_date.seconds }
  },
})

/** Adds the days of the range to a response, oldest first. */
const withDays =
  (preset: RangePreset) =>
  <Answer extends object>(answer: Answer): Answer & { buckets: string[] } => ({
    ...answer,
    buckets: bucketsOf(preset, Date.now()),
  })

/** A placeholder for the range in the input of a call. The range is set when the call is made. */
const noPeriod = { 'start_date.seconds': 0, 'end_date.seconds': 0 }

/** The signals of a workspace, newest first. */
export const signalsQuery = (workspace: string) =>
  rowsQuery(methods.signals.list, { params: workspaceIds(workspace) }, ({ signals }) => signals, {
    staleTime: 0,
    refetchInterval: lookEvery,
  })

/** One signal by resource name. */
export const signalQuery = (signal: string) =>
  query(methods.signals.get, { params: signalIds(signal) }, { staleTime: 0, refetchInterval: 3 * lookEvery })

/** The settings for all signals of a workspace. */
export const signalSettingsQuery = (workspace: string) =>
  query(methods.signalSettings.get, { params: workspaceIds(workspace) })

/**
 * Reads the destinations that can be platforms of a signal, with the fields that each would receive for a conversion.
 */
export const signalPlatformsQuery = (
  workspace: string,
  { type, custom_name }: { type: StandardConversion; custom_name: string },
) =>
  rowsQuery(
    methods.signals.listPlatforms,
    // The name of a custom conversion is not sent while it is empty: any name gives the same result.
    { params: workspaceIds(workspace), query: { conversion: type, ...(custom_name === '' ? {} : { custom_name }) } },
    ({ platforms }) => platforms,
    { staleTime: 0 },
  )

/** Reads the conversions and values of a signal over a range, with their outcomes. */
export const signalOverviewQuery = (signal: string, preset: RangePreset) =>
  query(
    methods.signals.getOverview,
    { params: signalIds(signal), query: noPeriod },
    { clocked: during(preset), staleTime: 0, refetchInterval: lookEvery, read: withDays(preset) },
  )

/** The match quality of a signal over a range. */
export const signalQualityQuery = (signal: string, preset: RangePreset) =>
  query(
    methods.signals.getQuality,
    { params: signalIds(signal), query: noPeriod },
    { clocked: during(preset), staleTime: 0, refetchInterval: 3 * lookEvery, read: withDays(preset) },
  )

/** The scope of an attribution: one signal or, with '', all; by the first or the last click. */
export type AttributionOf = { workspace: string; signal: string; touch: 'first' | 'last' }

/** The input of an attribution call, without its range. */
export const attributionInput = ({ workspace, signal, touch }: AttributionOf) => ({
  params: workspaceIds(workspace),
  query: { ...noPeriod, touch, ...(signal === '' ? {} : { signal }) },
})

/** Reads the clicks to which the conversions of a range are attributed. */
export const attributionQuery = (of: AttributionOf, preset: RangePreset) =>
  query(methods.signals.getAttribution, attributionInput(of), {
    clocked: during(preset),
    staleTime: 0,
    refetchInterval: 3 * lookEvery,
    read: withDays(preset),
  })

/** The filters of the list of conversions; '' is no filter. `destination` is a resource name. */
export type ConversionFilters = { status: ConversionStatus | ''; destination: string; event_id: string }

/** The conversions of a signal, newest first, by pages. */
export const conversionsQuery = (signal: string, filters: ConversionFilters, pageSize = 50) =>
  pagesQuery(
    methods.signals.listConversions,
    { params: signalIds(signal), query: { page_size: pageSize, ...filters } },
    {
      refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : lookEvery / 2),
    },
  )
