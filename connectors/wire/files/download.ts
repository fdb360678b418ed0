import { createWriteStream } from 'node:fs'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { connect as connectTls } from 'node:tls'
import {
  ConfigurationError,
  type DataSourceContext,
  DeliveryError,
  networkError,
  RetryableError,
  type Scratch,
} from '@tributary/connector-kit'

/** What may frame an answer: its head, TLS, and the sizes of chunks. */
const framing = (bytes: number): number => Math.ceil(bytes * 1.1) + 1024 * 1024

const tooLarge = (maxBytes: number): Error =>
  new ConfigurationError(`The file has more than ${(maxBytes / 1024 / 1024).toLocaleString('en-US')} MB`)

const responseTo = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  socket: Duplex,
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp
    request(url, { headers, signal, createConnection: () => socket }, resolve)
      .once('error', reject)
      .end()
  })

/** Why an answer is no file; undefined for one that is. */
const refusalOf = ({ statusCode = 0, headers }: IncomingMessage, maxBytes: number): Error | undefined => {
  if (statusCode >= 500 || statusCode === 429)
    return new RetryableError(`The server responded with status ${statusCode}`)
  if (statusCode >= 300 && statusCode < 400)
    return new ConfigurationError(`The server redirects (status ${statusCode}). Enter the URL that it redirects to`)
  if (statusCode !== 200) return new ConfigurationError(`The server responded with status ${statusCode}`)
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    return new ConfigurationError('The server sends the file compressed, though it was asked not to')
  return Number(headers['content-length'] ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined
}

/**
 * Gets a file by the guarded way out and writes it where there is room for it. Redirects are not followed. Resolves when all of it
 * is there; rejects with a DeliveryError, also for an answer that ends too soon or is longer than there is room for.
 */
export const download = async (
  from: { url: string; headers: Readonly<Record<string, string>> },
  to: Scratch,
  { connect, signal }: Pick<DataSourceContext, 'connect' | 'signal'>,
): Promise<void> => {
  const url = new URL(from.url)
  const isSecure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port)
  const stream = await connect({ host, port, signal, answerBytes: framing(to.maxBytes) })
  try {
    const socket = isSecure
      ? connectTls({
          socket: stream,
          host,
          ALPNProtocols: ['http/1.1'],
          ...(isIP(host) === 0 ? { servername: host } : {}),
        })
      : stream
    const response = await responseTo(url, { ...from.headers, 'accept-encoding': 'identity' }, socket, signal)
    const refusal = refusalOf(response, to.maxBytes)
    if (refusal !== undefined) throw refusal
    let bytes = 0
    await pipeline(
      response,
      async function* bounded(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length
          if (bytes > to.maxBytes) throw tooLarge(to.maxBytes)
          if (!to.hasRoom()) throw new RetryableError('The disk is nearly full')
          yield chunk
        }
      },
      createWriteStream(to.path, { mode: 0o600 }),
      { signal },
    )
  } catch (error) {
    throw error instanceof DeliveryError ? error : networkError(error)
  } finally {
    stream.destroy()
  }
}
