import type { IncomingMessage, ServerResponse } from 'node:http'
import { createReadAway } from './read-away.ts'
import { announcedBytes } from './receive-body.ts'

/** Maximum announced bytes of a body that is discarded while its connection stays open. */
const smallBytes = 64 * 1024
/**
 * Limits in bytes and ms for discarding longer bodies, so that a client that reads only after sending gets its
 * response.
 */
const lingerBytes = 8 * 1024 * 1024
const lingerMs = 10_000

/** The reader that all bodies of this process share. */
const unwanted = createReadAway()

/** Whether the client may still be sending the body, and the body is too long to be discarded before a response. */
export const isLongUnread = (req: IncomingMessage): boolean =>
  !req.complete && !req.readableEnded && announcedBytes(req) > smallBytes

/**
 * Responds to a request whose body is not needed, while its client may still be sending it. The complete response is
 * sent immediately and announces that the connection closes. Then up to 8 MiB are discarded for at most 10 s, at a pace
 * that all such bodies share. Closing a connection with unread bytes would destroy a response that the client has not
 * read yet (RFC 9112 9.6).
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
 * Discards the unread part of a body: a short body immediately, a long body at the pace that all such bodies share.
 * Closes the connection if the body does not end within 8 MiB.
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
