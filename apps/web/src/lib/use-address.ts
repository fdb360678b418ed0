import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

/**
 * Texts that the address of the page holds by these names, '' for those it does not, and what changes some of them. The
 * names must be stable between renders; whatever else the address holds stays, also its hash.
 */
export const useAddress = <Name extends string>(
  names: readonly Name[],
): [Record<Name, string>, (some: Partial<Record<Name, string>>) => void] => {
  const [search, setSearch] = useSearchParams()
  const values = useMemo(
    () => Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Record<Name, string>,
    [names, search],
  )
  const change = useCallback(
    (some: Partial<Record<Name, string>>): void =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          for (const [name, value] of Object.entries<string | undefined>(some))
            if (value === undefined || value === '') next.delete(name)
            else next.set(name, value)
          return next
        },
        { replace: true, preventScrollReset: true },
      ),
    [setSearch],
  )
  return [values, change]
}
