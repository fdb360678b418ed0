import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'

/**
 * Texts that the address of the page holds by these names, '' for those it does not, and what changes some of them. The
 * names must be stable between renders; whatever else the address holds stays, also its hash.
 */
export const useAddress = <Name extends string>(
  names: readonly Name[],
): [Record<Name, string>, (some: Partial<Record<Name, string>>) => void] => {
  const location = useLocation()
  const navigate = useNavigate()
  // What changes them may be called after a rest, when the address has changed meanwhile.
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
      // The next change may come before this one is rendered.
      latest.current = { ...latest.current, search: next.toString() }
      // The hash names the tab: an address without it would lead to the first one.
      void navigate({ search: next.toString(), hash: latest.current.hash }, { replace: true, preventScrollReset: true })
    },
    [navigate],
  )
  return [values, change]
}
