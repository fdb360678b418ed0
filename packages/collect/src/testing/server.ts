import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Metrics, noMetrics, silentLogger } from '@tributary/kernel'
import type { Coordination, LogEntry, LogWriter } from '@tributary/storage'
import { type Collect, createCollect } from '../collect.ts'
import type { CollectDeps, RefusalRow, WriteKeyEntry, WriteKeyUse } from '../ports.ts'

/** A log in memory. */
export const memoryLog = (): LogWriter & { entries: LogEntry[]; failWith?: Error } => {
  const entries: LogEntry[] = []
  const log: LogWriter & { entries: LogEntry[]; failWith?: Error } = {
    partitions: 1,
    entries,
    async append(entry) {
      if (log.failWith !== undefined) throw log.failWith
      entries.push(entry)
      return { partition: 0, offset: entries.length - 1 }
    },
    queuedBytes: () => 0,
    trim: async () => {},
    stats: async () => ({ partitions: [], bytes: 0 }),
    close: async () => {},
  }
  return log
}

/** Publish and subscribe within one test. */
const localCoordination = (): Coordination => {
  const listeners = new Map<string, Set<(message: unknown) => void>>()
  return {
    publish(topic, message) {
      for (const listener of listeners.get(topic) ?? []) listener(message)
    },
    subscribe(topic, listener) {
      const set = listeners.get(topic) ?? new Set()
      listeners.set(topic, set.add(listener))
      return () => set.delete(listener)
    },
    increment: async () => 0,
    acquireLease: async () => true,
    releaseLease: async () => {},
    close: async () => {},
  }
}

export const liveKey = 'wk_live_0123456789'
export const disabledKey = 'wk_off_0123456789'

export const knownKeys: ReadonlyMap<string, WriteKeyEntry> = new Map([
  [liveKey, { workspaceId: 'w1', sourceId: 's1', sourceTitle: 'Shop', sourceEnabled: true, keyId: 'k1' }],
  [disabledKey, { workspaceId: 'w1', sourceId: 's2', sourceTitle: 'Old shop', sourceEnabled: false, keyId: 'k2' }],
])

export type RunningCollect = {
  origin: string
  port: number
  collect: Collect
  coordination: Coordination
  log: ReturnType<typeof memoryLog>
  /** What the sink was given. */
  refused: RefusalRow[]
  touched: WriteKeyUse[]
  /** Flushes and stops. */
  stop(): Promise<void>
}

/** Collection on a free port of 127.0.0.1. */
export const startCollect = async (options: Partial<CollectDeps> = {}): Promise<RunningCollect> => {
  const log = memoryLog()
  const coordination = localCoordination()
  const refused: RefusalRow[] = []
  const touched: WriteKeyUse[] = []
  const metrics: Metrics = noMetrics
  const collect = createCollect({
    log,
    keys: { find: (key) => knownKeys.get(key), ready: () => true },
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
    metrics,
    trustedProxies: [],
    ...options,
  })
  const server = createServer((req, res) => {
    if (collect.handles(req)) collect.handle(req, res)
    else res.writeHead(418).end()
  })
  collect.start()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    collect,
    coordination,
    log,
    refused,
    touched,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await collect.stop()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Basic authorization as the SDKs send it. */
export const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`
