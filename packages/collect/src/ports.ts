import type { Settings } from '@tributary/connector-kit'
import { trackingLimits } from '@tributary/contract'
import type { PaceLimits } from '@tributary/http'
import type { Clock, Logger, Metrics, WorkShare } from '@tributary/kernel'
import type { Coordination, LogAppender } from '@tributary/storage'
import type { TurnSettings } from './body/turns.ts'
import type { Webhooks } from './webhook/receive-webhook.ts'

/** The source and organization of a write key, as known at the moment. */
export type WriteKeyEntry = {
  organizationId: string
  workspaceId: string
  sourceId: string
  sourceTitle: string
  sourceEnabled: boolean
  /** Slug of the source's entry in the catalogue. */
  app: string
  /** Settings of its app, secrets included; undefined when the secrets cannot be opened. */
  settings: Settings | undefined
  keyId: string
}

/** A snapshot of the write keys in memory. Never waits and never queries the database during a request. */
export interface WriteKeyCache {
  find(key: string): WriteKeyEntry | undefined
  /** The source that a revoked key belonged to, so that its refusals can be shown there. */
  findRevoked(key: string): WriteKeyEntry | undefined
  /** False until the first snapshot is there: collection answers 503 meanwhile. */
  ready(): boolean
}

/** Requests refused for one reason since the last flush. Times are epoch ms; `hour` is the full hour of `lastTime`. */
export type RefusalRow = {
  workspaceId: string | null
  sourceId: string | null
  /** For unknown keys: the first characters and '…'; `*` sums up those beyond too many different ones. */
  keyHint: string
  reason: string
  code: number
  hour: number
  count: number
  lastTime: number
  message: string
  /** JSON of one request, redacted, at most 2,000 characters; '' when an earlier sample still stands for it. */
  sample: string
}

export type WriteKeyUse = { keyId: string /** Epoch ms. */; lastUsed: number }

/** Stores refusals and key uses. A rejected call is repeated with the same and newer rows added up. */
export interface RefusalSink {
  write(rows: readonly RefusalRow[]): Promise<void>
  touchWriteKeys(rows: readonly WriteKeyUse[]): Promise<void>
}

/** Sizes in bytes, times in milliseconds unless the name says otherwise. */
export type CollectSettings = {
  /** A body before and after decompression. */
  bodyBytes: number
  /** A single event as received. */
  eventBytes: number
  /** Bodies held in memory by all requests with a known key together; beyond it requests are answered 503. */
  bufferedBytes: number
  /** Maximum of these for the bodies of one workspace; beyond it its requests are answered 503. */
  workspaceBufferedBytes: number
  /** Minimum pace of the body of a known key. */
  pace: PaceLimits
  /** Limits for requests without a key outside of their body; beyond them they are answered 413 and 503. */
  keyless: {
    bodyBytes: number
    /** Bodies held in memory by all such requests together, and by those of one address. */
    bufferedBytes: number
    addressBytes: number
    pace: PaceLimits
  }
  /**
   * Decides which bodies are processed in turns, and how many bytes of them wait; beyond it requests are answered 429.
   */
  turns: TurnSettings
  /**
   * Body bytes of one workspace that were accepted and are not processed yet; beyond it the workspace is answered 429.
   * Collecting processes have equal parts of it.
   */
  quotaBytes: number
  retryAfterSeconds: number
  flushMs: number
  /** How long `stop` waits for running requests. */
  drainMs: number
}

const MiB = 1024 * 1024

export const defaultCollectSettings: CollectSettings = {
  bodyBytes: trackingLimits.bodyBytes,
  eventBytes: trackingLimits.eventBytes,
  bufferedBytes: 256 * MiB,
  workspaceBufferedBytes: 64 * MiB,
  pace: { windowMs: 10_000, windowBytes: 16 * 1024, totalMs: 60_000 },
  // SDKs that leave their key in the body alone send half a megabyte at most.
  keyless: {
    bodyBytes: MiB,
    bufferedBytes: 32 * MiB,
    addressBytes: 8 * MiB,
    pace: { windowMs: 5000, windowBytes: 8 * 1024, totalMs: 20_000 },
  },
  turns: { largeBytes: MiB / 4, ownerBytes: 8 * MiB, allBytes: 64 * MiB },
  quotaBytes: 512 * MiB,
  retryAfterSeconds: 5,
  flushMs: 1000,
  drainMs: 10_000,
}

/** Workspaces that are in more than one partition, or are being changed, as known at the moment. */
export type WorkspaceSpreads = {
  /**
   * The spread of a workspace, the same object until it changes; undefined for a workspace in the partition of its key.
   */
  of(workspaceId: string): WorkspaceSpread | undefined
  /** Names of the running changes: nothing of their workspaces is accepted. */
  changes(): readonly string[]
}

export type WorkspaceSpread = {
  partitions: readonly number[]
  /** The name of the running change; undefined while there is none. */
  change?: string | undefined
}

export type CollectDeps = {
  /** Number of collecting processes, this one included; one unless given. */
  processes?: () => number
  log: Pick<LogAppender, 'append' | 'isUnsure'>
  keys: WriteKeyCache
  /** No workspace is spread unless given. */
  spreads?: WorkspaceSpreads
  refusals: RefusalSink
  coordination: Pick<Coordination, 'subscribe'>
  /** Rules for calls to the webhooks of some kinds of sources. */
  webhooks?: Webhooks
  /** The built code of the product's own tag; without it none is served. */
  tag?: string
  /**
   * The workspace of a custom domain, by its host in lower case, and whether its records were there lately; there is
   * none unless given.
   */
  domains?: { workspaceOf(host: string): string | undefined; mayHaveCertificate(host: string): boolean }
  /** Thread time that workspaces used for templates and large bodies; a new one unless given. */
  workShare?: WorkShare
  clock: Clock
  logger: Logger
  metrics: Metrics
  /** Addresses and CIDR ranges whose X-Forwarded-For, -Proto, and -Host are trusted. */
  trustedProxies: readonly string[]
  /** Origin under which clients reach this server; else it is taken from each request. */
  publicUrl?: string
  /** False when the disk is nearly full: everything is answered 503. */
  diskOk?: () => boolean
  settings?: Partial<CollectSettings>
}
