import { createWriteStream } from 'node:fs'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { connect as connectTls } from 'node:tls'
import { createGunzip } from 'node:zlib'
import {
  ConfigurationError,
  DataQueryError,
  type DataSourceContext,
  DeliveryError,
  networkError,
  RetryableError,
  type Scratch,
} from '@tributary/connector-kit'

/** Returns the maximum bytes of a response including its framing: its head, TLS, and the sizes of chunks. */
const framing = (bytes: number): number => Math.ceil(bytes * 1.1) + 1024 * 1024

/** Creates the error for a file that is too large, which is an error of the file and not of the connection. */
const tooLarge = (maxBytes: number): Error =>
  new DataQueryError(`The file has more than ${(maxBytes / 1024 / 1024).toLocaleString('en-US')} MB`)

/** The target of a request; with a body it is a POST. */
export type Address = { url: string; headers: Readonly<Record<string, string>>; body?: string }

const responseTo = ({ url, headers, body }: Address, socket: Duplex, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? requestHttps : requestHttp
    const method = body === undefined ? 'GET' : 'POST'
    request(url, { method, headers, signal, createConnection: () => socket }, resolve)
      .once('error', reject)
      .end(body)
  })

/** Returns why a response is not a file; undefined if it is. */
const refusalOf = ({ statusCode = 0, headers }: IncomingMessage): Error | undefined => {
  if (statusCode >= 500 || statusCode === 429)
    return new RetryableError(`The server responded with status ${statusCode}`)
  if (statusCode >= 300 && statusCode < 400)
    return new ConfigurationError(`The server redirects (status ${statusCode}). Enter the URL that it redirects to`)
  if (statusCode !== 200) return new ConfigurationError(`The server responded with status ${statusCode}`)
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return new ConfigurationError('The server sends the file compressed, though it was asked not to')
  return undefined
}

/** The guarded connection, and the signal that aborts. */
export type WayOut = Pick<DataSourceContext, 'connect' | 'signal'>

/**
 * Sends a request through the guarded connection, with a limit of bytes for the response, and passes the response to
 * `use`; the connection ends afterwards. Redirects are not followed. Rejects with a DeliveryError, with a
 * DataQueryError of `use`, or with the error of the network.
 */
export const withResponse = async <T>(
  from: Address,
  maxBytes: number,
  { connect, signal }: WayOut,
  use: (response: IncomingMessage) => Promise<T>,
): Promise<T> => {
  const url = new URL(from.url)
  const isSecure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port)
  const stream = await connect({ host, port, signal, answerBytes: framing(maxBytes) })
  try {
    const socket = isSecure
      ? connectTls({
          socket: stream,
          host,
          ALPNProtocols: ['http/1.1'],
          ...(isIP(host) === 0 ? { servername: host } : {}),
        })
      : stream
    return await use(
      await responseTo({ ...from, headers: { ...from.headers, 'accept-encoding': 'identity' } }, socket, signal),
    )
  } catch (error) {
    throw error instanceof DeliveryError || error instanceof DataQueryError ? error : networkError(error)
  } finally {
    stream.destroy()
  }
}

/** Returns the text of a response up to a maximum of bytes; undefined for a longer response. */
export const textOfResponse = async (response: IncomingMessage, maxBytes: number): Promise<string | undefined> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns whether a file with this name is compressed, and its name without compression. */
export const unzippedName = (name: string): { isZipped: boolean; name: string } => {
  const isZipped = /\.gz$/i.test(name)
  return { isZipped, name: isZipped ? name.slice(0, -3) : name }
}

/** Creates a filter that passes bytes on while the disk has space for them, and counts them. */
export const roomOf = ({ maxBytes, hasRoom }: Scratch) => {
  let bytes = 0
  return {
    bytes: () => bytes,
    async *bounded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
      for await (const chunk of chunks) {
        bytes += chunk.length
        if (bytes > maxBytes) throw tooLarge(maxBytes)
        if (!hasRoom()) throw new RetryableError('The disk is nearly full')
        yield chunk
      }
    },
  }
}

const notGzip = (error: unknown): unknown =>
  error instanceof Error && 'code' in error && /^(?:Z_|ERR_PADDING)/.test(String(error.code))
    ? new DataQueryError('The file is not valid gzip, or is not whole')
    : error

/**
 * Downloads a file through the guarded connection and writes it, unzipped if `isZipped`; returns its number of bytes.
 * Rejects with a DeliveryError, also if the response ends too early. Rejects with a DataQueryError for a file that
 * exceeds the available space, before or after unzipping. `refuse` returns the reason if a response is not a file.
 */
export const download = async (
  from: Address & { isZipped: boolean },
  to: Scratch,
  wayOut: WayOut,
  refuse: (response: IncomingMessage) => Promise<Error | undefined> = (response) =>
    Promise.resolve(refusalOf(response)),
): Promise<number> =>
  await withResponse(from, to.maxBytes, wayOut, async (response) => {
    const refusal = await refuse(response)
    if (refusal !== undefined) throw refusal
    if (Number(response.headers['content-length'] ?? 0) > to.maxBytes) throw tooLarge(to.maxBytes)
    const { signal } = wayOut
    const room = roomOf(to)
    const file = createWriteStream(to.path, { mode: 0o600 })
    if (from.isZipped)
      await pipeline(response, createGunzip(), room.bounded, file, { signal }).catch((error: unknown) => {
        throw notGzip(error)
      })
    else await pipeline(response, room.bounded, file, { signal })
    return room.bytes()
  })
