import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noMetrics, silentLogger } from '@tributary/kernel'
import {
  type Coordination,
  createCoordinationHub,
  type LogRecord,
  type LogWriter,
  openLogReader,
  openLogWriter,
} from '@tributary/storage'
import { type Collect, createCollect } from '../collect.ts'
import type { CollectDeps, RefusalRow, WriteKeyEntry, WriteKeyUse } from '../ports.ts'

/**
 * `failWith` makes appends fail, with `failIn` only appends to one partition. `hold` delays the confirmation of
 * appends.
 */
type Faults = { failWith?: Error; failIn?: number; hold?: Promise<void> }

/** Opens a real log in its own folder. */
const openTestLog = async (maxQueuedBytes: number, partitions: number) => {
  const dir = await mkdtemp(join(tmpdir(), 'collect-'))
  const writer = await openLogWriter({ dir, partitions, maxQueuedBytes })
  const reader = openLogReader({ dir })
  const read: LogRecord[] = []
  const faults: Faults = {}
  const log: LogWriter = {
    ...writer,
    async append(entry) {
      const fails = faults.failIn === undefined || faults.failIn === entry.partition
      if (faults.failWith !== undefined && fails) throw faults.failWith
      const position = await writer.append(entry)
      await faults.hold
      return position
    },
  }
  const readOn = async (partition: number): Promise<number> => {
    const last = read.findLast((record) => record.partition === partition)
    const more = await reader.read(partition, (last?.offset ?? -1) + 1, 2 ** 30)
    read.push(...more)
    return more.length
  }
  return {
    log,
    faults,
    /** Returns all records of the log, partition by partition in order. */
    entries: async (): Promise<readonly LogRecord[]> => {
      for (let partition = 0; partition < partitions; ) if ((await readOn(partition)) === 0) partition++
      return read.toSorted((a, b) => a.partition - b.partition)
    },
    close: async (): Promise<void> => {
      reader.close()
      await writer.close()
      await rm(dir, { recursive: true })
    },
  }
}

export const liveKey = 'wk_live_0123456789'
/** A key of another workspace. */
export const otherKey = 'wk_other_0123456789'
/** Keys of twelve workspaces of another organization. */
export const keysOfLargeOrganization = Array.from({ length: 12 }, (_, index) => `wk_large_${index}_0123456789`)
export const disabledKey = 'wk_off_0123456789'

const knownKeys: ReadonlyMap<string, WriteKeyEntry> = new Map([
  [
    liveKey,
    {
      organizationId: 'o1',
      workspaceId: 'w1',
      sourceId: 's1',
      sourceTitle: 'Shop',
      sourceEnabled: true,
      app: 'http',
      settings: {},
      keyId: 'k1',
    },
  ],
  [
    otherKey,
    {
      organizationId: 'o2',
      workspaceId: 'w2',
      sourceId: 's3',
      sourceTitle: 'Other shop',
      sourceEnabled: true,
      app: 'http',
      settings: {},
      keyId: 'k3',
    },
  ],
  ...keysOfLargeOrganization.map((key, index): [string, WriteKeyEntry] => [
    key,
    {
      organizationId: 'o3',
      workspaceId: `large-${index}`,
      sourceId: `large-${index}`,
      sourceTitle: 'Shop',
      sourceEnabled: true,
      app: 'http',
      settings: {},
      keyId: `large-${index}`,
    },
  ]),
  [
    disabledKey,
    {
      organizationId: 'o1',
      workspaceId: 'w1',
      sourceId: 's2',
      sourceTitle: 'Old shop',
      sourceEnabled: false,
      app: 'http',
      settings: {},
      keyId: 'k2',
    },
  ],
])

export const revokedKey = 'wk_old_0123456789'

export type RunningCollect = {
  origin: string
  port: number
  collect: Collect
  coordination: Coordination
  /** Returns all records of the log. */
  entries(): Promise<readonly LogRecord[]>
  faults: Faults
  /** Rows that the sink has received. */
  refused: RefusalRow[]
  touched: WriteKeyUse[]
  /** The server's sockets, in the order of their connections. */
  sockets: readonly Socket[]
  /** Flushes the counters and stops the server. */
  stop(): Promise<void>
}

/** Starts collection on a free port of 127.0.0.1. */
export const startCollect = async (
  options: Partial<CollectDeps> = {},
  maxQueuedBytes = 2 ** 26,
  partitions = 1,
): Promise<RunningCollect> => {
  const { log, faults, entries, close } = await openTestLog(maxQueuedBytes, partitions)
  const hub = createCoordinationHub()
  const { coordination } = hub
  const refused: RefusalRow[] = []
  const touched: WriteKeyUse[] = []
  const collect = createCollect({
    log,
    keys: {
      find: (key) => knownKeys.get(key),
      findRevoked: (key) => (key === revokedKey ? knownKeys.get(liveKey) : undefined),
      ready: () => true,
    },
    refusals: {
      async write(rows) {
        refused.push(...rows)
      },
      async touchWriteKeys(rows) {
        touched.push(...rows)
      },
    },
    coordination,
    clock: Date.now,
    logger: silentLogger,
    metrics: noMetrics,
    trustedProxies: [],
    ...options,
  })
  const sockets: Socket[] = []
  const server = createServer((req, res) => {
    if (collect.handles(req)) collect.handle(req, res)
    else res.writeHead(418).end()
  })
  server.on('connection', (socket) => sockets.push(socket))
  collect.start()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    collect,
    coordination,
    entries,
    faults,
    refused,
    touched,
    sockets,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await collect.stop()
      server.closeAllConnections()
      await closed
      await hub.close()
      await close()
    },
  }
}

/** Returns the Basic authorization header that SDKs send. */
export const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`
