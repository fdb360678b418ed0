import { mkdtempSync, rmSync } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEgressPolicy, createRequestClient, type DestinationDefinition } from '@tributary/connector-kit'
import type { Peer } from '@tributary/connector-kit/testing'
import type { DeliveryMeta, PipelineEvent } from '@tributary/contract'
import { newId, noMetrics, silentLogger, type WorkShare } from '@tributary/kernel'
import {
  type Database,
  type EventStore,
  type LogPosition,
  type LogWriter,
  openJournal,
  openLogReader,
  openLogWriter,
  systemOwner,
} from '@tributary/storage'
import type { Kysely } from 'kysely'
import { createDelivery, type Delivery } from './delivery.ts'
import type { AccessTokens, DestinationEntry, ForgottenUsers, Profiles } from './ports.ts'
import type { DeliverySettings } from './settings.ts'

/** Settings whose times are short enough for tests. All other settings are as in the product. */
export const quickSettings: Partial<DeliverySettings> = {
  retry: { baseMs: 100, capMs: 1000, maxElapsedMs: 4 * 3_600_000 },
  circuit: { consecutive: 5, window: 40, ratio: 0.8, baseMs: 100, capMs: 300 },
  parkAfterMs: 50,
  stallMs: 200,
  flushMs: 20,
  attempts: { rows: 1000, waitMs: 50, bufferRows: 20_000, bufferBytes: 16 * 1024 * 1024 },
  unknownGraceMs: 300,
  drainMs: 3000,
}

/** An event in the form of the pipeline. */
export const sampleEvent = (number: number): PipelineEvent => ({
  eventId: `0-${number}-0`,
  messageId: `m-${number}`,
  type: 'track',
  event: 'Order Completed',
  userId: 'u1',
  properties: { number },
  context: { library: { name: 'test' } },
  test: false,
  receivedAt: '2026-01-01T00:00:00.000Z',
  timestamp: '2026-01-01T00:00:00.000Z',
})

export type Fixture = {
  workspaceId: string
  sourceId: string
  folder: string
  delivery: Delivery
  entries: Map<string, DestinationEntry>
  /** The deliveries log. */
  stream: LogWriter
  /** Creates a destination and returns its ID. */
  destination(settings: Record<string, unknown>, more?: Partial<DestinationEntry>): string
  /** Appends events, `perRecord` in each record; their message IDs continue from the last call. */
  append(
    destinations: readonly string[],
    events: number,
    perRecord?: number,
    more?: Partial<DeliveryMeta>,
    eventOf?: (number: number) => Partial<PipelineEvent>,
  ): Promise<LogPosition[]>
  /** Changes a destination like the configuration cache does. */
  change(id: string, changes: Partial<DestinationEntry>): void
  /** Stops the delivery and starts a new one with the same log, journal, and stores. */
  restart(settings?: Partial<DeliverySettings>): Promise<void>
  /** Rows of the delivery log, in no order. */
  attempts(): Promise<AttemptRow[]>
  close(): Promise<void>
}

type AttemptRow = {
  destination_id: string
  message_id: string
  attempt: number
  status: string
  http_status: number
  reason: string
  request: string
  response: string
  replay_id: string
  event_id: string
  producer: string
  operation: string
  object: string
  key: string
}

export type FixtureDeps = {
  /** Folder of the log and the journal. If absent, a new folder. */
  folder?: string
  /** Workspace of the appended events. If absent, a new workspace. */
  workspaceId?: string
  /** Whether the delivery is started. If absent, true. */
  start?: boolean
  db: Kysely<Database>
  eventStore: EventStore
  connector: DestinationDefinition
  settings?: Partial<DeliverySettings>
  timeoutMs?: number
  accessTokens?: AccessTokens
  /** Size of a file of the log. If absent, as in the product. */
  segmentBytes?: number
  /** The deleted users. If absent, none. */
  forgotten?: ForgottenUsers
  /** The profiles of events. If absent, none. */
  profiles?: Profiles
  /** The thread time that workspaces use. If absent, a new share. */
  workShare?: WorkShare
  /** The clock of the log and of the delivery, epoch ms. If absent, that of the system. */
  clock?: () => number
  /** Resolver of host names. If absent, that of the system. */
  lookup?: LookupFunction
}

const egress = createEgressPolicy({ allow: ['127.0.0.0/8'] })

type Running = { delivery: Delivery; shut: () => Promise<void> }

