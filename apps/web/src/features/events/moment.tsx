import { localTime, utcTime } from '../../lib/format/time.ts'

/** A time in the user's time zone, with the exact UTC time on hover. */
export const Moment = ({ time, className }: { time: string; className?: string }) => (
  <time dateTime={time} title={utcTime(time)} className={className}>
    {localTime(time)}
  </time>
)
