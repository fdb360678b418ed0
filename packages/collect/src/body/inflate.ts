import type { Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { createWorkShare, type PoolHold, type WorkShare, type WorkShareSettings } from '@tributary/kernel'

/** Limits the growth of a body by decompression. Batches of events become 5 to 50 times larger. */
export type InflateTerms = {
  /** Size in bytes to which any body can grow. */
  freeBytes: number
  /** Maximum ratio of the decompressed to the compressed size, for bodies above `freeBytes`. */
  maxRatio: number
  /**
   * Begins work that produces at most `bytes`, now or at the owner's turn. Returns false and never begins the work if
   * too much work of the owner waits.
   */
  begin(owner: string, bytes: number, work: () => void): boolean
}

/** Limits for bodies with a known key. All these bodies are decompressed concurrently. */
export const knownInflating: InflateTerms = {
  freeBytes: 1024 * 1024,
  maxRatio: 200,
  begin(_owner, _bytes, work) {
    work()
    return true
  },
}

/** Number of decompressed bytes that take a millisecond of the thread. Most of this time is for garbage collection. */
const bytesPerMs = 128 * 1024
const strangersShare: Partial<WorkShareSettings> = { share: 0.1, together: 0.2, burstMs: 10, freeMs: 0, waiting: 256 }

/**
 * Creates limits for bodies without a known key. No customer pays for these bodies. The limits suffice for the bodies
 * that browsers and phones send. One network can decompress about 13 MB a second, all networks together twice as much.
 */
export const strangersInflating = (share: WorkShare = createWorkShare(strangersShare)): InflateTerms => ({
  freeBytes: 64 * 1024,
  maxRatio: 50,
  begin: (owner, bytes, work) =>
    share.later(owner, () => {
      share.charge(owner, bytes / bytesPerMs)
      work()
    }),
})

/** Bytes of one piece of output. Each piece takes a round of the event loop. */
const pieceBytes = 64 * 1024
/** Maximum window of zstd over HTTP as a power of 2: 8 MiB (RFC 9659). */
const zstdWindowLog = 23

const createInflater: Readonly<Record<string, (body: Buffer) => Transform>> = {
  gzip: () => createGunzip({ chunkSize: pieceBytes }),
  'x-gzip': () => createGunzip({ chunkSize: pieceBytes }),
  br: () => createBrotliDecompress({ chunkSize: pieceBytes }),
  zstd: () =>
    createZstdDecompress({ chunkSize: pieceBytes, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } }),
  // RFC 9110 8.4.1.2: "deflate" is the zlib format. Many senders omit the zlib header; the first bytes show whether the
  // header is there.
  deflate: (body) =>
    (body[0] ?? 0) % 16 === 8 ? createInflate({ chunkSize: pieceBytes }) : createInflateRaw({ chunkSize: pieceBytes }),
}

export type InflateFault = 'too-large' | 'overloaded' | 'unknown-encoding' | 'bad-compression'

/**
 * Decompresses a body of at most `limit` bytes and calls `done` once. Each piece of output is charged when it is
 * produced, and the work stops at the first piece that exceeds a limit. Afterwards, the result is charged instead of
 * the body. After a fault, the caller must call `release`.
 */
export const inflate = (
  encoding: string,
  body: Buffer,
  options: { limit: number; owner: string; held: Pick<PoolHold, 'add' | 'drop'>; terms: InflateTerms },
  done: (result: Buffer | InflateFault) => void,
): void => {
  const { limit, owner, held, terms } = options
  const create = Object.hasOwn(createInflater, encoding) ? createInflater[encoding] : undefined
  if (create === undefined) return done('unknown-encoding')
  const room = Math.min(limit, Math.max(terms.freeBytes, body.length * terms.maxRatio))
  const begun = terms.begin(owner, room, () => {
    const inflater = create(body)
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
  })
  if (!begun) done('overloaded')
}
