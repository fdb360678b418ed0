import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestMeta } from '@tributary/contract'
import { createBodyBudget, createPace, discardBody, networkOf } from '@tributary/http'
import { sendRefusal } from './answer.ts'
import type { ReadTerms } from './body/body.ts'
import { knownInflating, strangersInflating } from './body/inflate.ts'
import { type AddressRange, clientAddress, isDevice, parseProxies, requestHost } from './client.ts'
import { createLogProducer, type LogProducer } from './log-producer.ts'
import { createMetricsBuffer, type MetricsBuffer } from './metrics-buffer.ts'
import { type CollectDeps, type CollectSettings, defaultCollectSettings, type WriteKeyEntry } from './ports.ts'
import { createQuota, type Quota } from './quota.ts'
import { sampleOf } from './redact.ts'
import type { Refusal } from './refusal.ts'
import * as refusals from './refusal.ts'
import { createRefusalCounter, type RefusalCounter } from './refusal-counter.ts'
import type { EventRoute } from './routes.ts'

/** One request with its query text (without the question mark). */
export type CollectRequest = { req: IncomingMessage; res: ServerResponse; query: string }

/** Answers that send the client away for a while. */
type RetryLaterAnswers = Record<
  | 'starting'
  | 'stopping'
  | 'diskFull'
  | 'overloaded'
  | 'keylessOverloaded'
  | 'tooSlow'
  | 'quota'
  | 'busy'
  | 'largeBusy'
  | 'unavailable'
  | 'moving'
  | 'settingsUnreadable',
  Refusal
>

/** What all endpoints share: limits, counts, the way into the log, and the words of refusal. */
export type IngestionContext = {
  readonly settings: CollectSettings
  readonly proxies: readonly AddressRange[]
  readonly quota: Quota
  readonly producer: LogProducer
  readonly counter: RefusalCounter
  readonly metricsBuffer: MetricsBuffer
  readonly retryLater: RetryLaterAnswers
  /** Why nothing at all can be taken at the moment. */
  checkAdmission(): Refusal | undefined
  /** Why the source takes no events in this way: it is switched off, or takes them through its signed webhook only. */
  closedTo(entry: WriteKeyEntry, byOwnWebhook: boolean): Refusal | undefined
  /** Why a call to this host is not for the source: the host is a custom domain of another workspace. */
  foreignTo(req: IncomingMessage, entry: WriteKeyEntry): Refusal | undefined
  /** The origin of the custom domain that a call came to; undefined for the product's own address. */
  customOrigin(req: IncomingMessage): string | undefined
  /** Under which terms a body is read, and on whose share: its workspace's, or the small one of its sender's address. */
  termsFor(entry: WriteKeyEntry | undefined): ReadTerms
  ownerOf(req: IncomingMessage, entry: WriteKeyEntry | undefined): string
  /** Bytes of bodies that are held. */
  buffered(): number
  /** Refuses everything from now on. */
  close(): void
  /** Counts what the client loses for good, with a sample. */
  countLost(
    refusal: Refusal,
    req: IncomingMessage,
    entry: WriteKeyEntry | undefined,
    key: string | undefined,
    body?: Buffer,
  ): void
  /**
   * Answers a refusal. Counts it unless the client may send the request again; what a workspace's own quota refuses is
   * counted all the same, since its people can do something about it. Reads away what is left of the body.
   */
  refuse(
    request: CollectRequest,
    call: string,
    refusal: Refusal,
    entry?: WriteKeyEntry,
    key?: string,
    body?: Buffer,
  ): void
  /** A fault of ours: logged, and answered 500 without its text. */
  fail(request: Pick<CollectRequest, 'req' | 'res'>, error: unknown): void
  /** Notes that a request of a key is on disk. */
  taken(call: string, entry: WriteKeyEntry, bytes: number): void
  metaOf(req: IncomingMessage, entry: WriteKeyEntry, route: EventRoute): RequestMeta
}

const maxAgentLength = 500

const forwardedFor = (req: IncomingMessage): string | undefined => {
  const value = req.headers['x-forwarded-for']
  return Array.isArray(value) ? value.join(',') : value
}

const retryLaterAnswers = (seconds: number): RetryLaterAnswers => ({
  starting: refusals.starting(seconds),
  stopping: refusals.stopping(seconds),
  diskFull: refusals.diskFull(seconds),
  overloaded: refusals.overloaded(seconds),
  keylessOverloaded: refusals.keylessOverloaded(seconds),
  tooSlow: refusals.tooSlow(seconds),
  quota: refusals.quotaExceeded(seconds),
  unavailable: refusals.unavailable(seconds),
  moving: refusals.moving(seconds),
  busy: refusals.workspaceBusy(seconds),
  largeBusy: refusals.largeBodiesBusy(seconds),
  settingsUnreadable: refusals.settingsUnreadable(seconds),
})

