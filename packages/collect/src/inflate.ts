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

/** How much larger than it came a body may become. Batches of events become 5 to 50 times larger. */
export type InflateTerms = {
  /** So large it may always become, in bytes; … */
  freeBytes: number
  /** … beyond that so many times larger than it came. */
  maxRatio: number
  /** Begins the work, now or when it is its turn; calls `finished` with what is to be called when it is done. */
  begin(work: (finished: () => void) => void): void
}

/** For bodies whose key is known: all at once. */
export const knownInflating: InflateTerms = { freeBytes: 1024 * 1024, maxRatio: 200, begin: (work) => work(() => {}) }

/**
 * For bodies of strangers, which nobody pays for: one after the other, and with room for what browsers and phones send.
 */
export const strangersInflating = (): InflateTerms => {
  const waiting: (() => void)[] = []
  let busy = false
  const begin: InflateTerms['begin'] = (work) => {
    if (busy) return void waiting.push(() => begin(work))
    busy = true
    work(() => {
      busy = false
      const next = waiting.shift()
      if (next !== undefined) setImmediate(next)
    })
  }
  return { freeBytes: 64 * 1024, maxRatio: 50, begin }
}

/** Bytes of a piece that comes out at once: each piece costs a round of the event loop. */
const pieceBytes = 64 * 1024
/** RFC 9659: a sender over HTTP may not ask for a window of more than 8 MiB. */
const zstdWindowLog = 23

const inflaterOf = (encoding: string, body: Buffer): Transform | undefined => {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ chunkSize: pieceBytes })
    case 'br':
      return createBrotliDecompress({ chunkSize: pieceBytes })
    case 'zstd':
      return createZstdDecompress({
        chunkSize: pieceBytes,
        params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog },
      })
    case 'deflate':
      // RFC 9110 8.4.1.2: "deflate" is the zlib format; many senders leave its header out, which its first bits tell.
      return (body[0] ?? 0) % 16 === 8
        ? createInflate({ chunkSize: pieceBytes })
        : createInflateRaw({ chunkSize: pieceBytes })
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
  { limit, held, terms }: { limit: number; held: Pick<Held, 'add' | 'drop'>; terms: InflateTerms },
  done: (result: Buffer | InflateFault) => void,
): void => {
  const inflater = inflaterOf(encoding, body)
  if (inflater === undefined) return done('unknown-encoding')
  const room = Math.min(limit, Math.max(terms.freeBytes, body.length * terms.maxRatio))
  terms.begin((finished) => {
    const chunks: Buffer[] = []
    let size = 0
    let ended = false
    const settle = (result: Buffer | InflateFault): void => {
      if (ended) return
      ended = true
      inflater.destroy()
      finished()
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
}
