import type { Settings } from '@tributary/connector-kit'
import { trackingLimits } from '@tributary/contract'
import type { PaceLimits } from '@tributary/http'
import type { Clock, Logger, Metrics, WorkShare } from '@tributary/kernel'
import type { Coordination, LogAppender } from '@tributary/storage'
import type { TurnSettings } from './body/turns.ts'
import type { Webhooks } from './webhook/receive-webhook.ts'

/** The source and organization of a write key, from the current snapshot. */
export type WriteKeyEntry = {
  organizationId: string
  workspaceId: string
  sourceId: string
  sourceTitle: string
  sourceEnabled: boolean
  /** Slug of the source's entry in the catalog. */
  app: string
  /** The settings of the source, with secrets; undefined if the secrets cannot be decrypted. */
  settings: Settings | undefined
  keyId: string
}

/** A snapshot of the write keys in memory. A request never waits for the database. */
export interface WriteKeyCache {
  find(key: string): WriteKeyEntry | undefined
  /** Returns the source of a revoked key, so that the rejections can be shown at the source. */
  findRevoked(key: string): WriteKeyEntry | undefined
  /** Returns false until the first snapshot is loaded. Collection returns 503 until then. */
  ready(): boolean
}

/** Requests rejected for one reason since the last flush. Times are epoch ms; `hour` is the full hour of `lastTime`. */
export type RefusalRow = {
  workspaceId: string | null
  sourceId: string | null
  /** For unknown keys: the first characters and '…'; `*` stands for all keys beyond the maximum. */
  keyHint: string
  reason: string
  code: number
  hour: number
  count: number
  lastTime: number
  message: string
  /** One request as redacted JSON, at most 2,000 characters; '' if an earlier sample is recent enough. */
  sample: string
}

export type WriteKeyUse = { keyId: string /** Epoch ms. */; lastUsed: number }

/** Stores rejections and key uses. After a failed call, the same rows are written again together with newer ones. */
export interface RefusalSink {
  write(rows: readonly RefusalRow[]): Promise<void>
  touchWriteKeys(rows: readonly WriteKeyUse[]): Promise<void>
}

/** Sizes in bytes; times in milliseconds unless the name has another unit. */
export type CollectSettings = {
  /** Maximum bytes of a body, before and after decompression. */
  bodyBytes: number
  /** Maximum bytes of a single event as received. */
  eventBytes: number
  /** Maximum bytes in memory of all bodies with a known key. Above it, requests get 503. */
  bufferedBytes: number
  /**
   * Maximum bytes in memory of the bodies of one workspace, if their key is known. Above it, requests of the workspace
   * get 503.
   */
  workspaceBufferedBytes: number
  /** Minimum pace of a body with a known key. */
  pace: PaceLimits
  /**
   * Limits for requests without a key outside of their body. A larger body gets 413. A request that would exceed the
   * bytes in memory gets 503.
   */
  keyless: {
    bodyBytes: number
    /** Maximum bytes in memory of all these requests together. */
    bufferedBytes: number
    /** Maximum bytes in memory of the requests of this kind from one address. */
    addressBytes: number
    pace: PaceLimits
  }
  /**
   * Decides which bodies are processed in turns, and how many bytes of such bodies can wait. Requests beyond that
   * number get 429.
   */
  turns: TurnSettings
  /**
   * Maximum bytes of bodies of one workspace that were accepted and are not processed yet. Above it, requests of the
   * workspace get 429. Collecting processes share the quota equally.
   */
  quotaBytes: number
  retryAfterSeconds: number
  flushMs: number
  /** Maximum time that `stop` waits for running requests. */
  drainMs: number
}

const MiB = 1024 * 1024

export const defaultCollectSettings: CollectSettings = {
  bodyBytes: trackingLimits.bodyBytes,
  eventBytes: trackingLimits.eventBytes,
  bufferedBytes: 256 * MiB,
  workspaceBufferedBytes: 64 * MiB,
  pace: { windowMs: 10_000, windowBytes: 16 * 1024, totalMs: 60_000 },
  // SDKs that send their key only in the body send at most half a megabyte.
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

/**
 * The workspaces that are spread over several partitions or whose spread is being changed, from the current snapshot.
 */
export type WorkspaceSpreads = {
  /**
   * Returns the spread of a workspace, the same object until the spread changes; undefined for a workspace with a
   * single partition.
   */
  of(workspaceId: string): WorkspaceSpread | undefined
  /** Returns the names of the running changes. Requests of the changing workspaces are not appended. */
  changes(): readonly string[]
}

export type WorkspaceSpread = {
  partitions: readonly number[]
  /** The name of the running change of the spread, if there is one. */
  change?: string | undefined
}

export type CollectDeps = {
  /** Returns the number of collecting processes, including this one; one by default. */
  processes?: () => number
  log: Pick<LogAppender, 'append' | 'isUnsure'>
  keys: WriteKeyCache
  /** Spreads of workspaces; by default there are none. */
  spreads?: WorkspaceSpreads
  refusals: RefusalSink
  coordination: Pick<Coordination, 'subscribe'>
  /** Rules for calls to the webhooks of sources, for the kinds of sources that have rules. */
  webhooks?: Webhooks
  /** The built code of the product's own tag; without it, no tag is served. */
  tag?: string
  /**
   * Returns the workspace of a custom domain by its host in lower case, and whether the DNS records of the domain were
   * recently valid. By default there are no domains.
   */
  domains?: { workspaceOf(host: string): string | undefined; mayHaveCertificate(host: string): boolean }
  /**
   * Returns the part of the time since the last call, 0 to 1, that the threads which handle accepted events lacked
   * processor time. While they do, requests wait. By default, they never lack any.
   */
  shortage?: () => number
  /** The work share for the thread time of templates and large bodies; a new one by default. */
  workShare?: WorkShare
  clock: Clock
  logger: Logger
  metrics: Metrics
  /** Addresses and CIDR ranges whose X-Forwarded-For, -Proto, and -Host are trusted. */
  trustedProxies: readonly string[]
  /** The origin under which clients reach this server; by default it is read from each request. */
  publicUrl?: string
  /** Returns false if the disk is nearly full. Every request then gets 503. */
  diskOk?: () => boolean
  settings?: Partial<CollectSettings>
}
