import { useLocation, useSearchParams } from 'react-router'

/** The address that the page before has handed over, or that stands in this page's address; empty when there is none. */
export const useKnownEmail = (): string => {
  const state: unknown = useLocation().state
  const [query] = useSearchParams()
  if (typeof state === 'object' && state !== null && 'email' in state && typeof state.email === 'string')
    return state.email
  return query.get('email') ?? ''
}
