import { createHash } from 'node:crypto'

/** The kind of request to sign in with a digest, and its only algorithm, SHA-256. */
const digestRequest = 13
const sha256 = 0

const hashOf = (...parts: readonly Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()

/** Returns the part at an offset that follows its length of four bytes; undefined if the content is shorter. */
const partAt = (content: Buffer, offset: number): Buffer | undefined => {
  if (content.length < offset + 4) return undefined
  const end = offset + 4 + content.readUInt32BE(offset)
  return end > content.length ? undefined : content.subarray(offset + 4, end)
}

const lengthOf = (part: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(part.length)
  return length
}

/**
 * Creates the answer to Redshift's own request to sign in, which it sends for passwords stored as SHA-256. Such a
 * password never goes over the wire. Source: `AUTH_REQ_DIGEST` of AWS's own driver,
 * https://github.com/aws/amazon-redshift-jdbc-driver/blob/master/src/main/java/com/amazon/redshift/core/v3/ConnectionFactoryImpl.java
 */
export const digestReply =
  (password: string, now: () => number = Date.now) =>
  (content: Buffer): Buffer | undefined => {
    if (content.length < 8 || content.readUInt32BE(0) !== digestRequest || content.readUInt32BE(4) !== sha256)
      return undefined
    const salt = partAt(content, 8)
    if (salt === undefined) return undefined
    const serverNonce = partAt(content, 12 + salt.length)
    if (serverNonce === undefined) return undefined
    const clientNonce = Buffer.from(String(now()))
    const digest = hashOf(hashOf(Buffer.from(password), salt), serverNonce, clientNonce)
    const body = Buffer.concat([lengthOf(digest), digest, lengthOf(clientNonce), clientNonce])
    // The length of a message counts itself.
    return Buffer.concat([Buffer.from('d'), lengthOf(Buffer.concat([Buffer.alloc(4), body])), body])
  }
