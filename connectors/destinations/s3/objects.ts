import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { OutgoingEvent } from '@tributary/connector-kit'
import type { S3Settings } from './settings.ts'

/** An object to be written, with the places of its events or rows in the batch: of lines, or of bytes that stay as they are. `type` is what it holds. */
export type BucketObject = { key: string; indexes: readonly number[]; type: string } & (
  | { lines: readonly string[] }
  | { bytes: Uint8Array }
)

const compress = promisify(gzip)

/** Receive time to the hour, `YYYY-MM-DDTHH`, of an event as the pipeline writes it. */
const hourOf = (event: OutgoingEvent): string => {
  const { receivedAt } = JSON.parse(event.json) as { receivedAt: string }
  return new Date(receivedAt).toISOString().slice(0, 13)
}

/** How names of objects end that are compressed, if they are. */
export const suffix = (settings: S3Settings): string => (settings.format === 'json' ? '' : '.gz')

/** The prefix without slashes at its ends, with one behind it; '' when there is none. */
export const folderOf = (settings: S3Settings): string => {
  const prefix = settings.prefix
    .split('/')
    .filter((part) => part !== '')
    .join('/')
  return prefix === '' ? '' : `${prefix}/`
}

/**
 * The objects of a batch: one for each hour of receipt, in folders that query engines know as partitions. A key is made of
 * the events in it and nothing else, so the same batch sent again is written over itself.
 */
export const objectsOf = (batch: readonly OutgoingEvent[], settings: S3Settings): BucketObject[] => {
  const hours = Map.groupBy(batch.keys(), (index) => {
    const event = batch[index]
    return event === undefined ? '' : hourOf(event)
  })
  return [...hours].map(([hour, indexes]) => {
    const events = indexes.flatMap((index) => batch[index] ?? [])
    const hash = createHash('sha256')
    for (const { eventId } of events) hash.update(eventId).update('\n')
    const [day, hourOfDay] = hour.split('T')
    const name = `${events[0]?.eventId}-${hash.digest('hex').slice(0, 16)}.json${suffix(settings)}`
    return {
      key: `${folderOf(settings)}dt=${day}/hr=${hourOfDay}/${name}`,
      indexes,
      type: 'application/x-ndjson',
      lines: events.map(({ json, payload }) => (payload === undefined ? json : JSON.stringify(payload))),
    }
  })
}

/** What stands in an object: bytes as they are, and lines, compressed when that is chosen. */
export const bodyOf = async (
  object: BucketObject,
  settings: S3Settings,
): Promise<{ body: Uint8Array; type: string }> => {
  const { type } = object
  if ('bytes' in object) return { body: object.bytes, type }
  const text = `${object.lines.join('\n')}\n`
  if (settings.format === 'json') return { body: Buffer.from(text), type }
  return { body: await compress(text), type: 'application/gzip' }
}
