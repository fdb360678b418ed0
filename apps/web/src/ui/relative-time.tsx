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

/**
 * Returns the current time (epoch ms), at most a few seconds old. Components that use it render again when it changes.
 */
export const useCurrentTime = (): number => useSyncExternalStore(subscribe, () => now)

/**
 * A time as "2 min ago", always up to date, with the exact UTC time on hover. If the local clock is behind, a past time
 * can appear to be in the future; it is then shown as "now". With `upcoming`, the time can be in the future: "in 2
 * min". `past` is the text after the time has come.
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
