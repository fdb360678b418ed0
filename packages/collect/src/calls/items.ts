import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { WriteKeyEntry } from '../ports.ts'

/** Number of bytes at each end of a body by which it is compared with other bodies. */
const comparedBytes = 64 * 1024

/**
 * Returns the name under which a request is set aside if it blocks the thread. Equal bodies of the same source have the
 * same name.
 */
export const bodyItem = (sourceId: string | undefined, body: Buffer): string =>
  `collect ${sourceId ?? ''} ${body.length} ${crc32(body.subarray(0, comparedBytes))} ${crc32(body.subarray(-comparedBytes))}`

const known = new WeakMap<WriteKeyEntry, string>()

/**
 * Returns the name under which a source's webhook template is set aside. The name changes with the source's settings,
 * so that a changed template is used again.
 */
export const templateItem = (entry: WriteKeyEntry): string => {
  const item =
    known.get(entry) ?? `template ${entry.sourceId} ${hash('sha1', JSON.stringify(entry.settings ?? {}), 'hex')}`
  known.set(entry, item)
  return item
}
