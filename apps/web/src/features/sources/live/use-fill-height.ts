import { useLayoutEffect, useState } from 'react'

/** The minimum height of the area, in px. */
const least = 320
const below = 32

/**
 * Returns the height in px of an element that reaches from its position to the bottom of the window, at least 320.
 * Undefined if `enabled` is false. Follows the size of the window and the position of the element.
 */
export const useFillHeight = (element: HTMLElement | null, enabled: boolean): number | undefined => {
  const [height, setHeight] = useState(least)
  useLayoutEffect(() => {
    if (!enabled) return
    const measure = (): void => {
      const top = (element?.getBoundingClientRect().top ?? 0) + window.scrollY
      setHeight(Math.max(least, Math.floor(window.innerHeight - top - below)))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    window.addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', measure)
    }
  }, [element, enabled])
  return enabled ? height : undefined
}
