import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { WriteKeyEntry } from '../ports.ts'

/** Bytes at both ends of a body that distinguish it from others. */
const comparedBytes = 64 * 1024

/**
 * The name by which a request to collection is held if it blocks the thread: equal bodies of the same source have the
 * same name.
 */
export const bodyItem = (sourceId: string | undefined, body: Buffer): string =>
  `collect ${sourceId ?? ''} ${body.length} ${crc32(body.subarray(0, comparedBytes))} ${crc32(body.subarray(-comparedBytes))}`

const known = new WeakMap<WriteKeyEntry, string>()

/**
 * The name of a source's webhook template. It changes with the source's settings, so that a changed template is no
 * longer held.
 */
export const templateItem = (entry: WriteKeyEntry): string => {
  const item =
    known.get(entry) ?? `template ${entry.sourceId} ${hash('sha1', JSON.stringify(entry.settings ?? {}), 'hex')}`
  known.set(entry, item)
  return item
}
