import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PipelineEvent } from '@tributary/contract'
import { silentLogger } from '@tributary/kernel'
import type {
  ConnectionTest,
  DeliverContext,
  DeliverResult,
  DestinationDefinition,
  OutgoingEvent,
  OutgoingRow,
} from '../definition/definition.ts'
import type { RowObjectDetail } from '../definition/row-objects.ts'
import { validateSettings } from '../definition/settings.ts'
import { createEgressPolicy } from '../http/egress.ts'
import { callOnce } from '../http/lifetime.ts'
import { createRequestClient, type RequestClientOptions } from '../http/request-client.ts'

export { hostileTemplates } from './testing-templates.ts'

export type PeerRequest = {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
  /** The body as it arrived. */
  bytes: Buffer
}

/** The response of a test peer; 'hang' never responds, 'reset' closes the connection. */
export type PeerAnswer = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'reset'

export type Peer = {
  url: string
  port: number
  /** Everything received so far, in order of arrival. */
  requests: PeerRequest[]
  /** Resolves when the received requests meet the condition; rejects after `deadlineMs`. */
  until(condition: (requests: readonly PeerRequest[]) => boolean, deadlineMs?: number): Promise<void>
  close(): Promise<void>
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * Starts a real HTTP peer on loopback that records its requests and responds with `answer`. `port` 0 picks a free one.
 */
export const startPeer = async (
  answer: (request: PeerRequest, index: number) => PeerAnswer | Promise<PeerAnswer> = () => ({ status: 200 }),
  options: { port?: number; record?: boolean } = {},
): Promise<Peer> => {
  const requests: PeerRequest[] = []
  const watchers = new Set<() => void>()
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bytes = await readBody(request)
    const { method = '', url = '', headers } = request
    const received = { method, url, headers, body: bytes.toString(), bytes }
    requests.push(received)
    for (const watcher of watchers) watcher()
    const answered = await answer(received, requests.length - 1)
    if (answered === 'hang') return
    if (answered === 'reset') return void request.socket.destroy()
    response.writeHead(answered.status, answered.headers).end(answered.body)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    requests,
    until: (condition, deadlineMs = 30_000) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!condition(requests)) return
          clearTimeout(timer)
          watchers.delete(check)
          resolve()
        }
        const timer = setTimeout(() => {
          watchers.delete(check)
          reject(new Error(`The peer has ${requests.length} requests and the condition does not hold`))
        }, deadlineMs)
        watchers.add(check)
        check()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Creates events in the form in which delivery passes them to a connector. */
export const sampleEvents = (count: number): OutgoingEvent[] =>
  Array.from({ length: count }, (_, index) => {
    const eventId = `0-1-${index}`
    const event = { eventId, messageId: `m${index}`, type: 'track' as const, event: 'Order Completed' }
    return { ...event, action: 'send', json: JSON.stringify({ ...event, properties: { total: index } }) }
  })

type RunOptions = Partial<RequestClientOptions> & { now?: number; rebase?: (url: string) => string } & Pick<
    DeliverContext,
    'accessToken'
  >

const runDefinition = async (
  definition: DestinationDefinition,
  settings: Readonly<Record<string, unknown>>,
  options: RunOptions,
  call: (context: DeliverContext) => Promise<DeliverResult>,
): Promise<DeliverResult> => {
  const validated = validateSettings(definition, settings)
  if (!validated.ok) throw new Error(`Settings refused: ${JSON.stringify(validated.errors)}`)
  const egress = createEgressPolicy({ allow: ['127.0.0.0/8'] })
  const { rebase = (url: string) => url } = options
  const client = createRequestClient({ egress, logger: silentLogger, ...options })
  try {
    return await callOnce(
      {
        client: { ...client, request: (asked) => client.request({ ...asked, url: rebase(asked.url) }) },
        settings: validated.settings,
        clock: () => options.now ?? Date.now(),
        logger: silentLogger,
        signal: new AbortController().signal,
        ...(options.accessToken === undefined ? {} : { accessToken: options.accessToken }),
      },
      call,
    )
  } finally {
    await client.close()
  }
}

/**
 * Delivers events with a connector as the product does (validated settings, the real request client, loopback allowed).
 * Returns the result or throws the error of the connector. `rebase` maps the URL of a request.
 */
export const runConnector = (
  definition: DestinationDefinition,
  settings: Readonly<Record<string, unknown>>,
  events: readonly OutgoingEvent[],
  options: RunOptions = {},
): Promise<DeliverResult> =>
  runDefinition(definition, settings, options, (context) => definition.deliver(events, context))