/** Opens a delivery on the log and journal of a folder; requests may reach loopback only. */
export const openDelivery = (
  deps: FixtureDeps & { folder: string; entries: ReadonlyMap<string, DestinationEntry> },
): Running => {
  const reader = openLogReader({ dir: join(deps.folder, 'log') })
  let outcomes: Promise<LogWriter> | undefined
  const journal = openJournal({ file: join(deps.folder, 'journal.db'), filterBytes: 1024 * 1024 })
  const { timeoutMs = 10_000, lookup } = deps
  const client = createRequestClient({
    egress,
    logger: silentLogger,
    timeoutMs,
    ...(lookup === undefined ? {} : { lookup }),
  })
  const delivery = createDelivery({
    reader,
    journal,
    db: deps.db,
    eventStore: deps.eventStore,
    outcomes: {
      appendGroup: async (entries) => {
        outcomes ??= openLogWriter({ dir: join(deps.folder, 'outcomes'), partitions: 4, inline: true })
        return await (await outcomes).appendGroup(entries)
      },
    },
    destinationCache: { get: (id) => deps.entries.get(id), ready: async () => {} },
    forgotten: deps.forgotten ?? { until: () => 0, version: () => '', isOf: () => false },
    connectors: new Map([[deps.connector.slug, deps.connector]]),
    requestClient: client,
    ...(deps.profiles === undefined ? {} : { profiles: deps.profiles }),
    ...(deps.accessTokens === undefined ? {} : { accessTokens: deps.accessTokens }),
    ...(deps.workShare === undefined ? {} : { workShare: deps.workShare }),
    clock: deps.clock ?? Date.now,
    logger: silentLogger,
    metrics: noMetrics,
    settings: { ...quickSettings, ...deps.settings },
  })
  const shut = async (): Promise<void> => {
    await delivery.stop()
    await client.close()
    await (await outcomes)?.close()
    reader.close()
    journal.close()
  }
  return { delivery, shut }
}

/** A delivery on a real log in a folder of its own, with given stores. */
export const createFixture = async (deps: FixtureDeps): Promise<Fixture> => {
  const folder = deps.folder ?? mkdtempSync(join(tmpdir(), 'tributary-delivery-'))
  const { segmentBytes } = deps
  const sizes = segmentBytes === undefined ? {} : { segmentBytes }
  const ofClock = deps.clock === undefined ? {} : { clock: deps.clock }
  const writer = await openLogWriter({ dir: join(folder, 'log'), partitions: 4, inline: true, ...sizes, ...ofClock })
  // The log of outcomes must exist before its first reader.
  await (await openLogWriter({ dir: join(folder, 'outcomes'), partitions: 4, inline: true })).close()
  const entries = new Map<string, DestinationEntry>()
  const [workspaceId, sourceId] = [deps.workspaceId ?? newId(), newId()]
  let sent = 0
  let running = openDelivery({ ...deps, folder, entries })
  if (deps.start !== false) await running.delivery.start()
  return {
    workspaceId,
    sourceId,
    folder,
    entries,
    stream: writer,
    get delivery() {
      return running.delivery
    },
    destination: (settings, more = {}) => {
      const id = newId()
      entries.set(id, {
        id,
        workspaceId,
        title: 'Hook',
        app: deps.connector.slug,
        enabled: true,
        settings,
        mappings: undefined,
        presetVersion: 2,
        consentCategories: [],
        filters: new Map(),
        ...more,
      })
      return id
    },
    change: (id, changes) => {
      const entry = entries.get(id)
      if (entry === undefined) throw new Error('no such destination')
      entries.set(id, { ...entry, ...changes })
    },
    append: async (destinations, events, perRecord = 1, more = {}, eventOf = () => ({})) => {
      const records: Promise<LogPosition>[] = []
      for (let left = events; left > 0; left -= perRecord) {
        const body = Array.from({ length: Math.min(perRecord, left) }, () => {
          const number = sent++
          return { ...sampleEvent(number), ...eventOf(number) }
        })
        const meta: DeliveryMeta = { w: workspaceId, s: sourceId, d: [...destinations], n: body.length, ...more }
        const bytes = Buffer.from(JSON.stringify(body))
        records.push(writer.append({ key: workspaceId, meta: JSON.stringify(meta), body: bytes }))
      }
      return Promise.all(records)
    },
    restart: async (settings) => {
      await running.shut()
      running = openDelivery({ ...deps, settings: { ...deps.settings, ...settings }, folder, entries })
      await running.delivery.start()
    },
    attempts: () =>
      deps.eventStore.query<AttemptRow>(
        'select destination_id, message_id, attempt, status, http_status, reason, request, response, replay_id, event_id, producer, operation, object, key from deliveries',
        {},
        { owner: systemOwner },
      ),
    close: async () => {
      await running.shut()
      await writer.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Message IDs in the order in which a peer received them, including repeats. */
export const messageIds = (peer: Peer): string[] =>
  peer.requests.flatMap(({ body }) => {
    const parsed: unknown = JSON.parse(body)
    return (Array.isArray(parsed) ? parsed : [parsed]).map((event: { messageId: string }) => event.messageId)
  })
/** Message IDs of the events with the numbers `from` up to `to`. */
export const expectedIds = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `m-${from + index}`)
/** Like `messageIds`, in the order of their numbers. */
export const sortedIds = (peer: Peer): string[] =>
  messageIds(peer).toSorted((a, b) => Number(a.slice(2)) - Number(b.slice(2)))
/** Returns how many different events a peer received. */
export const distinct = (peer: Peer): number => new Set(messageIds(peer)).size
