import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { type EventFilters, readFilters, writeFilters } from '../../lib/events/event-filters.ts'

/** The filters in the URL of the page, and a function that changes some of them. */
export const useFilters = (): { filters: EventFilters; change: (some: Partial<EventFilters>) => void } => {
  const [search, setSearch] = useSearchParams()
  const filters = useMemo(() => readFilters(search), [search])
  const change = useCallback(
    (some: Partial<EventFilters>): void =>
      setSearch((before) => writeFilters({ ...readFilters(before), ...some }), {
        replace: true,
        preventScrollReset: true,
      }),
    [setSearch],
  )
  return { filters, change }
}