/** Delivers rows with a connector, like `runConnector` for events. */
export const runConnectorRows = (
  definition: DestinationDefinition,
  settings: Readonly<Record<string, unknown>>,
  rows: readonly OutgoingRow[],
  options: RunOptions = {},
): Promise<DeliverResult> =>
  runDefinition(definition, settings, options, async (context) => {
    if (definition.deliverRows === undefined) throw new Error('It takes no rows')
    return await definition.deliverRows(rows, context)
  })

/** Calls `describeRows` of a connector for one of its row objects, like `runConnector`. */
export const runDescribeRows = async (
  definition: DestinationDefinition,
  settings: Readonly<Record<string, unknown>>,
  given: { object: string; name: string },
  options: RunOptions = {},
): Promise<RowObjectDetail> => {
  let detail: RowObjectDetail | undefined
  await runDefinition(definition, settings, options, async (context) => {
    detail = await definition.describeRows?.(context, given)
    return { outcomes: { kind: 'delivered' }, httpStatus: 0, latencyMs: 0 }
  })
  if (detail === undefined) throw new Error('It tells nothing of its objects')
  return detail
}

/** Calls a function with the context of a connector, like `runConnector`, and returns its answer. */
export const runWithContext = async <T>(
  definition: DestinationDefinition,
  settings: Readonly<Record<string, unknown>>,
  call: (context: DeliverContext) => Promise<T>,
  options: RunOptions = {},
): Promise<T> => {
  const answers: T[] = []
  await runDefinition(definition, settings, options, async (context) => {
    answers.push(await call(context))
    return { outcomes: { kind: 'delivered' }, httpStatus: 200, latencyMs: 0 }
  })
  const [answer] = answers
  if (answers.length !== 1) throw new Error('The function was not called')
  return answer as T
}

/** Runs a connector's connection test as the product does, with loopback allowed. */
export const runConnectionTest = async (
  definition: DestinationDefinition,
  settings: Readonly<Record<string, unknown>>,
  options: RunOptions = {},
): Promise<ConnectionTest> => {
  let answer: ConnectionTest | undefined
  const testing: DestinationDefinition = {
    ...definition,
    deliver: async (_batch, context) => {
      answer = await definition.testConnection(context)
      return { outcomes: { kind: 'delivered' }, httpStatus: 0, latencyMs: 0 }
    },
  }
  await runConnector(testing, settings, [], options)
  if (answer === undefined) throw new Error('The test said nothing')
  return answer
}

/**
 * Creates an event in the form in which the pipeline passes it on. The whole event is sent unless a payload is given.
 */
export const outgoingEvent = (
  event: Partial<PipelineEvent> = {},
  mapped: Pick<OutgoingEvent, 'payload' | 'fixedLists'> & { action?: string } = {},
): OutgoingEvent => {
  const whole: PipelineEvent = {
    eventId: '0-00000000000000000001-00000',
    messageId: 'message-1',
    type: 'track',
    event: 'Order Completed',
    userId: 'user-1',
    context: {},
    test: false,
    receivedAt: '2026-01-02T03:04:05.678Z',
    timestamp: '2026-01-02T03:04:05.000Z',
    ...event,
  }
  const { eventId, messageId, type } = whole
  return { eventId, messageId, type, event: whole.event, action: 'send', json: JSON.stringify(whole), ...mapped }
}

/** A key and its self-signed certificate for hooks.example.com, valid until 2126. */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLEQnNds0rID8pKME
xKaQKemCcaAoamAMlAewrDI93s+hRANCAAR/Pgj2nCzEgzShSo6gA2XlqU41dgUk
TwCB+XoUMzowhkXceZps7DH9xPCivasd7pMKtPdihh46/NADg/GARm4h
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBrTCCAVOgAwIBAgIUfF3nGSqYCUR7PkY92gDtdJiEQ9QwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wIBcNMjYxMTIxMDYzNTI1WhgP
MjEyNjEwMjgwNjM1MjVaMBwxGjAYBgNVBAMMEWhvb2tzLmV4YW1wbGUuY29tMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEfz4I9pwsxIM0oUqOoANl5alONXYFJE8A
gfl6FDM6MIZF3HmabOwx/cTwor2rHe6TCrT3YoYeOvzQA4PxgEZuIaNxMG8wHQYD
VR0OBBYEFJ4+pHDMCXzTGOnEgeP3jcxTW/CcMB8GA1UdIwQYMBaAFJ4+pHDMCXzT
GOnEgeP3jcxTW/CcMA8GA1UdEwEB/wQFMAMBAf8wHAYDVR0RBBUwE4IRaG9va3Mu
ZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIgbuP0KnLmsQKQW+elqmo7vI4W
4Wd4ekBE2npiUqqRrUQCIQDcTfGScLIDsyyKOqYgrm4WMEIbukouBBcqeTRJMIDh
Pg==
-----END CERTIFICATE-----
`,
}
