import { type Dispatch, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useNavigationType, useSearchParams } from 'react-router'
import { paths } from '../../../lib/paths.ts'
import type { LiveEvent } from './live-event.ts'
import type { LiveAction } from './live-events.ts'
import { type LiveFilters, readLiveFilters, writeLiveFilters } from './live-filters.ts'

/** The state that this page stores in the history entry of each URL that it sets. */
type OwnState = { opened?: boolean; filtered?: boolean }

const sameFilters = (one: LiveFilters, other: LiveFilters): boolean =>
  JSON.stringify(writeLiveFilters(one)) === JSON.stringify(writeLiveFilters(other))

/**
 * Synchronizes the filters and the open event of the live page with its URL. A filter replaces the URL. Opening the
 * first event adds a step to the history, and closing an event that was opened here goes back by that step.
 */
export const useLiveAddress = (source: string, filters: LiveFilters, dispatch: Dispatch<LiveAction>) => {
  const [query] = useSearchParams()
  const navigate = useNavigate()
  const type = useNavigationType()
  const { state, key } = useLocation()
  const own: OwnState = typeof state === 'object' && state !== null ? state : {}
  const addressId = query.get('event') ?? undefined
  // Keys may be pressed faster than the URL changes: each step starts from the result of the previous step.
  const [stepped, setStepped] = useState<string | undefined>()
  const [seenKey, setSeenKey] = useState(key)
  if (seenKey !== key) {
    setSeenKey(key)
    if (type === 'POP' || stepped === addressId) setStepped(undefined)
  }
  const openId = stepped ?? addressId
  const latest = useRef({ filters, openId, own, addressId, key })
  // A layout effect runs before the next key press, unlike other effects, which can run later.
  useLayoutEffect(() => {
    latest.current = { filters, openId, own, addressId, key }
  })

  // Whether this page added the step that opened the first event to the history. Known before its URL is shown.
  const openedHere = useRef(false)
  useLayoutEffect(() => {
    if (openId === undefined) openedHere.current = false
  }, [openId])

  // Typing may be faster than the URL changes: a URL that this page itself has set does not change the filters.
  const read = useRef('')
  useEffect(() => {
    if (read.current === key) return
    const isFirst = read.current === ''
    read.current = key
    const wanted = readLiveFilters(query)
    if (!isFirst && type !== 'POP' && latest.current.own.filtered === true) return
    if (!sameFilters(wanted, latest.current.filters)) dispatch({ type: 'filtered', filters: wanted })
  }, [key, query, type, dispatch])

  const written = useRef(filters)
  useEffect(() => {
    if (written.current === filters) return
    written.current = filters
    void navigate(paths.sourceEvent(source, latest.current.openId ?? '', writeLiveFilters(filters)), {
      replace: true,
      preventScrollReset: true,
      state: { ...latest.current.own, filtered: true } satisfies OwnState,
    })
  }, [filters, navigate, source])

  // The filters when the first event was opened. If they differ now, a step back would lead to a URL with the old
  // filters.
  const atOpening = useRef<LiveFilters | undefined>(undefined)
  useEffect(() => {
    if (openId === undefined) atOpening.current = undefined
    else atOpening.current ??= latest.current.filters
  }, [openId])

  const open = useCallback(
    ({ eventId }: LiveEvent): void => {
      const now = latest.current
      if (eventId === now.openId) return
      const isFirst = now.openId === undefined
      openedHere.current ||= isFirst || now.own.opened === true
      setStepped(eventId)
      void navigate(paths.sourceEvent(source, eventId, writeLiveFilters(now.filters)), {
        replace: !isFirst,
        preventScrollReset: true,
        state: { opened: openedHere.current, filtered: true } satisfies OwnState,
      })
    },
    [navigate, source],
  )
  // The history entry that a step back is leaving. A second step back would leave the page.
  const left = useRef('')
  useLayoutEffect(() => {
    left.current = ''
  }, [key])
  const close = useCallback((): void => {
    const now = latest.current
    if (now.openId === undefined || left.current === now.key) return
    setStepped(undefined)
    // A step back is possible only after the URL of the open event is shown. Before that, it would leave the page.
    const stepsBack = now.addressId !== undefined && (openedHere.current || now.own.opened === true)
    if (stepsBack && sameFilters(now.filters, atOpening.current ?? now.filters)) {
      left.current = now.key
      void navigate(-1)
    } else
      void navigate(paths.sourceEvent(source, '', writeLiveFilters(now.filters)), {
        replace: true,
        preventScrollReset: true,
        state: { filtered: true } satisfies OwnState,
      })
  }, [navigate, source])

  return { openId, open, close }
}
