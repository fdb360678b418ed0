import { localTime, utcTime } from '../../lib/format/time.ts'

/** A moment in the reader's time, exactly and in UTC on hover. */
export const Moment = ({ time, className }: { time: string; className?: string }) => (
  <time dateTime={time} title={utcTime(time)} className={className}>
    {localTime(time)}
  </time>
)
