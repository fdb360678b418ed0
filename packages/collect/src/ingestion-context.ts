import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestMeta } from '@tributary/contract'
import { createPace, discardBody, networkOf } from '@tributary/http'
import { createPool, cutText } from '@tributary/kernel'
import { createAdmission } from './admission.ts'
import { sendRefusal } from './answer.ts'
import type { BodySender, ReadTerms } from './body/body.ts'
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

/** Refusals after which the client should retry later. */
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
  | 'slowed'
  | 'settingsUnreadable',
  Refusal
>

/** What all endpoints share: limits, counters, the log producer, and the texts of rejections. */
export type IngestionContext = {
  readonly settings: CollectSettings
  readonly proxies: readonly AddressRange[]
  readonly quota: Quota
  readonly producer: LogProducer
  readonly counter: RefusalCounter
  readonly metricsBuffer: MetricsBuffer
  readonly retryLater: RetryLaterAnswers
  /** Returns why no request can be accepted at the moment; undefined if requests can be accepted. */
  checkAdmission(): Refusal | undefined
  /** Returns why the source rejects events of this kind of call: it is disabled, or accepts only its signed webhook. */
  closedTo(entry: WriteKeyEntry, byOwnWebhook: boolean): Refusal | undefined
  /** Returns why a call to this host cannot be for the source: the host is a custom domain of another workspace. */
  foreignTo(req: IncomingMessage, entry: WriteKeyEntry): Refusal | undefined
  /** Whether the workspace has verified a host. */
  hasVerified(workspaceId: string, host: string): boolean
  /** Returns the origin of the custom domain to which a call was sent; undefined for the product's own address. */
  customOrigin(req: IncomingMessage): string | undefined
  /**
   * Returns the limits for reading a body, and the shares to which it is charged: the shares of its workspace and
   * organization, or the small share of the sender's network.
   */
  termsFor(entry: WriteKeyEntry | undefined): ReadTerms
  senderOf(req: IncomingMessage, entry: WriteKeyEntry | undefined, work: string): BodySender
  /** Returns the bytes of all bodies in memory. */
  buffered(): number
  /** Makes `checkAdmission` reject every request from now on. */
  close(): void
  /** Counts a request that the client will not send again, with a sample. */
  countLost(
    refusal: Refusal,
    req: IncomingMessage,
    entry: WriteKeyEntry | undefined,
    key: string | undefined,
    body?: Buffer,
  ): void
  /**
   * Responds with a refusal, and discards the rest of the body. Counts the refusal unless the client may retry; a
   * refusal by the workspace's own quota is still counted, because its members can act on it.
   */
  refuse(
    request: CollectRequest,
    call: string,
    refusal: Refusal,
    entry?: WriteKeyEntry,
    key?: string,
    body?: Buffer,
  ): void
  /** Logs an internal fault, and returns 500 without its text. */
  fail(request: Pick<CollectRequest, 'req' | 'res'>, error: unknown): void
  /** Counts an event request that is on disk, and records the use of its key. */
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
  slowed: refusals.slowed(seconds),
  busy: refusals.workspaceBusy(seconds),
  largeBusy: refusals.largeBodiesBusy(seconds),
  settingsUnreadable: refusals.settingsUnreadable(seconds),
})

/** Maximum share of one organization in the memory for bodies. */
const organizationPart = 0.5
/** Maximum share of one kind of call in the memory for bodies. */
const workPart = 0.875

/**
 * Creates the limits of the two pools of memory for bodies. Senders without a known key never use the pool of senders
 * with a known key.
 */
const createTerms = (settings: CollectSettings, addressOf: (req: IncomingMessage) => string) => {
  const { bodyBytes, keyless } = settings
  const known = {
    limit: bodyBytes,
    pool: createPool({
      total: settings.bufferedBytes,
      shares: {
        workspace: settings.workspaceBufferedBytes,
        organization: organizationPart * settings.bufferedBytes,
        work: workPart * settings.bufferedBytes,
      },
      shrinking: ['workspace', 'organization'],
    }),
    pace: createPace(settings.pace),
    inflating: knownInflating,
  }
  const unknown = {
    limit: Math.min(bodyBytes, keyless.bodyBytes),
    pool: createPool({
      total: keyless.bufferedBytes,
      shares: { network: keyless.addressBytes, work: workPart * keyless.bufferedBytes },
      shrinking: ['network'],
    }),
    pace: createPace(keyless.pace),
    inflating: strangersInflating(),
  }
  const termsFor: IngestionContext['termsFor'] = (entry) => (entry === undefined ? unknown : known)
  const senderOf: IngestionContext['senderOf'] = (req, entry, work) => {
    if (entry === undefined) {
      const network = networkOf(addressOf(req))
      return { owner: network, holders: { network, work } }
    }
    const { workspaceId: workspace, organizationId: organization } = entry
    return { owner: workspace, holders: { workspace, organization, work } }
  }
  return { termsFor, senderOf, buffered: () => known.pool.held() + unknown.pool.held() }
}

/** Creates the shared context. Throws if a trusted proxy is not an IP address. */
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
    producer: createLogProducer(deps, quota, retryLater, createAdmission(deps.shortage ?? (() => 0), deps.logger)),
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
    hasVerified: (workspaceId, host) =>
      deps.domains?.workspaceOf(host) === workspaceId && deps.domains.mayHaveCertificate(host),
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
      deps.logger.error({ err: error }, 'collection request failed')
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
      if (agent !== undefined) meta.ua = cutText(agent, maxAgentLength)
      if (isDevice(route.client, req)) meta.d = true
      return meta
    },
  }
}
