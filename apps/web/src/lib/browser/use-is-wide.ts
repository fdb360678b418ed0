import { useEffect, useState } from 'react'

/** A media query. From this width on, two columns fit beside each other. */
const wide = '(min-width: 64rem)'

/** True if the window is now at least 64rem (1024 px) wide. */
export const isWide = (): boolean => window.matchMedia(wide).matches

/** Returns the same as `isWide`, and renders again when it changes. */
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
