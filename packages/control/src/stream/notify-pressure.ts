import type { ControlDeps } from '../deps.ts'
import { notifyPlatform } from '../notifications/notify-platform.ts'

/** The state of a stream that is full or nearly full, with the consumer that is furthest behind. */
export type StreamPressure = {
  bytes: number
  maxBytes: number
  consumer: string
  /** Number of records that the consumer has not read. */
  records: number
  /** Whether the consumer lost its position: unread records were removed from the stream. */
  lost: boolean
}

const gigabytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GB`

const wordsOf = ({ bytes, maxBytes, consumer, records, lost }: StreamPressure): { title: string; body: string } =>
  lost
    ? {
        title: `The ${consumer} consumer fell too far behind`,
        body:
          `The event stream reached its limit of ${gigabytes(maxBytes)} (TRIBUTARY_STREAM_MAX_MB) before ${consumer} had read it. ` +
          'It catches up from stored events, and its results are late until then.',
      }
    : {
        title: 'The event stream is nearly full',
        body:
          `It takes ${gigabytes(bytes)} of ${gigabytes(maxBytes)} (TRIBUTARY_STREAM_MAX_MB), and ${consumer} is ` +
          `${records.toLocaleString('en')} records behind. Check what slows it down, or raise the limit.`,
      }

/**
 * Notifies platform admins that the stream is near its limit or that a consumer lost its position in it, each at most
 * once a day.
 */
export const notifyStreamPressure = (
  deps: Pick<ControlDeps, 'db' | 'clock' | 'live'>,
  pressure: StreamPressure,
): Promise<void> =>
  notifyPlatform(deps, {
    kind: 'stream_full',
    ...wordsOf(pressure),
    cause: `stream/${pressure.consumer}/${pressure.lost ? 'lost' : 'near'}`,
  })
