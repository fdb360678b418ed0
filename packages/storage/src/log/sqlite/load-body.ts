import { createHash } from 'node:crypto'

/** The body for an ID: always the same bytes, at most `maxBytes`. */
export const bodyOf = (id: string, maxBytes: number): Buffer => {
  const digest = createHash('sha256').update(id).digest()
  return Buffer.alloc(digest.readUInt32LE(0) % (maxBytes + 1), digest)
}

/** A 16-byte hash in place of the message ID of the event at an offset. */
export const idOf = (offset: number): Uint8Array => createHash('sha256').update(`id ${offset}`).digest().subarray(0, 16)
