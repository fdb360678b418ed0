import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { discardBody, isLongUnread } from '@tributary/http'
import { createRounds } from './rounds.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** The request handlers, in the order in which they are tried. */
export type HttpParts = {
  /** True if browsers use only https; they get a header that keeps them on https (RFC 6797). */
  isHttps: boolean
  /** Called with every request before it is handled. */
  look: (request: IncomingMessage) => void
  collect: { handles(request: IncomingMessage): boolean; handle: Handler } | undefined
  realtime:
    | {
        handleHttp(request: IncomingMessage, response: ServerResponse): boolean
        handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
      }
    | undefined
  operations: { handles(path: string): boolean; handle: Handler }
  /** Handles requests of a reverse proxy about custom domains. */
  domainQuestions: { handles(path: string): boolean; handle: Handler } | undefined
  flags: { handles(path: string): boolean; handle: Handler } | undefined
  /** Shows the mail of a development server. */
  devOutbox: { handles(path: string): boolean; handle: Handler } | undefined
  syncApi: { handles(path: string): boolean; handle: Handler } | undefined
  profileApi: { handles(path: string): boolean; handle: Handler } | undefined
  /** Receives the events of the payment provider. */
  paymentWebhook: { handles(path: string): boolean; handle: Handler } | undefined
  media: { handles(path: string): boolean; handle: Handler } | undefined
  /** The documentation that comes with the product. */
  guides: { handles(path: string): boolean; handle: Handler } | undefined
  /** Handles paths that have neither a handler nor a page; by default with 404 'There is no endpoint'. */
  nothing?: Handler
  api: Handler | undefined
  web: Handler
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is already in use. Stop the other process, or set PORT to another port',
  EACCES: 'this user is not allowed to use the port. Set PORT to 1024 or higher',
  EADDRNOTAVAIL: 'this machine does not have the address. Change HOST',
  ENOTFOUND: 'the address does not exist. Change HOST',
}

/** Thrown when the server cannot listen on its configured address. */
export class ListenFailed extends Error {
  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    super(`Cannot listen on ${host}, port ${port}: ${listenProblems[cause.code ?? ''] ?? cause.message}.`, { cause })
    this.name = 'ListenFailed'
  }
}

/** Resolves if the port is free now, so that a start fails before it has created anything. @throws ListenFailed */
export const requireFreePort = async (port: number, host: string): Promise<void> => {
  const probe = createServer()
  const listening = Promise.withResolvers<void>()
  probe.once('error', (error: NodeJS.ErrnoException) => listening.reject(new ListenFailed(host, port, error)))
  probe.listen(port, host, () => listening.resolve())
  await listening.promise
  await new Promise((resolve) => probe.close(resolve))
}

/** Applies for a year, and only to this host: its subdomains may serve other products. */
const strictTransport = 'max-age=31536000'

/** Responses to requests that cannot be parsed, by the error code of Node.js. */
const unreadable: Readonly<Record<string, readonly [code: number, text: string, reason: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    'HEADERS_TOO_LARGE',
    'The headers are larger than 16 kB.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'Request Timeout',
    'REQUEST_TIMEOUT',
    'The request did not arrive in time. Send it again.',
  ],
}
const malformed = [400, 'Bad Request', 'MALFORMED_REQUEST', 'The request is not valid HTTP.'] as const

/** Returns the URL of a server with this host and port, as seen from this machine. */
export const listeningUrl = (host: string, port: number): string => {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * Reads and discards, up to a limit, the part of a long body that was not read before the response. Does so on
 * 'prefinish', because from 'finish' on, Node.js discards without a limit.
 */
const endUnread = (request: IncomingMessage, response: ServerResponse): void => {
  if (isLongUnread(request)) response.once('prefinish', () => void (request.complete || discardBody(request)))
}

/** True for `/api` and paths below it. */
const isApi = (url: string): boolean => url.startsWith('/api') && (url.length === 4 || url[4] === '/' || url[4] === '?')

/** Paths that are not pages of the web application, whether or not this process has a handler for them. */
const notPages = /^\/(api|v1|profiles|syncs|media|ofrep|pusher|apps?|docs|health|metrics|tag)(?=[/?]|$)/

const answerNothing: Handler = (request, response) => {
  const path = (request.url ?? '').split('?')[0]?.slice(0, 200)
  const body = {
    code: 404,
    reason: 'NO_SUCH_CALL',
    message: `There is no endpoint ${request.method} ${path}.`,
    metadata: {},
  }
  response
    .writeHead(404, { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' })
    .end(JSON.stringify(body))
}

/** Handles all requests except those of collection. */
const besideCollection =
  (parts: HttpParts): Handler =>
  (request, response) => {
    const url = request.url ?? '/'
    const [path = ''] = url.split('?', 1)
    if (isApi(url) && parts.api !== undefined) parts.api(request, response)
    else if (parts.paymentWebhook?.handles(path) === true) parts.paymentWebhook.handle(request, response)
    else if (parts.media?.handles(url)) parts.media.handle(request, response)
    else if (parts.operations.handles(path)) parts.operations.handle(request, response)
    else if (parts.domainQuestions?.handles(path)) parts.domainQuestions.handle(request, response)
    else if (parts.flags?.handles(path) === true) parts.flags.handle(request, response)
    else if (parts.profileApi?.handles(url)) parts.profileApi.handle(request, response)
    else if (parts.syncApi?.handles(url)) parts.syncApi.handle(request, response)
    else if (parts.devOutbox?.handles(path)) parts.devOutbox.handle(request, response)
    else if (parts.guides?.handles(path) === true) parts.guides.handle(request, response)
    else if (parts.realtime?.handleHttp(request, response)) return
    else if (notPages.test(url)) (parts.nothing ?? answerNothing)(request, response)
    else parts.web(request, response)
  }

/**
 * Creates one server for everything on one port. Collection is tried first and uses plain `node:http`, since it is the
 * hot path. Timeouts end connections that send their request too slowly.
 */
export const createHttpServer = (
  parts: HttpParts,
): { listen(port: number, host: string): Promise<number>; close(): Promise<void>; server: Server } => {
  let closing = false
  const inRounds = createRounds(besideCollection(parts))
  const server = createServer(
    { keepAliveTimeout: 65_000, headersTimeout: 20_000, requestTimeout: 60_000, connectionsCheckingInterval: 5000 },
    (request, response) => {
      if (closing) response.setHeader('connection', 'close')
      if (parts.isHttps) response.setHeader('strict-transport-security', strictTransport)
      parts.look(request)
      endUnread(request, response)
      if (parts.collect?.handles(request)) parts.collect.handle(request, response)
      else inRounds(request, response)
    },
  )
  server.on('upgrade', (request, socket, head) => {
    if (parts.realtime === undefined || closing) socket.destroy()
    else parts.realtime.handleUpgrade(request, socket, head)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return
    const [code, text, reason, message] = unreadable[error.code ?? ''] ?? malformed
    const body = JSON.stringify({ code, reason, message, metadata: {} })
    socket.end(
      `HTTP/1.1 ${code} ${text}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    )
  })
  return {
    server,
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) => reject(new ListenFailed(host, port, error)))
        server.listen(port, host, () => {
          server.removeAllListeners('error')
          resolve((server.address() as AddressInfo).port)
        })
      }),
    close: () =>
      new Promise((resolve) => {
        closing = true
        server.close(() => resolve())
        server.closeIdleConnections()
        const late = setTimeout(() => server.closeAllConnections(), 5000)
        server.once('close', () => clearTimeout(late))
      }),
  }
}
