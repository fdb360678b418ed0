import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type DeliverContext, DeliveryError, type GuardedStream, RetryableError } from '@tributary/connector-kit'
import { failureOf } from './failures.ts'

/** Maximum bytes of an answer without rows, and of data that arrives before rows are read. */
export const answerBytes = 8 * 1024 * 1024
/** Maximum bytes of the framing of an answer: its head, TLS, and the sizes of chunks. */
const framingBytes = 1024 * 1024

/** The guarded connection, and the signal that aborts. */
export type Way = Pick<DeliverContext, 'connect' | 'signal'>

export type Request = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array
}

/** An answer whose body has not been read yet. */
export type Answer = {
  status: number
  headers: IncomingMessage['headers']
  body: IncomingMessage
  stream: GuardedStream
}

/** Maximum ms until the head of an answer. */
const headMs = 60_000

const answerTo = (request: Request, url: URL, stream: GuardedStream, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const isSecure = url.protocol === 'https:'
    const host = url.hostname
    const socket = isSecure
      ? connectTls({
          socket: stream,
          host,
          ALPNProtocols: ['http/1.1'],
          ...(isIP(host) === 0 ? { servername: host } : {}),
        })
      : stream
    const { method, body = '' } = request
    const headers = {
      ...request.headers,
      'accept-encoding': 'identity',
      'user-agent': 'Tributary',
      ...(method === 'GET' || method === 'DELETE' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    }
    const send = isSecure ? requestHttps : requestHttp
    send(url, { method, headers, signal, createConnection: () => socket }, resolve)
      .once('error', reject)
      .end(body)
  })

/**
 * Sends a request on a new guarded connection, passes the answer to `use`, and ends the connection. Redirects are not
 * followed. Throws the error of `use`, or that of the network as a DeliveryError.
 */
export async function* sendRequest<T, Value>(
  request: Request,
  { connect, signal }: Way,
  use: (answer: Answer) => AsyncGenerator<T, Value, void>,
): AsyncGenerator<T, Value, void> {
  const url = new URL(request.url)
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  const stream = await connect({ host: url.hostname, port, signal, answerBytes: answerBytes + framingBytes })
  try {
    const tooLate = setTimeout(
      () => stream.destroy(new RetryableError(`No response within ${headMs / 1000} seconds`)),
      headMs,
    )
    const body = await answerTo(request, url, stream, signal).finally(() => clearTimeout(tooLate))
    return yield* use({ status: body.statusCode ?? 0, headers: body.headers, body, stream })
  } catch (error) {
    // Prefers the guard's reason for ending the connection, because the parser's error does not have it.
    throw failureOf(stream.errored instanceof DeliveryError ? stream.errored : error)
  } finally {
    stream.destroy()
  }
}

/** Reads an answer as text, up to `most` bytes: the rest is left out. */
export const textOf = async ({ body }: Answer, most: number): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= most) break
  }
  return Buffer.concat(chunks).subarray(0, most).toString()
}
