import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { OutgoingEvent } from '@tributary/connector-kit'
import type { StorageSettings } from './settings.ts'

/**
 * A file or object to write, with the indexes of its events or rows in the batch. Its content is lines, or bytes that stay
 * unchanged. `type` is its media type.
 */
export type StoredFile = { key: string; indexes: readonly number[]; type: string } & (
  | { lines: readonly string[] }
  | { bytes: Uint8Array }
)

const compress = promisify(gzip)

/** Returns the hour of receipt of an event in the pipeline's format, `YYYY-MM-DDTHH`. */
const hourOf = (event: OutgoingEvent): string => {
  const { receivedAt } = JSON.parse(event.json) as { receivedAt: string }
  return new Date(receivedAt).toISOString().slice(0, 13)
}

/** Returns the suffix of compressed files; '' if they are not compressed. */
export const suffix = (settings: StorageSettings): string => (settings.format === 'json' ? '' : '.gz')

/** Returns the prefix without slashes at its ends and with one slash after it; '' without a prefix. */
export const folderOf = (settings: StorageSettings): string => {
  const prefix = settings.prefix
    .split('/')
    .filter((part) => part !== '')
    .join('/')
  return prefix === '' ? '' : `${prefix}/`
}

/**
 * Returns the files of a batch: one file for each hour of receipt, in folders that query engines read as partitions. The
 * key of a file depends only on its events, so sending the same batch again overwrites the file.
 */
export const filesOf = (batch: readonly OutgoingEvent[], settings: StorageSettings): StoredFile[] => {
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

/** Returns the body of a file: bytes unchanged, or lines, compressed if chosen. */
export const bodyOf = async (
  file: StoredFile,
  settings: StorageSettings,
): Promise<{ body: Uint8Array; type: string }> => {
  const { type } = file
  if ('bytes' in file) return { body: file.bytes, type }
  const text = `${file.lines.join('\n')}\n`
  if (settings.format === 'json') return { body: Buffer.from(text), type }
  return { body: await compress(text), type: 'application/gzip' }
}
