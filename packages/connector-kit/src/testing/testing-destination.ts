import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type {
  DeliverContext,
  DeliverResult,
  DestinationDefinition,
  EventOutcome,
  OutgoingEvent,
} from '../definition/definition.ts'
import { ConfigurationError, DeliveryError, RetryableError } from '../errors.ts'
import { type Peer, type PeerAnswer, type PeerRequest, runConnectionTest, runConnector, startPeer } from './testing.ts'

/** A request as the vendor receives it. */
export type VendorRequest = {
  method: string
  /** The host that the connector called, even if a test peer stands in for it. */
  host: string
  path: string
  query: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string | undefined>>
  /** JSON as a value, decompressed; anything else as text. */
  body: unknown
  /** The request as it arrived. */
  raw: PeerRequest
}

/** The test data of a destination, and the documented behavior of the vendor. */
export type DestinationCase = {
  /** Origins that the connector calls, if no setting names them; the stand-in for the vendor answers for each. */
  origins?: readonly string[]
  /** Valid settings; `url` is the address of the stand-in for the vendor. */
  settings: (url: string) => Readonly<Record<string, unknown>>
  /** For a destination with a grant: returns its tokens. */
  accessToken?: NonNullable<DeliverContext['accessToken']>
  /** Texts that must not occur in anything that is stored. */
  secrets: readonly string[]
  /** Responds as the vendor documents, including rejections. Name the documentation page in a comment. */
  vendor: (request: VendorRequest) => PeerAnswer
  /** Events as mappings create them, all of which the vendor accepts. */
  events: readonly OutgoingEvent[]
  /** Requests that the vendor receives for `events`, in order. */
  requests: readonly Partial<VendorRequest>[]
  /** The message of a successful connection test. */
  connected: string
  /**
   * Settings with credentials that the vendor rejects. Undefined if the receiver is the user's own server, whose
   * rejection may concern the event.
   */
  badCredentials?: {
    settings: (url: string) => Readonly<Record<string, unknown>>
    /** A response that replaces the stand-in's own rejection of the bad credentials. */
    answer?: PeerAnswer
    message: string
  }
  /** How the vendor reports a rate limit, if not by 429 with Retry-After: 7. */
  rateLimit?: { answer: PeerAnswer; retryAfterMs?: number }
  /** True if the HTTP status alone decides success, so that the body is ignored, even an HTML page. */
  successByStatus?: boolean
  /** Events of which the vendor accepts some. Undefined if it accepts or rejects a request as a whole. */
  partialFailure?: { events: readonly OutgoingEvent[]; outcomes: readonly EventOutcome[] }
  /** Events of which some are too large for the vendor, and the number of requests for the others. */
  oversize?: { events: readonly OutgoingEvent[]; outcomes: DeliverResult['outcomes']; requests: number }
  /** Maximum age of events that are sent, in ms; undefined if the vendor accepts all. */
  maxEventAgeMs?: number
}

const valueOf = (bytes: Buffer, encoding: string | undefined): unknown => {
  const text = (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Starts a stand-in for the vendor until the test ends. Returns the stand-in, the requests that it receives, and a
 * function that redirects URLs of its origins to it.
 */
export const startVendor = async (
  { origins = [] }: Pick<DestinationCase, 'origins'>,
  answer: (request: VendorRequest) => PeerAnswer,
): Promise<{ peer: Peer; asked: readonly VendorRequest[]; rebase: (url: string) => string }> => {
  const asked: VendorRequest[] = []
  const peer = await startPeer((raw) => {
    const { method, url, headers, bytes } = raw
    const given = new URL(url, 'http://vendor.example')
    // If an origin of the vendor is redirected, the first part of the path is its host.
    const host = origins.map((origin) => new URL(origin).host).find((name) => given.pathname.startsWith(`/${name}/`))
    const request: VendorRequest = {
      method,
      host: host ?? '',
      path: host === undefined ? given.pathname : given.pathname.slice(host.length + 1),
      query: Object.fromEntries(given.searchParams),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()])),
      body: valueOf(bytes, headers['content-encoding']),
      raw,
    }
    asked.push(request)
    return answer(request)
  })
  onTestFinished(() => peer.close())
  const rebase = (url: string): string => {
    const { origin, host, pathname, search } = new URL(url)
    return origins.includes(origin) ? `${peer.url}${host}${pathname}${search}` : url
  }
  return { peer, asked, rebase }
}

