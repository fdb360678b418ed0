import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { type EventFilters, readFilters, writeFilters } from '../../lib/events/event-filters.ts'

/** The filters in the URL of the page, and a function that changes some of them. */
export const useFilters = (): { filters: EventFilters; change: (some: Partial<EventFilters>) => void } => {
  const [search, setSearch] = useSearchParams()
  const filters = useMemo(() => readFilters(search), [search])
  // A field reports its text when it is left, so the next change may come before this one is rendered.
  const latest = useRef(filters)
  useEffect(() => {
    latest.current = filters
  }, [filters])
  const change = useCallback(
    (some: Partial<EventFilters>): void => {
      latest.current = { ...latest.current, ...some }
      setSearch(writeFilters(latest.current), { replace: true, preventScrollReset: true })
    },
    [setSearch],
  )
  return { filters, change }
}
