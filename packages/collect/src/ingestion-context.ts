import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EventType } from '@tributary/contract'
import { discardBody } from '@tributary/http'
import { createAdmission, createQuota, type Quota } from './admission.ts'
import { sendRefusal } from './answer.ts'
import { type BodyMemory, createBodyMemory } from './body/body.ts'
import {
  type AddressRange,
  createAddressOf,
  createEntryChecks,
  createMeta,
  type EntryChecks,
  parseProxies,
  requestHost,
} from './caller.ts'
import { createLogProducer, type LogProducer } from './log-producer.ts'
import { createMetricsBuffer, type MetricsBuffer } from './metrics-buffer.ts'
import { type CollectDeps, type CollectSettings, defaultCollectSettings, type WriteKeyEntry } from './ports.ts'
import { sampleOf } from './redact.ts'
import type { Refusal, RetryLater } from './refusal.ts'
import * as refusals from './refusal.ts'
import { createRefusalCounter, type RefusalCounter } from './refusal-counter.ts'

/** One request with its query text (without the question mark). */
export type CollectRequest = { req: IncomingMessage; res: ServerResponse; query: string }

/**
 * The meaning of a path of the tracking API. `client` is true for a path that only browsers and apps use, so that the
 * caller is the user's device.
 */
export type Route =
  | { kind: 'single'; type: EventType; client: boolean }
  /** `forwarded` is true if another collecting server forwards the calls of its SDKs. */
  | { kind: 'batch'; client: boolean; forwarded?: true }
  /** A webhook call of a service without an SDK. */
  | { kind: 'webhook' }
  /** A call of another collecting server's webhook destination: an event, or a list of events. */
  | { kind: 'forward' }
  | { kind: 'data-pixel'; type: EventType; client: true }
  | { kind: 'query-pixel'; type: EventType; client: true }
  /** Reports of SDKs about themselves, which are read and discarded. */
  | { kind: 'discard' }
  | { kind: 'settings'; key: string }
  | { kind: 'source-config' }
  | { kind: 'script'; key: string }
  | { kind: 'bundle'; file: string }
  /** The code of the product's own tag for one source. */
  | { kind: 'tag'; key: string }
  /** First-party cookies that the tag requests. */
  | { kind: 'tag-cookies'; key: string }

export type TrackRoute = Extract<Route, { kind: 'single' | 'batch' }>
export type PixelRoute = Extract<Route, { kind: 'data-pixel' | 'query-pixel' }>
/** Routes whose requests become events. */
export type EventRoute = TrackRoute | PixelRoute
export type StartRoute = Extract<Route, { kind: 'settings' | 'script' | 'source-config' | 'bundle' }>
export type TagRoute = Extract<Route, { kind: 'tag' | 'tag-cookies' }>

/** What all endpoints share: limits, counters, the log producer, and the texts of rejections. */
export type IngestionContext = BodyMemory &
  EntryChecks & {
    readonly settings: CollectSettings
    readonly proxies: readonly AddressRange[]
    readonly quota: Quota
    readonly producer: LogProducer
    readonly counter: RefusalCounter
    readonly metricsBuffer: MetricsBuffer
    readonly retryLater: RetryLater
    /** Whether the workspace has verified a host. */
    hasVerified(workspaceId: string, host: string): boolean
    /** Returns the origin of the custom domain to which a call was sent; undefined for the product's own address. */
    customOrigin(req: IncomingMessage): string | undefined
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
    /** Returns the meta of the record of a request. */
    readonly metaOf: ReturnType<typeof createMeta>
  }

/** Creates the shared context. Throws if a trusted proxy is not an IP address. */
export const createIngestionContext = (deps: CollectDeps): IngestionContext => {
  const { clock } = deps
  const settings = { ...defaultCollectSettings, ...deps.settings }
  const proxies = parseProxies(deps.trustedProxies)
  const quota = createQuota(() => settings.quotaBytes / (deps.processes?.() ?? 1))
  const counter = createRefusalCounter(deps.refusals, clock, deps.logger)
  const metricsBuffer = createMetricsBuffer(deps.metrics)
  const retryLater = refusals.retryLaterAfter(settings.retryAfterSeconds)
  const addressOf = createAddressOf(proxies)

  const countLost: IngestionContext['countLost'] = (refusal, req, entry, key, body) =>
    counter.count(refusal, entry, key, () => sampleOf(req, body, key))

  return {
    settings,
    proxies,
    ...createBodyMemory(settings, addressOf),
    ...createEntryChecks(deps, proxies, retryLater),
    quota,
    producer: createLogProducer(deps, quota, retryLater, createAdmission(deps.shortage ?? (() => 0), deps.logger)),
    counter,
    metricsBuffer,
    retryLater,
    hasVerified: (workspaceId, host) =>
      deps.domains?.workspaceOf(host) === workspaceId && deps.domains.mayHaveCertificate(host),
    customOrigin(req) {
      const host = requestHost(req, proxies)
      return deps.domains?.workspaceOf(host) === undefined ? undefined : `https://${host}`
    },
    metaOf: createMeta(clock, addressOf),
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
  }
}
