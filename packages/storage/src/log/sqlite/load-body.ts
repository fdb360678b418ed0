import { createHash } from 'node:crypto'

/** The body that belongs to an id: always the same bytes, up to `maxBytes` of them. */
export const bodyOf = (id: string, maxBytes: number): Buffer => {
  const digest = createHash('sha256').update(id).digest()
  return Buffer.alloc(digest.readUInt32LE(0) % (maxBytes + 1), digest)
}

/** The 16 bytes that stand for the message id of the event at an offset. */
export const idOf = (offset: number): Uint8Array => createHash('sha256').update(`id ${offset}`).digest().subarray(0, 16)