/** One outcome for each event, or one error for all of them. */
type Ended =
  | { outcomes: readonly EventOutcome[]; kept: string; split: boolean }
  | { error: DeliveryError; kept: string }

const deliver = async (
  definition: DestinationDefinition,
  settings: Readonly<Record<string, unknown>>,
  events: readonly OutgoingEvent[],
  options: Parameters<typeof runConnector>[3],
): Promise<Ended> => {
  try {
    const result = await runConnector(definition, settings, events, options)
    const { outcomes } = result
    if (!('kind' in outcomes)) return { outcomes, kept: JSON.stringify(result), split: false }
    const outcome: EventOutcome = outcomes.kind === 'split' ? { kind: 'rejected', reason: outcomes.reason } : outcomes
    return { outcomes: events.map(() => outcome), kept: JSON.stringify(result), split: outcomes.kind === 'split' }
  } catch (error) {
    // Any other error is a fault of the connector.
    if (!(error instanceof DeliveryError)) throw error
    const { message, exchange } = error
    return { error, kept: JSON.stringify({ message, exchange }) }
  }
}

const page = '<!doctype html><html><title>Sign in</title></html>'
/** Responses that no vendor documents but that still occur: from a proxy, a parked domain, a broken server. */
const hostileAnswers: readonly [string, PeerAnswer][] = [
  ['a web page', { status: 200, headers: { 'content-type': 'text/html' }, body: page }],
  ['a web page in place of an error', { status: 502, headers: { 'content-type': 'text/html' }, body: page }],
  ['a redirect', { status: 302, headers: { location: 'https://elsewhere.example/' } }],
  ['JSON that is cut off', { status: 400, body: '{"failed_records":[{"index":0' }],
  ['JSON of another shape', { status: 400, body: '{"failed_records":{"__proto__":[]},"error":[null],"errors":"no"}' }],
  [
    'indexes that were not sent',
    { status: 400, body: '{"failed_records":[{"index":-1},{"index":1e9},{"index":"0"}]}' },
  ],
  ['an answer of a megabyte', { status: 400, body: 'x'.repeat(1024 * 1024) }],
  ['nothing', 'reset'],
]

const isSuccess = (answer: PeerAnswer): boolean => typeof answer === 'object' && answer.status < 300

const hides = ({ secrets }: DestinationCase, kept: string): void => {
  for (const secret of secrets) expect(kept).not.toContain(secret)
}

const vendorOf = async (given: DestinationCase, answer = given.vendor) => {
  const { rebase, ...vendor } = await startVendor(given, answer)
  const granted = given.accessToken === undefined ? {} : { accessToken: given.accessToken }
  return { ...vendor, options: { rebase, ...granted } }
}

