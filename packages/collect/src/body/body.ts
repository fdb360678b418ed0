import type { IncomingMessage } from 'node:http'
import { type BodyTerms, type BodyFault as ReceiveFault, receiveBody } from '@tributary/http'
import { type CharsetFault, charsetOf, type Holders, utf8Of } from '@tributary/kernel'
import { type InflateFault, type InflateTerms, inflate } from './inflate.ts'

export type BodyFault = ReceiveFault | InflateFault | CharsetFault

/** The limits for reading and decompressing a body. */
export type ReadTerms = BodyTerms & { inflating: InflateTerms }

/**
 * The owner whose turns are used for decompressing a body, and the holders to which the bytes of the body are charged.
 */
export type BodySender = { owner: string; holders: Holders }

const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b

/**
 * Returns the compression that a header names; undefined if it names none. Some senders write `none`, or list
 * `identity` together with another compression.
 */
const compressionOf = (header: string | undefined): string | undefined =>
  header
    ?.toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== 'identity' && part !== 'none')
    .join(', ') || undefined

/**
 * Reads a request's body, decompresses it, and converts it from the charset of its Content-Type to UTF-8 without a byte
 * order mark. Calls `done` exactly once: with the converted body and the bytes before conversion, or with a fault. The
 * body has at most `terms.limit` bytes, before and after decompression. The bytes in memory count against the shares of
 * the sender until `release` is called. A gzip body is recognized even without its header, because no JSON text begins
 * with its two magic bytes. If the bytes cannot be decoded, `done` still gets them, so that the caller can find the key
 * in them.
 */
export const readBody = (
  req: IncomingMessage,
  terms: ReadTerms,
  { owner, holders }: BodySender,
  done: (body: Buffer | BodyFault, release: () => void, sent?: Buffer) => void,
): void =>
  receiveBody(req, terms, holders, (body, held) => {
    const release = (): void => held.release()
    if (typeof body === 'string') return done(body, release)
    const decode = (sent: Buffer): void => {
      const text = utf8Of(sent, charsetOf(req.headers['content-type']))
      if (typeof text === 'string') return done(text, release, sent)
      const more = text.length - sent.length
      const fault = text.length > terms.limit ? 'too-large' : more > 0 && !held.add(more) ? 'overloaded' : undefined
      if (fault === undefined) return done(text, release, sent)
      release()
      done(fault, release)
    }
    const compression = compressionOf(req.headers['content-encoding'])
    if (compression === undefined && !isGzip(body)) return decode(body)
    const options = { limit: terms.limit, owner, held, terms: terms.inflating }
    inflate(compression ?? 'gzip', body, options, (result) => {
      if (typeof result !== 'string') return decode(result)
      release()
      done(result, release)
    })
  })
