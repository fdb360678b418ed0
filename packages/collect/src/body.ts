import type { IncomingMessage } from 'node:http'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'

/** Bytes that all requests together may hold. */
export type Budget = { take(bytes: number): boolean; give(bytes: number): void; used(): number }

/** A budget of `limit` bytes; `take` answers false, and takes nothing, when it would be exceeded. */
export const createBudget = (limit: number): Budget => {
  let used = 0
  return {
    take(bytes) {
      if (used + bytes > limit) return false
      used += bytes
      return true
    },
    give(bytes) {
      used -= bytes
    },
    used: () => used,
  }
}

export type BodyFault = 'too-large' | 'overloaded' | 'unknown-encoding' | 'bad-compression' | 'aborted'

/** A refused upload is read and thrown away up to this size, so that the client sees the answer; then it is cut. */
const discardBytes = 16 * 1024 * 1024

/** Reads what is left of a request and forgets it; cuts the connection when it does not end. */
export const discard = (req: IncomingMessage, limit = discardBytes): void => {
  let seen = 0
  req.on('data', (chunk: Buffer) => {
    seen += chunk.length
    if (seen > limit) req.destroy()
  })
}

type Decompressed = (error: Error | null, result: Buffer) => void

const decompress = (encoding: string, body: Buffer, limit: number, done: Decompressed): boolean => {
  const options = { maxOutputLength: limit }
  if (encoding === 'gzip' || encoding === 'x-gzip') gunzip(body, options, done)
  else if (encoding === 'br') brotliDecompress(body, options, done)
  else if (encoding === 'zstd') zstdDecompress(body, options, done)
  // RFC 9110 8.4.1.2: "deflate" is the zlib format; many senders leave its header out, which its first bits tell.
  else if (encoding === 'deflate') ((body[0] ?? 0) % 16 === 8 ? inflate : inflateRaw)(body, options, done)
  else return false
  return true
}

const withoutMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body

const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b

const wasTooLarge = (error: Error): boolean => 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'

/**
 * Reads a request's body, decompressed, at most `limit` bytes before and after; calls `done` exactly once with the
 * body (without a byte order mark) or what is wrong. Bytes held count against the budget until `release` is called,
 * which the receiver does once it is done with the body. A gzip body is recognised even when its header is missing,
 * since no JSON text begins with its two magic bytes.
 */
export const readBody = (
  req: IncomingMessage,
  limit: number,
  budget: Budget,
  done: (body: Buffer | BodyFault, release: () => void) => void,
): void => {
  let chunks: Buffer[] | undefined
  let first: Buffer | undefined
  let held = 0
  let ended = false
  const release = (): void => {
    budget.give(held)
    held = 0
  }
  const fail = (what: BodyFault): void => {
    if (ended) return
    ended = true
    chunks = undefined
    first = undefined
    release()
    done(what, release)
  }
  const finish = (body: Buffer): void => {
    ended = true
    done(withoutMark(body), release)
  }
  const expand = (encoding: string, body: Buffer): void => {
    const known = decompress(encoding, body, limit, (error, result) => {
      if (error !== null) return fail(wasTooLarge(error) ? 'too-large' : 'bad-compression')
      if (!budget.take(result.length)) return fail('overloaded')
      budget.give(held)
      held = result.length
      finish(result)
    })
    if (!known) fail('unknown-encoding')
  }
  const announced = Number(req.headers['content-length'] ?? 0)
  if (announced > limit) {
    discard(req)
    return fail('too-large')
  }
  req.on('data', (chunk: Buffer) => {
    if (ended) return
    if (held + chunk.length > limit) {
      discard(req)
      return fail('too-large')
    }
    if (!budget.take(chunk.length)) {
      discard(req)
      return fail('overloaded')
    }
    held += chunk.length
    if (first === undefined) first = chunk
    else if (chunks === undefined) chunks = [first, chunk]
    else chunks.push(chunk)
  })
  req.on('end', () => {
    if (ended) return
    const body = chunks === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(chunks, held)
    const encoding = req.headers['content-encoding']
    if (encoding !== undefined && encoding !== '' && encoding !== 'identity')
      expand(encoding.trim().toLowerCase(), body)
    else if (isGzip(body)) expand('gzip', body)
    else finish(body)
  })
  req.on('close', () => {
    if (!req.complete) fail('aborted')
  })
}
