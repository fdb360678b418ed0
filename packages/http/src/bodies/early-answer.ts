import type { IncomingMessage, ServerResponse } from 'node:http'
import { createReadAway } from './read-away.ts'
import { announcedBytes } from './receive-body.ts'

/** A body that announces at most this much is discarded, and its connection kept. */
const smallBytes = 64 * 1024
/**
 * Maximum of bytes and ms that other bodies are discarded, so that a client that sends first and reads then gets its
 * answer.
 */
const lingerBytes = 8 * 1024 * 1024
const lingerMs = 10_000

/** All bodies of this process share one pace. */
const unwanted = createReadAway()

/**
 * True while a client may still be sending the body of a request, and it is too long to be discarded without an answer.
 */
export const isLongUnread = (req: IncomingMessage): boolean =>
  !req.complete && !req.readableEnded && announcedBytes(req) > smallBytes

/**
 * Answers a request whose body is not wanted, while its client may still be sending it. The answer is sent immediately
 * as a whole and says that the connection closes. Then up to 8 MiB are discarded for at most 10 s, at a pace that all
 * such bodies share. Closing a connection with unread bytes would take the answer away from a client that has not read
 * it yet (RFC 9112 9.6).
 */
export const answerEarly = (
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  headers: readonly string[],
  body: string | Buffer,
): void => {
  let seen = 0
  const close = (): void => {
    clearTimeout(timer)
    if (!res.writableEnded) res.end()
  }
  const timer = setTimeout(close, lingerMs)
  timer.unref()
  res.shouldKeepAlive = false
  res.writeHead(status, headers.slice())
  if (req.method !== 'HEAD') res.write(body)
  const isRead = unwanted.add(req, (bytes) => {
    seen += bytes
    if (seen > lingerBytes) close()
  })
  if (!isRead) return close()
  req.once('end', close)
  req.once('close', close)
}

/**
 * Discards the unread part of a body: a short one immediately, a long one at the pace that all such bodies share. Cuts
 * the connection when it does not end within 8 MiB.
 */
export const discardBody = (req: IncomingMessage): void => {
  if (announcedBytes(req) <= smallBytes) return void req.resume()
  let seen = 0
  const isRead = unwanted.add(req, (bytes) => {
    seen += bytes
    if (seen > lingerBytes) req.destroy()
  })
  if (!isRead) req.destroy()
}
