import { useSyncExternalStore } from 'react'
import { relativeTime, utcTime } from '../lib/format/time.ts'

let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, 5000)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** The present time, epoch ms, at most a few seconds old: components that use it render again as it changes. */
export const useCurrentTime = (): number => useSyncExternalStore(subscribe, () => now)

/**
 * A moment as "2 min ago", kept current, with the exact UTC time on hover. A past moment that is still ahead on this
 * clock is "now". With `upcoming` the moment can be ahead: "in 2 min". `past` is the text once it has come.
 */
export const RelativeTime = ({
  time,
  className,
  upcoming = false,
  past,
}: {
  time: string
  className?: string
  upcoming?: boolean
  past?: string
}) => {
  const current = useCurrentTime()
  return (
    <time dateTime={time} title={utcTime(time)} className={className}>
      {past !== undefined && Date.parse(time) <= current
        ? past
        : relativeTime(time, upcoming ? current : Math.max(current, Date.parse(time)))}
    </time>
  )
}