/** The two budgets for bodies: what strangers hold is never taken from those whose key is known. */
const createTerms = (settings: CollectSettings, addressOf: (req: IncomingMessage) => string) => {
  const { bodyBytes, keyless } = settings
  const known = {
    limit: bodyBytes,
    budget: createBodyBudget({ limit: settings.bufferedBytes, share: settings.workspaceBufferedBytes }),
    pace: createPace(settings.pace),
    inflating: knownInflating,
  }
  const unknown = {
    limit: Math.min(bodyBytes, keyless.bodyBytes),
    budget: createBodyBudget({ limit: keyless.bufferedBytes, share: keyless.addressBytes }),
    pace: createPace(keyless.pace),
    inflating: strangersInflating(),
  }
  const termsFor: IngestionContext['termsFor'] = (entry) => (entry === undefined ? unknown : known)
  const ownerOf: IngestionContext['ownerOf'] = (req, entry) => entry?.workspaceId ?? networkOf(addressOf(req))
  return { termsFor, ownerOf, buffered: () => known.budget.used() + unknown.budget.used() }
}

/** Sets up what the endpoints share. Throws when a trusted proxy is no address. */
export const createIngestionContext = (deps: CollectDeps): IngestionContext => {
  const { keys, clock } = deps
  const settings = { ...defaultCollectSettings, ...deps.settings }
  const proxies = parseProxies(deps.trustedProxies)
  const quota = createQuota(() => settings.quotaBytes / (deps.processes?.() ?? 1))
  const counter = createRefusalCounter(deps.refusals, clock, deps.logger)
  const metricsBuffer = createMetricsBuffer(deps.metrics)
  const retryLater = retryLaterAnswers(settings.retryAfterSeconds)
  const addressOf = (req: IncomingMessage): string =>
    clientAddress(req.socket.remoteAddress ?? '', forwardedFor(req), proxies)
  let closed = false

  const countLost: IngestionContext['countLost'] = (refusal, req, entry, key, body) =>
    counter.count(refusal, entry, key, () => sampleOf(req, body, key))

  return {
    settings,
    proxies,
    ...createTerms(settings, addressOf),
    quota,
    producer: createLogProducer(deps, quota, retryLater),
    counter,
    metricsBuffer,
    retryLater,
    checkAdmission() {
      if (closed) return retryLater.stopping
      if (!keys.ready()) return retryLater.starting
      return deps.diskOk === undefined || deps.diskOk() ? undefined : retryLater.diskFull
    },
    closedTo(entry, byOwnWebhook) {
      if (!entry.sourceEnabled) return refusals.sourceDisabled
      return !byOwnWebhook && deps.webhooks?.get(entry.app)?.signed === true ? refusals.signedOnly : undefined
    },
    foreignTo(req, entry) {
      const owner = deps.domains?.workspaceOf(requestHost(req, proxies))
      return owner === undefined || owner === entry.workspaceId ? undefined : refusals.foreignDomain
    },
    customOrigin(req) {
      const host = requestHost(req, proxies)
      return deps.domains?.workspaceOf(host) === undefined ? undefined : `https://${host}`
    },
    close() {
      closed = true
    },
    countLost,
    refuse(request, call, refusal, entry, key, body) {
      metricsBuffer.answered(call, refusal.code)
      const shown = refusal === retryLater.quota || refusal === retryLater.busy || refusal === retryLater.largeBusy
      if (refusal.retryAfter === undefined || shown) countLost(refusal, request.req, entry, key, body)
      if (!request.req.complete && request.req.listenerCount('data') === 0) discardBody(request.req)
      sendRefusal(request.req, request.res, refusal)
    },
    fail({ req, res }, error) {
      deps.logger.error({ err: error }, 'A request to collection failed')
      metricsBuffer.answered('fault', 500)
      sendRefusal(req, res, refusals.fault)
    },
    taken(call, entry, bytes) {
      metricsBuffer.accepted(call, bytes)
      counter.touch(entry.keyId, clock())
    },
    metaOf(req, entry, route) {
      const meta: RequestMeta = {
        w: entry.workspaceId,
        s: entry.sourceId,
        k: route.kind === 'batch' ? 'batch' : 'single',
        r: clock(),
        ip: addressOf(req),
      }
      if (route.kind !== 'batch') meta.t = route.type
      else if (route.forwarded === true) meta.f = true
      const agent = req.headers['user-agent']
      if (agent !== undefined) meta.ua = agent.length > maxAgentLength ? agent.slice(0, maxAgentLength) : agent
      if (isDevice(route.client, req)) meta.d = true
      return meta
    },
  }
}
