import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { WriteKeyEntry } from '../ports.ts'

/** Bytes of a body that distinguish it from others. */
const comparedBytes = 64 * 1024

/**
 * The name of a request to collection, by which it is held if it blocks the thread: the same body of the same source
 * has the same name.
 */
export const bodyItem = (sourceId: string | undefined, body: Buffer): string =>
  `collect ${sourceId ?? ''} ${body.length} ${crc32(body.subarray(0, comparedBytes))} ${crc32(body.subarray(-comparedBytes))}`

const known = new WeakMap<WriteKeyEntry, string>()

/** The name of a source's webhook template: it changes with the source's settings, so that it is not held any more. */
export const templateItem = (entry: WriteKeyEntry): string => {
  const item =
    known.get(entry) ?? `template ${entry.sourceId} ${hash('sha1', JSON.stringify(entry.settings ?? {}), 'hex')}`
  known.set(entry, item)
  return item
}
