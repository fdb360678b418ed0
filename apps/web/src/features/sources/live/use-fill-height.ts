import { useLayoutEffect, useState } from 'react'

/** The minimum height of the area, and the space below it, px. */
const least = 320
const below = 32

/**
 * The height in px of an element that reaches from its position to the bottom of the window, at least 320; undefined
 * while `enabled` is false. Updated with the window size and the position.
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
