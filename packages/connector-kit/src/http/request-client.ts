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

/**
 * Loads undici with the first request, because it takes 5 MB in each thread, and only one or two threads send requests.
 */
const undici: () => typeof import('undici') = () => createRequire(import.meta.url)('undici')

export type OutgoingRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Absolute URL with http or https. */
  url: string
  headers: Readonly<Record<string, string>>
  /** The body, sent unchanged; a string is sent as UTF-8. */
  body?: string | Uint8Array
  /**
   * Maximum ms from the call to the last byte of the response, including connecting; by default the limit of the
   * client.
   */
  timeoutMs?: number
  /** Maximum bytes of the response that are returned; by default the limit of the client. */
  keepBytes?: number
  /**
   * Maximum bytes of the response that are read, at most 16 MB; by default the limit of the client. A longer response
   * is truncated.
   */
  readBytes?: number
  signal?: AbortSignal
}

/** A response. Redirects are returned like any other response and never followed. */
export type HttpAnswer = {
  status: number
  /** Headers by name in lower case; the first value of a repeated header. */
  headers: Readonly<Record<string, string>>
  /** The first bytes (4 kB unless configured) as text; the remaining bytes were read up to a limit and discarded. */
  body: string
  latencyMs: number
}

export interface RequestClient {
  /**
   * Sends a request to an address that the policy allows. Rejects with RetryableError if the network or the peer fails,
   * or the time limit is exceeded. Rejects with EgressRefusedError if the address is blocked, with ConfigurationError
   * if the address is invalid.
   */
  request(request: OutgoingRequest): Promise<HttpAnswer>
  /**
   * Opens a TCP connection with the same checks, for other protocols than HTTP. Rejects like `request`. The caller
   * handles TLS and closes the connection, and calls `renew` before each query. A response of more than 4 MB ends the
   * connection.
   */
  connect(target: ConnectTarget): Promise<GuardedStream>
  /** Number of requests in flight. */
  inFlight(): number
  /** Ends every connection, including those of `connect`. */
  close(): Promise<void>
}

export type RequestClientOptions = {
  egress: EgressPolicy
  logger: Logger
  /** Name resolution; the system's by default. Every resolved address is checked. */
  lookup?: LookupFunction
  /** Maximum ms for TCP and TLS together. */
  connectTimeoutMs?: number
  /** Maximum ms of a whole request. */
  timeoutMs?: number
  keptResponseBytes?: number
  /** Maximum bytes of a response that are read. A longer response is truncated, and its connection closed. */
  readResponseBytes?: number
  /** Maximum bytes that a peer of `connect` may send in one answer. */
  answerBytes?: number
  /** Maximum open connections to one origin; callers limit the number of concurrent requests. */
  connectionsPerOrigin?: number
  /** Maximum requests in flight over all origins; further ones fail immediately and are retried later. */
  maxInFlight?: number
  /** Certificates (PEM) that are trusted in addition to the system's, for a private authority. */
  ca?: string
}

const defaultReadBytes = 256 * 1024
/** The largest `readBytes` that a request can set. */
const maxReadBytes = 16 * 1024 * 1024
/** Maximum bytes of a response besides its body: headers, interim responses, trailers, chunk extensions. */
const framingBytes = 64 * 1024

/**
 * Ends a connection if the peer sends more than `maxBytes` after the last write. Handlers never see bytes that the
 * parser treats as framing, so the connection would otherwise be read until the request times out.
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
    // An IP address is not resolved, so the lookup never checks it.
    if (isIP(host) !== 0 && !egress.allows(host)) return callback(egressRefusal(host), null)
    connect(target, (...args) => {
      const [error, socket] = args
      if (error !== null) return callback(error, null)
      // The final check: the address to which this socket is actually connected.
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

const openAgent = (options: RequestClientOptions, readBytes: number): Agent =>
  new (undici().Agent)({
    connect: createConnector(options, readBytes),
    connections: options.connectionsPerOrigin ?? 256,
    pipelining: 1,
    // A single timer covers the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 30_000,
    maxHeaderSize: 16 * 1024,
    allowH2: false,
  })

/**
 * Calls functions when a signal aborts. Concurrent requests with the same signal share one listener, because adding and
 * removing a listener costs more than the rest of this file does for a request.
 */
