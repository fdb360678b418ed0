/** Hours of the day in UTC: from the beginning of `from` to that of `to`, perhaps over midnight. */
export type LoadHours = { from: number; to: number }

const hourMs = 60 * 60_000

/** Whether loads run by schedule at a time. */
export const isLoadTime = (hours: LoadHours | undefined, time: number): boolean => {
  if (hours === undefined) return true
  const hour = new Date(time).getUTCHours()
  const { from, to } = hours
  return from < to ? hour >= from && hour < to : hour >= from || hour < to
}

/** Returns the first time from `time` on at which loads run by schedule. */
export const nextLoadTime = (hours: LoadHours | undefined, time: number): number => {
  if (isLoadTime(hours, time)) return time
  let next = Math.ceil(time / hourMs) * hourMs
  while (!isLoadTime(hours, next)) next += hourMs
  return next
}
