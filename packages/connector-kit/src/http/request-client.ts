import { lookup as systemLookup } from 'node:dns'
import { createRequire } from 'node:module'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { Logger } from '@tributary/kernel'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import { ConfigurationError, RetryableError } from '../errors.ts'
import type { EgressPolicy } from './egress.ts'
import { type ConnectTarget, createGuardedSockets, type GuardedStream, guardedLookup } from './guarded-socket.ts'
import { egressRefusal, networkError } from './network-error.ts'
import { cutToBytes, maxExchangeBytes } from './redaction.ts'

/** Read with the first request: it is 5 MB of each thread, of which one or two send any. */
const undici: () => typeof import('undici') = () => createRequire(import.meta.url)('undici')

export type OutgoingRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** http or https, absolute. */
  url: string
  headers: Readonly<Record<string, string>>
  /** Sent as it is; a text as UTF-8. */
  body?: string | Uint8Array
  /** From the call to the last byte of the answer, connecting included; the client's own unless given. */
  timeoutMs?: number
  /** Bytes of the answer that are returned; the client's own number unless given. */
  keepBytes?: number
  /** Bytes of the answer that are read before it is cut, at most 16 MB; the client's own number unless given. */
  readBytes?: number
  signal?: AbortSignal
}

/** An answer; redirects are answers like any other and are never followed. */
export type HttpAnswer = {
  status: number
  /** Names in lower case; of a repeated header the first. */
  headers: Readonly<Record<string, string>>
  /** The first bytes (4 kB unless configured) as text; the rest was read up to a bound and dropped. */
  body: string
  latencyMs: number
}

export interface RequestClient {
  /**
   * Sends a request to an address that the policy allows. Rejects with RetryableError when the network or the peer
   * fails or the time is over. Rejects with EgressRefusedError when the address may not be reached, with
   * ConfigurationError when the address is invalid.
   */
  request(request: OutgoingRequest): Promise<HttpAnswer>
  /**
   * Opens a TCP connection under the same guard, for what is not HTTP. Rejects as `request` does. TLS and the end of the
   * connection are the caller's, who calls `renew` with each question: an answer of more than 4 MB ends the connection.
   */
  connect(target: ConnectTarget): Promise<GuardedStream>
  /** Requests under way. */
  inFlight(): number
  /** Ends every connection, those of `connect` included. */
  close(): Promise<void>
}

export type RequestClientOptions = {
  egress: EgressPolicy
  logger: Logger
  /** Name resolution; the system's unless given. Its answers are checked one by one. */
  lookup?: LookupFunction
  /** For TCP and TLS together, ms. */
  connectTimeoutMs?: number
  /** For a whole request, ms. */
  timeoutMs?: number
  keptResponseBytes?: number
  /** An answer longer than this is cut, and its connection ended. */
  readResponseBytes?: number
  /** Maximum bytes that a peer of `connect` may send in one answer. */
  answerBytes?: number
  /** Connections held open to one origin; the lanes above bound what is under way. */
  connectionsPerOrigin?: number
  /** Requests under way over all origins; beyond it a request fails at once and is tried again later. */
  maxInFlight?: number
  /** Certificates trusted beside the system's (PEM), for a private authority. */
  ca?: string
}

const defaultReadBytes = 256 * 1024
/** Maximum bytes of its answer that a request may have read. */
const maxReadBytes = 16 * 1024 * 1024
/** Bytes that may frame an answer beside its body: headers, interim answers, trailers, the names of chunks. */
const framingBytes = 64 * 1024

/**
 * Ends a connection whose peer sends more bytes than an answer may have before anything new is written to it. What the
 * parser takes for framing reaches no handler: without this it would be read until the time of the request is over.
 */
const boundAnswers = (socket: Socket, maxBytes: number): void => {
  let written = 0
  let received = 0
  const push = socket.push.bind(socket)
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      received = 0
    }
    received += Buffer.isBuffer(chunk) ? chunk.length : 0
    if (received <= maxBytes) return push(chunk, encoding)
    socket.destroy(new RetryableError(`The response has more than ${maxBytes.toLocaleString('en-US')} bytes`))
    return false
  }
}

const createConnector = (options: RequestClientOptions, readBytes: number): buildConnector.connector => {
  const { egress } = options
  const maxBytes = readBytes + framingBytes
  const connect = undici().buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs ?? 5000,
    lookup: guardedLookup(options.lookup ?? (systemLookup as LookupFunction), egress),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    keepAlive: true,
    noDelay: true,
  } as buildConnector.BuildOptions)
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    // A literal address is not resolved, so the lookup never sees it.
    if (isIP(host) !== 0 && !egress.allows(host)) return callback(egressRefusal(host), null)
    connect(target, (...args) => {
      const [error, socket] = args
      if (error !== null) return callback(error, null)
      // The last word: the address this very socket is connected to.
      if (socket.remoteAddress === undefined || !egress.allows(socket.remoteAddress)) {
        socket.destroy()
        return callback(egressRefusal(host), null)
      }
      boundAnswers(socket, maxBytes)
      callback(null, socket)
    })
  }
}

