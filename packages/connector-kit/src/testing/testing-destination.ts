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

/** A request as the vendor gets it. */
export type VendorRequest = {
  method: string
  /** Host of the address that the connector called, whatever stands for it in the test. */
  host: string
  path: string
  query: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string | undefined>>
  /** JSON as a value, decompressed; anything else as text. */
  body: unknown
  /** As it came. */
  raw: PeerRequest
}

/** Data for the tests of a destination, and what the vendor documents. */
export type DestinationCase = {
  /** Origins that the connector asks, when no setting names them; the vendor of the test stands for each. */
  origins?: readonly string[]
  /** Settings that work; `url` is where the vendor of the test is. */
  settings: (url: string) => Readonly<Record<string, unknown>>
  /** For a destination that needs a grant: returns its tokens. */
  accessToken?: NonNullable<DeliverContext['accessToken']>
  /** Texts that nothing that is kept may contain. */
  secrets: readonly string[]
  /** Answers as the vendor documents it, its refusals included; name the page. */
  vendor: (request: VendorRequest) => PeerAnswer
  /** Events as mappings make them, all of which the vendor takes. */
  events: readonly OutgoingEvent[]
  /** Requests that the vendor gets for them, in order. */
  requests: readonly Partial<VendorRequest>[]
  /** The message when the test of the connection succeeds. */
  connected: string
  /** Undefined where the receiver is the user's own, and a refusal may be for the event. */
  badCredentials?: {
    settings: (url: string) => Readonly<Record<string, unknown>>
    /** Instead of the vendor's own refusal of those settings. */
    answer?: PeerAnswer
    message: string
  }
  /** How the vendor says that it is too much for now, unless by 429 with Retry-After: 7. */
  rateLimit?: { answer: PeerAnswer; retryAfterMs?: number }
  /** It takes by the status alone whatever it answers besides, a web page among it. */
  successByStatus?: boolean
  /** Events of which the vendor takes some. Undefined where it takes or refuses a request whole. */
  partialFailure?: { events: readonly OutgoingEvent[]; outcomes: readonly EventOutcome[] }
  /** Events of which some are too large for the vendor, and how many requests are made of the others. */
  oversize?: { events: readonly OutgoingEvent[]; outcomes: DeliverResult['outcomes']; requests: number }
  /** Events that happened longer ago are not sent, ms; undefined where the vendor takes all. */
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
 * Starts a stand-in for the vendor until the test ends. Returns it, the requests that it gets, and a function that
 * leads addresses of its origins to it.
 */
export const startVendor = async (
  { origins = [] }: Pick<DestinationCase, 'origins'>,
  answer: (request: VendorRequest) => PeerAnswer,
): Promise<{ peer: Peer; asked: readonly VendorRequest[]; rebase: (url: string) => string }> => {
  const asked: VendorRequest[] = []
  const peer = await startPeer((raw) => {
    const { method, url, headers, bytes } = raw
    const given = new URL(url, 'http://vendor.example')
    // Behind an origin of the vendor, the first part of the path is its host.
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

/** One outcome for each event, or the error that says it of all. */
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
    // Anything else is a fault of the connector.
    if (!(error instanceof DeliveryError)) throw error
    const { message, exchange } = error
    return { error, kept: JSON.stringify({ message, exchange }) }
  }
}

const page = '<!doctype html><html><title>Sign in</title></html>'
/** Answers that no vendor documents and that still come: from a proxy, a parked domain, a broken server. */
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

/**
 * Defines the tests that every destination passes, filled with its data: success, bad credentials, rate limit, partial
 * failure, oversize, age, hostile answers. The special behavior of a destination has its own tests beside these.
 */
export const testDestination = (definition: DestinationDefinition, given: DestinationCase): void => {
  const hides = (kept: string): void => {
    for (const secret of given.secrets) expect(kept).not.toContain(secret)
  }
  const granted = given.accessToken === undefined ? {} : { accessToken: given.accessToken }
  const vendorOf = async (answer = given.vendor) => {
    const { rebase, ...vendor } = await startVendor(given, answer)
    return { ...vendor, options: { rebase, ...granted } }
  }

  describe(`${definition.title}, as every destination`, () => {
    it('delivers events by the requests that the vendor documents', async () => {
      const { peer, asked, options } = await vendorOf()
      const ended = await deliver(definition, given.settings(peer.url), given.events, options)
      expect(ended).toMatchObject({ outcomes: given.events.map(() => ({ kind: 'delivered' })) })
      expect(asked).toMatchObject(given.requests)
      expect(asked).toHaveLength(given.requests.length)
      hides(ended.kept)
    })

    it('says when the connection works, and sends no event for that', async () => {
      const { peer, asked, options } = await vendorOf()
      const tested = await runConnectionTest(definition, given.settings(peer.url), options)
      expect(tested).toEqual({ ok: true, message: given.connected })
      for (const { messageId } of given.events) expect(JSON.stringify(asked)).not.toContain(messageId)
    })

    const { badCredentials, partialFailure, oversize } = given
    if (badCredentials !== undefined)
      it('holds events while the credentials are refused, and the test of the connection says why', async () => {
        const { settings, answer, message } = badCredentials
        const { peer, options } = await vendorOf(answer === undefined ? given.vendor : () => answer)
        const ended = await deliver(definition, settings(peer.url), given.events, options)
        expect('error' in ended ? ended.error : ended).toBeInstanceOf(ConfigurationError)
        expect('error' in ended ? ended.error.message : '').toContain(message)
        hides(ended.kept)
        const tested = await runConnectionTest(definition, settings(peer.url), options)
        expect(tested).toEqual({ ok: false, message: expect.stringContaining(message) })
      })

    it('tries events again when the vendor has enough for now, after the time it names', async () => {
      const { answer, retryAfterMs } = given.rateLimit ?? {
        answer: { status: 429, headers: { 'retry-after': '7' }, body: page },
        retryAfterMs: 7000,
      }
      const { peer, asked, options } = await vendorOf(() => answer)
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

    it('tries events again when the vendor has a fault', async () => {
      const { peer, options } = await vendorOf(() => ({ status: 503, body: given.secrets.join(' ') }))
      const ended = await deliver(definition, given.settings(peer.url), given.events, options)
      if ('error' in ended) expect(ended.error).toBeInstanceOf(RetryableError)
      else expect(ended.outcomes).toMatchObject(given.events.map(() => ({ kind: 'retry' })))
      hides(ended.kept)
    })

    if (partialFailure !== undefined)
      it('distinguishes the events that the vendor refuses from those that it takes', async () => {
        const { peer, options } = await vendorOf()
        const ended = await deliver(definition, given.settings(peer.url), partialFailure.events, options)
        expect(ended).toMatchObject({ outcomes: partialFailure.outcomes })
        hides(ended.kept)
      })

    if (oversize !== undefined)
      it('does not send what is too large for the vendor, and sends the rest', async () => {
        const { peer, asked, options } = await vendorOf()
        const { outcomes } = await runConnector(definition, given.settings(peer.url), oversize.events, options)
        expect(outcomes).toMatchObject(oversize.outcomes)
        expect(asked).toHaveLength(oversize.requests)
      })

    it('leaves out events that are too old for the vendor', () => {
      expect(definition.maxEventAgeMs).toBe(given.maxEventAgeMs)
    })

    const hostile = hostileAnswers.filter(([, answer]) => given.successByStatus !== true || !isSuccess(answer))
    it.each(hostile)('keeps its head when it is answered %s', async (_, answer) => {
      const { peer, options } = await vendorOf(() => answer)
      const ended = await deliver(definition, given.settings(peer.url), given.events, options)
      hides(ended.kept)
      if ('error' in ended) return
      expect(ended.outcomes).toHaveLength(given.events.length)
      expect(ended.outcomes.filter(({ kind }) => kind === 'delivered')).toEqual([])
    })
  })
}
