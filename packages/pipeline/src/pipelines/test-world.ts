import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PipelineEvent, RequestMeta } from '@tributary/contract'
import { noMetrics, silentLogger } from '@tributary/kernel'
import {
  createClickHouseEventStore,
  createCoordinationHub,
  type EventStore,
  type LogReader,
  openJournal,
  openLogReader,
  openLogWriter,
} from '@tributary/storage'
import { createPipeline, type Pipeline, type PipelineDeps } from './events.ts'

/** The files of a pipeline under test: both logs and the journal. */
export const openFiles = async (dir: string) => {
  const requests = await openLogWriter({ dir: join(dir, 'requests'), partitions: 8, inline: true })
  const deliveries = await openLogWriter({ dir: join(dir, 'deliveries'), partitions: 8, inline: true })
  const reader = openLogReader({ dir: join(dir, 'requests') })
  const deliveriesReader = openLogReader({ dir: join(dir, 'deliveries') })
  const journal = openJournal({ file: join(dir, 'journal.sqlite') })
  return {
    requests,
    deliveries,
    reader,
    deliveriesReader,
    journal,
    async close() {
      await requests.close()
      await deliveries.close()
      reader.close()
      deliveriesReader.close()
      journal.close()
    },
  }
}

export type Files = Awaited<ReturnType<typeof openFiles>>

/**
 * Runs a pipeline with small batches until everything in the log of a folder is stored. The workspace `overtaken` is
 * overtaken as soon as the pipeline is behind.
 */
export const storeAll = async (dir: string, url: string, overtaken = ''): Promise<void> => {
  const files = await openFiles(dir)
  const eventStore = createClickHouseEventStore({ url, logger: silentLogger })
  const failed = Promise.withResolvers<never>()
  const pipeline = createPipeline({
    ...files,
    eventStore,
    destinationsFor: () => ['d-1'],
    schemaFor: () => undefined,
    coordination: { publish() {}, subscribe: () => () => {} },
    clock: Date.now,
    logger: silentLogger,
    metrics: noMetrics,
    settings: { flushRows: 120, turnBytes: 4000, flushAgeMs: 5, overtakeMs: 0 },
    mayOvertake: (_, workspaceIds) => workspaceIds.includes(overtaken),
    onFault: failed.reject,
  })
  pipeline.start()
  await Promise.race([pipeline.idle(), failed.promise])
  await pipeline.stop()
  await files.close()
  await eventStore.close()
}

/** Message IDs of all delivered events, in the order of the log. */
export const deliveredIds = async (deliveries: LogReader): Promise<string[]> => {
  const ids: string[] = []
  for (const [partition, end] of (await deliveries.ends()).entries()) {
    for (let offset = 0; offset < end; ) {
      for (const record of await deliveries.read(partition, offset, 8 * 1024 * 1024)) {
        const events: PipelineEvent[] = JSON.parse(Buffer.from(record.body).toString())
        ids.push(...events.map(({ messageId }) => messageId))
        offset = record.offset + 1
      }
    }
  }
  return ids
}

export type World = AsyncDisposable & {
  dir: string
  pipeline: Pipeline
  /** Another pipeline on the same files, not started. Only one may run at a time. */
  another(more: Partial<PipelineDeps>): Pipeline
  files: Files
  hub: ReturnType<typeof createCoordinationHub>
  /** Appends a request as collect does. */
  send(body: unknown, meta?: Partial<RequestMeta>): Promise<void>
  delivered(): Promise<string[]>
}

/** A started pipeline on real logs and a real journal. It uses a new folder, or `folder`, and removes it at the end. */
export const createWorld = async (
  eventStore: EventStore,
  overrides: Partial<PipelineDeps> | ((files: Files) => Partial<PipelineDeps>) = {},
  folder?: string,
): Promise<World> => {
  const dir = folder ?? (await mkdtemp(join(tmpdir(), 'tributary-pipeline-')))
  const files = await openFiles(dir)
  const hub = createCoordinationHub()
  const another = (more: Partial<PipelineDeps>): Pipeline =>
    createPipeline({
      ...files,
      eventStore,
      destinationsFor: () => ['d-1'],
      schemaFor: () => undefined,
      coordination: hub.coordination,
      clock: Date.now,
      logger: silentLogger,
      metrics: noMetrics,
      ...more,
    })
  const pipeline = another(typeof overrides === 'function' ? overrides(files) : overrides)
  pipeline.start()
  return {
    dir,
    pipeline,
    another,
    hub,
    files,
    async send(body, meta = {}) {
      const full: RequestMeta = { w: 'w-1', s: 's-1', k: 'batch', r: Date.now(), ip: '192.0.2.7', ...meta }
      await files.requests.append({
        key: full.w,
        meta: JSON.stringify(full),
        body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      })
      pipeline.wake()
    },
    async delivered() {
      const deliveries = openLogReader({ dir: join(dir, 'deliveries') })
      try {
        return await deliveredIds(deliveries)
      } finally {
        deliveries.close()
      }
    },
    async [Symbol.asyncDispose]() {
      await pipeline.stop()
      await hub.close()
      await files.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** A batch body of `count` track events with the message IDs `<prefix>-<n>`. */
export const batchOf = (prefix: string, count: number, more: object = {}): { batch: object[] } => ({
  batch: Array.from({ length: count }, (_, n) => ({
    type: 'track',
    event: 'Bought',
    userId: 'u-1',
    messageId: `${prefix}-${n}`,
    ...more,
  })),
})
