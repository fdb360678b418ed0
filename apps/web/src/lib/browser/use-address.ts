import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'

/**
 * Returns the parameters `names` of the page's URL ('' for absent ones), and a function that changes some of them.
 * `names` must be stable between renders. The rest of the URL stays, including its hash.
 */
export const useAddress = <Name extends string>(
  names: readonly Name[],
): [Record<Name, string>, (some: Partial<Record<Name, string>>) => void] => {
  const location = useLocation()
  const navigate = useNavigate()
  // The function may be called after a pause: by then, the URL may have changed.
  const latest = useRef(location)
  // Updated only when the location changes: a render before that would restore the URL from before a change.
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
      // The next change may come before this one is rendered.
      latest.current = { ...latest.current, search: next.toString() }
      // The hash names the tab. Without it, the first tab would open.
      void navigate({ search: next.toString(), hash: latest.current.hash }, { replace: true, preventScrollReset: true })
    },
    [navigate],
  )
  return [values, change]
}
