import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { createGunzip } from 'node:zlib'
import { type DataSourceContext, DeliveryError, type GuardedStream, networkError } from '@tributary/connector-kit'

/** Maximum bytes that the server may send before they are read, including framing. */
const unreadBytes = 8 * 1024 * 1024

export type ExchangeRequest = {
  method: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  body?: string
  signal: AbortSignal
}

/** A response whose body has not been read. The caller must call `end`. */
export type ExchangeAnswer = {
  status: number
  headers: IncomingHttpHeaders
  /** The body, unzipped. Each chunk that is read lets the server send more. */
  chunks: AsyncIterable<Buffer>
  /** Ends the response; closes the connection unless the body was read to its end. */
  end(): void
}

/** Sends requests to one origin through the guarded connection. Redirects are not followed. */
export type Exchange = {
  /** Sends a request. Rejects with a DeliveryError that names the failure of the network. */
  ask(request: ExchangeRequest): Promise<ExchangeAnswer>
  close(): void
}

/** Returns an error of the network as a DeliveryError; the guard's reason for closing a connection comes first. */
const failureOf = (error: unknown, guard: GuardedStream | undefined): unknown => {
  const cause = guard?.errored ?? error
  return cause instanceof DeliveryError ? cause : networkError(cause)
}

/** Adds what an agent calls on connections that it keeps, and what only sockets have. */
const withSocketOptions = (stream: GuardedStream): Duplex =>
  Object.assign(stream, {
    setKeepAlive: () => stream,
    setTimeout: () => stream,
    ref: () => stream,
    unref: () => stream,
  })

const unzipped = (response: IncomingMessage): AsyncIterable<Buffer> => {
  if (response.headers['content-encoding'] !== 'gzip') return response
  const gunzip = createGunzip()
  // The error of the response arrives at the reader of the unzipped text.
  pipeline(response, gunzip, () => {})
  return gunzip
}

/**
 * Creates an exchange with an origin (https, or http in tests). Connections are kept for further requests until
 * `close`.
 */
export const createExchange = (origin: string, { connect }: Pick<DataSourceContext, 'connect'>): Exchange => {
  const url = new URL(origin)
  const isSecure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port)
  const guards = new WeakMap<object, GuardedStream>()

  const open = async (): Promise<Duplex> => {
    const stream = await connect({ host, port, answerBytes: unreadBytes })
    const name = isIP(host) === 0 ? { servername: host } : {}
    const socket = isSecure
      ? connectTls({ socket: stream, host, ALPNProtocols: ['http/1.1'], ...name })
      : withSocketOptions(stream)
    guards.set(socket, stream)
    // A failure between two requests must not end the process.
    socket.on('error', () => stream.destroy())
    return socket
  }
  const agent = Object.assign(new Agent({ keepAlive: true, maxFreeSockets: 2 }), {
    createConnection: (_: object, opened: (error: Error | null, socket?: Duplex) => void): undefined => {
      open().then(
        (socket) => opened(null, socket),
        (error: unknown) => opened(error instanceof Error ? error : new Error(String(error))),
      )
      return undefined
    },
  })

  return {
    ask: ({ method, path, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        let guard: GuardedStream | undefined
        const sent = requestHttp(
          {
            agent,
            host,
            port,
            method,
            path,
            signal,
            headers: {
              ...headers,
              host: url.host,
              ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
            },
          },
          (response) => {
            const iterate = async function* (): AsyncGenerator<Buffer, void, void> {
              try {
                for await (const chunk of unzipped(response)) {
                  guard?.renew()
                  yield chunk
                }
              } catch (error) {
                throw failureOf(error, guard)
              }
            }
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              chunks: iterate(),
              end: () => {
                if (!response.readableEnded) response.destroy()
              },
            })
          },
        )
        sent.once('socket', (socket) => {
          guard = guards.get(socket)
          guard?.renew()
        })
        sent.on('error', (error) => reject(failureOf(error, guard)))
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}

/** Returns the body of a response as text; undefined if it has more than `maxBytes`. Ends the response. */
export const textOf = async (answer: ExchangeAnswer, maxBytes: number): Promise<string | undefined> => {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of answer.chunks) {
      bytes += chunk.length
      if (bytes > maxBytes) return undefined
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } finally {
    answer.end()
  }
}