/** Faults of the vendor: nothing is delivered, or lost. */
const testFaults = (definition: DestinationDefinition, given: DestinationCase): void => {
  it("the destination retries events after the time that the vendor's rate limit names", async () => {
    const { answer, retryAfterMs } = given.rateLimit ?? {
      answer: { status: 429, headers: { 'retry-after': '7' }, body: page },
      retryAfterMs: 7000,
    }
    const { peer, asked, options } = await vendorOf(given, () => answer)
    const ended = await deliver(definition, given.settings(peer.url), given.events, options)
    if ('error' in ended) {
      expect(ended.error).toBeInstanceOf(RetryableError)
      expect(ended.error).toMatchObject({ retryAfterMs })
    } else
      expect(ended.outcomes).toMatchObject(
        given.events.map(() => ({ kind: 'retry', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })),
      )
    expect(asked.length).toBeGreaterThan(0)
  })

  it('the destination retries events after a failure of the vendor', async () => {
    const { peer, options } = await vendorOf(given, () => ({ status: 503, body: given.secrets.join(' ') }))
    const ended = await deliver(definition, given.settings(peer.url), given.events, options)
    if ('error' in ended) expect(ended.error).toBeInstanceOf(RetryableError)
    else expect(ended.outcomes).toMatchObject(given.events.map(() => ({ kind: 'retry' })))
    hides(given, ended.kept)
  })

  const hostile = hostileAnswers.filter(([, answer]) => given.successByStatus !== true || !isSuccess(answer))
  it.each(hostile)('the destination delivers nothing and does not crash if the response is %s', async (_, answer) => {
    const { peer, options } = await vendorOf(given, () => answer)
    const ended = await deliver(definition, given.settings(peer.url), given.events, options)
    hides(given, ended.kept)
    if ('error' in ended) return
    expect(ended.outcomes).toHaveLength(given.events.length)
    expect(ended.outcomes.filter(({ kind }) => kind === 'delivered')).toEqual([])
  })
}

/**
 * Defines the tests that every destination must pass, with its data: success, bad credentials, rate limit, partial
 * failure, oversize, age, hostile responses. Special behavior of a destination has its own tests.
 */
export const testDestination = (definition: DestinationDefinition, given: DestinationCase): void => {
  describe(`${definition.title}, like every destination`, () => {
    it('the destination delivers events with the requests that the vendor documents', async () => {
      const { peer, asked, options } = await vendorOf(given)
      const ended = await deliver(definition, given.settings(peer.url), given.events, options)
      expect(ended).toMatchObject({ outcomes: given.events.map(() => ({ kind: 'delivered' })) })
      expect(asked).toMatchObject(given.requests)
      expect(asked).toHaveLength(given.requests.length)
      hides(given, ended.kept)
    })

    it('the destination reports a working connection, and sends no event for that', async () => {
      const { peer, asked, options } = await vendorOf(given)
      const tested = await runConnectionTest(definition, given.settings(peer.url), options)
      expect(tested).toEqual({ ok: true, message: given.connected })
      for (const { messageId } of given.events) expect(JSON.stringify(asked)).not.toContain(messageId)
    })

    const { badCredentials, partialFailure, oversize } = given
    if (badCredentials !== undefined)
      it('the destination holds events while the credentials are rejected, and the connection test says why', async () => {
        const { settings, answer, message } = badCredentials
        const { peer, options } = await vendorOf(given, answer === undefined ? given.vendor : () => answer)
        const ended = await deliver(definition, settings(peer.url), given.events, options)
        expect('error' in ended ? ended.error : ended).toBeInstanceOf(ConfigurationError)
        expect('error' in ended ? ended.error.message : '').toContain(message)
        hides(given, ended.kept)
        const tested = await runConnectionTest(definition, settings(peer.url), options)
        expect(tested).toEqual({ ok: false, message: expect.stringContaining(message) })
      })

    if (partialFailure !== undefined)
      it('the destination distinguishes the events that the vendor rejects from those that it accepts', async () => {
        const { peer, options } = await vendorOf(given)
        const ended = await deliver(definition, given.settings(peer.url), partialFailure.events, options)
        expect(ended).toMatchObject({ outcomes: partialFailure.outcomes })
        hides(given, ended.kept)
      })

    if (oversize !== undefined)
      it('the destination does not send events that are too large for the vendor, and sends the others', async () => {
        const { peer, asked, options } = await vendorOf(given)
        const { outcomes } = await runConnector(definition, given.settings(peer.url), oversize.events, options)
        expect(outcomes).toMatchObject(oversize.outcomes)
        expect(asked).toHaveLength(oversize.requests)
      })

    it('the destination skips events that are too old for the vendor', () => {
      expect(definition.maxEventAgeMs).toBe(given.maxEventAgeMs)
    })

    testFaults(definition, given)
  })
}
