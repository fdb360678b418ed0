import { useEffect, useState } from 'react'

/** From this width on there is room for two things beside each other. */
const wide = '(min-width: 64rem)'

/** True if the window is now at least 64rem (1024 px) wide. */
export const isWide = (): boolean => window.matchMedia(wide).matches

/** The same, and rendered again when it changes. */
export const useIsWide = (): boolean => {
  const [matches, setMatches] = useState(isWide)
  useEffect(() => {
    const query = window.matchMedia(wide)
    const onChange = (): void => setMatches(query.matches)
    onChange()
    query.addEventListener('change', onChange)
    return () => query.removeEventListener('change', onChange)
  }, [])
  return matches
}