const flatHeaders = (headers: Record<string, string | string[] | undefined>): Record<string, string> => {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value[0] : value
    if (text !== undefined) flat[name.toLowerCase()] = text
  }
  return flat
}

/**
 * Creates the only way out of the process for connectors. The guard is at the socket: names are resolved by a checked
 * lookup, literal addresses are checked before connecting, and the connected address is checked again. So neither a
 * redirect (none is followed), a rebinding name nor an odd spelling reaches a network that the policy refuses. TLS is
 * verified. There is one connection pool per origin, each request is bounded in time, each answer in size.
 */
export const createRequestClient = (options: RequestClientOptions): RequestClient => {
  const kept = options.keptResponseBytes ?? maxExchangeBytes
  const readable = options.readResponseBytes ?? defaultReadBytes
  const defaultTimeoutMs = options.timeoutMs ?? 10_000
  const maxInFlight = options.maxInFlight ?? 4096
  // Long answers come over connections of their own: those of all other requests are cut off as early as ever.
  let agent: Agent | undefined
  let longAgent: Agent | undefined
  let closed = false
  const openAgent = (readBytes: number): Agent =>
    new (undici().Agent)({
      connect: createConnector(options, readBytes),
      connections: options.connectionsPerOrigin ?? 256,
      pipelining: 1,
      // One timer of our own covers the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 4000,
      keepAliveMaxTimeout: 30_000,
      maxHeaderSize: 16 * 1024,
      allowH2: false,
    })
  const sockets = createGuardedSockets({
    egress: options.egress,
    lookup: options.lookup ?? (systemLookup as LookupFunction),
    connectTimeoutMs: options.connectTimeoutMs ?? 5000,
    answerBytes: options.answerBytes,
  })
  let inFlight = 0

  const send = (to: Agent, request: OutgoingRequest, url: URL): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      const started = performance.now()
      const timeoutMs = request.timeoutMs ?? defaultTimeoutMs
      const wanted = request.keepBytes ?? kept
      const maxRead = Math.min(request.readBytes ?? readable, maxReadBytes)
      const chunks: Buffer[] = []
      let control: Dispatcher.DispatchController | undefined
      let status = 0
      let headers: Record<string, string> = {}
      let read = 0
      let settled = false
      const settle = (error: Error | undefined): void => {
        if (settled) return
        settled = true
        inFlight--
        clearTimeout(timer)
        request.signal?.removeEventListener('abort', onAbort)
        if (error !== undefined) return reject(error)
        const body = chunks.length === 0 ? '' : cutToBytes(new TextDecoder().decode(Buffer.concat(chunks)), wanted)
        resolve({ status, headers, body, latencyMs: Math.round(performance.now() - started) })
      }
      const abort = (error: Error): void => {
        settle(error)
        control?.abort(error)
      }
      const onAbort = (): void => abort(new RetryableError('Interrupted'))
      const timer = setTimeout(() => abort(new RetryableError(`No response within ${timeoutMs} ms`)), timeoutMs)
      request.signal?.addEventListener('abort', onAbort, { once: true })
      inFlight++
      to.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: request.method,
          headers: request.headers,
          body: request.body ?? null,
        },
        {
          onRequestStart: (controller) => {
            control = controller
            // Timed out while it waited for a connection: it must not be sent any more.
            if (settled) controller.abort(new Error('Timed out before it was sent'))
          },
          onResponseStart: (_controller, code, responseHeaders) => {
            status = code
            headers = flatHeaders(responseHeaders)
          },
          onResponseData: (controller, chunk) => {
            if (read < wanted) chunks.push(chunk.subarray(0, wanted - read))
            read += chunk.length
            if (read <= maxRead) return
            settle(undefined)
            controller.abort(new Error('Response truncated'))
          },
          onResponseEnd: () => settle(undefined),
          onResponseError: (_controller, error) => settle(networkError(error)),
        },
      )
    })

  return {
    request: async (request) => {
      const url = URL.parse(request.url)
      if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
        throw new ConfigurationError('The address is not an http or https URL')
      if (request.signal?.aborted === true) throw new RetryableError('Interrupted')
      if (inFlight >= maxInFlight) throw new RetryableError('Too many requests in progress')
      if (closed) throw new RetryableError('Interrupted')
      if ((request.readBytes ?? 0) > readable) {
        longAgent ??= openAgent(maxReadBytes)
        return await send(longAgent, request, url)
      }
      agent ??= openAgent(readable)
      return await send(agent, request, url)
    },
    connect: sockets.connect,
    inFlight: () => inFlight,
    close: async () => {
      closed = true
      sockets.close()
      await Promise.all([agent?.destroy(), longAgent?.destroy()])
    },
  }
}