const createAborts = () => {
  const bySignal = new WeakMap<AbortSignal, { calls: Set<() => void>; listener: () => void }>()
  return {
    add(signal: AbortSignal, call: () => void): void {
      const known = bySignal.get(signal)
      if (known !== undefined) return void known.calls.add(call)
      const calls = new Set([call])
      const listener = (): void => {
        for (const each of calls) each()
      }
      bySignal.set(signal, { calls, listener })
      signal.addEventListener('abort', listener)
    },
    /** Removes the listener with its last function, so that it keeps no signal in memory. */
    remove(signal: AbortSignal, call: () => void): void {
      const known = bySignal.get(signal)
      if (known?.calls.delete(call) !== true || known.calls.size > 0) return
      bySignal.delete(signal)
      signal.removeEventListener('abort', known.listener)
    },
  }
}
type Aborts = ReturnType<typeof createAborts>

type Address = { readonly origin: string; readonly path: string; readonly isHttp: boolean }

/** Maximum number of addresses that are kept taken apart. */
const keptAddresses = 256

/** Takes addresses apart, and keeps the latest ones: most requests go to the address of the request before. */
const createAddresses = (): ((text: string) => Address | undefined) => {
  const kept = new Map<string, Address>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const url = URL.parse(text)
    if (url === null) return undefined
    const isHttp = url.protocol === 'http:' || url.protocol === 'https:'
    const address = { origin: url.origin, path: url.pathname + url.search, isHttp }
    if (kept.size >= keptAddresses) kept.clear()
    kept.set(text, address)
    return address
  }
}

/** What a request may take, unless it names another limit. */
type SendLimits = { kept: number; readable: number; timeoutMs: number; aborts: Aborts }

/** Sends a request over a connection of an agent. */
const send = (
  to: Agent,
  request: OutgoingRequest,
  { origin, path }: Address,
  limits: SendLimits,
): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const timeoutMs = request.timeoutMs ?? limits.timeoutMs
    const wanted = request.keepBytes ?? limits.kept
    const maxRead = Math.min(request.readBytes ?? limits.readable, maxReadBytes)
    const chunks: Buffer[] = []
    let control: Dispatcher.DispatchController | undefined
    let status = 0
    let headers: Record<string, string> = {}
    let read = 0
    let settled = false
    const settle = (error: Error | undefined): void => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      if (request.signal !== undefined) limits.aborts.remove(request.signal, onAbort)
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
    if (request.signal !== undefined) limits.aborts.add(request.signal, onAbort)
    to.dispatch(
      {
        origin,
        path,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
      },
      {
        onRequestStart: (controller) => {
          control = controller
          // The request timed out while it waited for a connection, and must not be sent any more.
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

/**
 * Creates the client for all requests of connectors. Addresses are checked at the socket: names are resolved by a
 * checked lookup, IP addresses are checked before connecting, and the connected address is checked again. So neither a
 * redirect (never followed), a rebinding name nor an unusual spelling reaches a blocked network. TLS is verified. There
 * is one connection pool per origin; each request is limited in time, each response in size.
 */
export const createRequestClient = (options: RequestClientOptions): RequestClient => {
  const readable = options.readResponseBytes ?? defaultReadBytes
  const kept = options.keptResponseBytes ?? maxExchangeBytes
  const limits = { kept, readable, timeoutMs: options.timeoutMs ?? 10_000, aborts: createAborts() }
  const addressOf = createAddresses()
  const maxInFlight = options.maxInFlight ?? 4096
  // Long responses use their own connections, so that the connections of other requests keep their low limit.
  let agent: Agent | undefined
  let longAgent: Agent | undefined
  let closed = false
  const sockets = createGuardedSockets({
    egress: options.egress,
    lookup: options.lookup ?? (systemLookup as LookupFunction),
    connectTimeoutMs: options.connectTimeoutMs ?? 5000,
    answerBytes: options.answerBytes,
  })
  let inFlight = 0

  return {
    request: async (request) => {
      const address = addressOf(request.url)
      if (address?.isHttp !== true) throw new ConfigurationError('The address is not an http or https URL')
      if (request.signal?.aborted === true) throw new RetryableError('Interrupted')
      if (inFlight >= maxInFlight) throw new RetryableError('Too many requests in progress')
      if (closed) throw new RetryableError('Interrupted')
      inFlight++
      try {
        if ((request.readBytes ?? 0) <= readable) {
          agent ??= openAgent(options, readable)
          return await send(agent, request, address, limits)
        }
        longAgent ??= openAgent(options, maxReadBytes)
        return await send(longAgent, request, address, limits)
      } finally {
        inFlight--
      }
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
