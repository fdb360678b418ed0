import type { IncomingMessage } from 'node:http'
import { type BodyTerms, type BodyFault as ReceiveFault, receiveBody } from '@tributary/http'
import { type InflateFault, type InflateTerms, inflate } from './inflate.ts'

export type BodyFault = ReceiveFault | InflateFault

/** Under which terms a body is read and decompressed. */
export type ReadTerms = BodyTerms & { inflating: InflateTerms }

const withoutMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body

const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b

/**
 * Reads a request's body, decompressed, at most `terms.limit` bytes before and after; calls `done` exactly once with the
 * body (without a byte order mark) or what is wrong. Bytes held count against the budget until `release` is called,
 * which the receiver does once it is done with the body. A gzip body is recognised even when its header is missing,
 * since no JSON text begins with its two magic bytes.
 */
export const readBody = (
  req: IncomingMessage,
  terms: ReadTerms,
  owner: string,
  done: (body: Buffer | BodyFault, release: () => void) => void,
): void =>
  receiveBody(req, terms, owner, (body, held) => {
    const release = (): void => held.release()
    if (typeof body === 'string') return done(body, release)
    const named = req.headers['content-encoding']?.trim().toLowerCase()
    const isPlain = named === undefined || named === '' || named === 'identity'
    if (isPlain && !isGzip(body)) return done(withoutMark(body), release)
    inflate(isPlain ? 'gzip' : named, body, { limit: terms.limit, owner, held, terms: terms.inflating }, (result) => {
      if (typeof result === 'string') release()
      done(typeof result === 'string' ? result : withoutMark(result), release)
    })
  })
