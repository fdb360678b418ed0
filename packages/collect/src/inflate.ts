import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import type { Held } from '@tributary/http'

/** A body may always become so large, in bytes; … */
const freeBytes = 1024 * 1024
/** … beyond that so many times larger than it came. Batches of events become 5 to 50 times larger. */
const maxRatio = 200
/** RFC 9659: a sender over HTTP may not ask for a window of more than 8 MiB. */
const zstdWindowLog = 23

const inflaterOf = (encoding: string, body: Buffer): Transform | undefined => {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } })
    case 'deflate':
      // RFC 9110 8.4.1.2: "deflate" is the zlib format; many senders leave its header out, which its first bits tell.
      return (body[0] ?? 0) % 16 === 8 ? createInflate() : createInflateRaw()
    default:
      return undefined
  }
}

export type InflateFault = 'too-large' | 'overloaded' | 'unknown-encoding' | 'bad-compression'

/**
 * Decompresses a body of at most `limit` bytes and calls `done` once. What comes out counts against the budget piece by
 * piece, as it comes, and the work ends with the first piece that is too much. Afterwards the result is what is held, in
 * place of the body; after a fault the caller releases.
 */
export const inflate = (
  encoding: string,
  body: Buffer,
  { limit, held }: { limit: number; held: Pick<Held, 'add' | 'drop'> },
  done: (result: Buffer | InflateFault) => void,
): void => {
  const inflater = inflaterOf(encoding, body)
  if (inflater === undefined) return done('unknown-encoding')
  const room = Math.min(limit, Math.max(freeBytes, body.length * maxRatio))
  const chunks: Buffer[] = []
  let size = 0
  let ended = false
  const settle = (result: Buffer | InflateFault): void => {
    if (ended) return
    ended = true
    inflater.destroy()
    done(result)
  }
  inflater.on('data', (chunk: Buffer) => {
    if (ended) return
    size += chunk.length
    if (size > room) return settle('too-large')
    if (!held.add(chunk.length)) return settle('overloaded')
    chunks.push(chunk)
  })
  inflater.on('end', () => {
    held.drop(body.length)
    settle(Buffer.concat(chunks, size))
  })
  inflater.on('error', () => settle('bad-compression'))
  inflater.end(body)
}
