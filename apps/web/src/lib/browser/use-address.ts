import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'

/**
 * Texts in the page's URL by these names, '' for absent ones, and a function that changes some of them. The names must
 * be stable between renders; the rest of the URL stays, including its hash.
 */
export const useAddress = <Name extends string>(
  names: readonly Name[],
): [Record<Name, string>, (some: Partial<Record<Name, string>>) => void] => {
  const location = useLocation()
  const navigate = useNavigate()
  // The function can be called after a pause, when the URL has changed in the meantime.
  const latest = useRef(location)
  // Not at each render: one that comes before a change is shown still has the address of before.
  useEffect(() => {
    latest.current = location
  }, [location])
  const values = useMemo(() => {
    const search = new URLSearchParams(location.search)
    return Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Record<Name, string>
  }, [names, location.search])
  const change = useCallback(
    (some: Partial<Record<Name, string>>): void => {
      const next = new URLSearchParams(latest.current.search)
      for (const [name, value] of Object.entries<string | undefined>(some))
        if (value === undefined || value === '') next.delete(name)
        else next.set(name, value)
      // The next change can come before this one is rendered.
      latest.current = { ...latest.current, search: next.toString() }
      // The hash names the tab: an address without it would lead to the first one.
      void navigate({ search: next.toString(), hash: latest.current.hash }, { replace: true, preventScrollReset: true })
    },
    [navigate],
  )
  return [values, change]
}
