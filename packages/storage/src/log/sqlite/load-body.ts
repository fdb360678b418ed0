import { createHash } from 'node:crypto'

/** The body that belongs to an id: always the same bytes, up to `maxBytes` of them. */
export const bodyOf = (id: string, maxBytes: number): Buffer => {
  const digest = createHash('sha256').update(id).digest()
  return Buffer.alloc(digest.readUInt32LE(0) % (maxBytes + 1), digest)
}
