import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RequestMeta } from '@tributary/contract'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { createPipeline } from '@tributary/pipeline'
import { storedForm } from '@tributary/replays'
import {
  type AcceptedEvent,
  type Consumer,
  createCut,
  createEventConsumer,
  type EventConsumerDeps,
  type EventStore,
  openJournal,
  openLogReader,
  openLogWriter,
} from '@tributary/storage'

/** Opens the requests and the stream of a folder for consumers. */
export const openStream = (dir: string) => {
  const stream = openLogReader({ dir: join(dir, 'stream') })
  const requests = openLogReader({ dir: join(dir, 'requests') })
  const journal = openJournal({ file: join(dir, 'consumer.db'), filterBytes: 1024 })
  return {
    stream,
    requests,
    journal,
    close(): void {
      stream.close()
      requests.close()
      journal.close()
    },
  }
}

/** Dependencies of consumers of a folder's stream. */
export const consumerDeps = (
  { stream, requests, journal }: ReturnType<typeof openStream>,
  eventStore: Pick<EventStore, 'query'>,
  whenStored: () => Promise<void>,
): Omit<EventConsumerDeps, 'name' | 'handle'> => ({
  reader: stream,
  journal,
  history: { eventStore, form: storedForm, cut: createCut({ stream, requests, whenStored }) },
  logger: silentLogger,
  metrics: noMetrics,
  settings: { commitMs: 20, retryBaseMs: 10, retryCapMs: 50 },
})

/** The request with this number: three events of one of several workspaces, each with two sources. */
const requestOf = (number: number) => ({
  meta: { w: `w-${number % 6}`, s: `s-${number % 6}-${number % 4 < 2}` },
  batch: [0, 1, 2].map((index) => {
    const id = `m-${String(number).padStart(6, '0')}-${index}`
    return { type: 'track', event: id, userId: `u-${(number * 7 + index) % 50}`, messageId: id }
  }),
})

type PipelineParts = Pick<Parameters<typeof createPipeline>[0], 'journal' | 'eventStore'> & {
  readers: ReturnType<typeof openStream>
  stream: Parameters<typeof createPipeline>[0]['deliveries']
}

const pipelineOf = ({ readers, journal, stream, eventStore }: PipelineParts) =>
  createPipeline({
    reader: readers.requests,
    journal,
    eventStore,
    deliveries: stream,
    destinationsFor: () => [],
    schemaFor: () => undefined,
    coordination: { publish() {}, subscribe: () => () => {} },
    clock: Date.now,
    logger: silentLogger,
    metrics: noMetrics,
    settings: { flushAgeMs: 20, microBatchEvents: 20 },
  })

/** A running pipeline on its own folder, whose stream has small segments. */
export const createStreamWorld = async (eventStore: EventStore) => {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-stream-'))
  const partitions = 4
  const requests = await openLogWriter({ dir: join(dir, 'requests'), partitions, inline: true })
  const stream = await openLogWriter({ dir: join(dir, 'stream'), partitions, inline: true, segmentBytes: 30_000 })
  const readers = openStream(dir)
  const journal = openJournal({ file: join(dir, 'pipeline.db'), filterBytes: 1024 })
  const pipeline = pipelineOf({ readers, journal, stream, eventStore })
  pipeline.start()
  let sent = 0
  const append = async (
    meta: Omit<RequestMeta, 'k' | 'r' | 'ip'>,
    batch: readonly object[],
    partition?: number,
  ): Promise<void> => {
    const full: RequestMeta = { ...meta, k: 'batch', r: Date.now(), ip: '' }
    const body = Buffer.from(JSON.stringify({ batch }))
    await requests.append({ key: meta.w, partition, meta: JSON.stringify(full), body })
  }
  return {
    dir,
    partitions,
    pipeline,
    stream,
    readers,
    /** Sends a request with these events, to the partition of the workspace unless another one is given. */
    async sendEvents(
      workspaceId: string,
      sourceId: string,
      batch: readonly object[],
      partition?: number,
    ): Promise<void> {
      await append({ w: workspaceId, s: sourceId }, batch, partition)
      pipeline.wake()
    },
    /**
     * Sends requests of three events each, of several workspaces with two sources; resolves to the message IDs, which
     * are also the event names.
     */
    async send(count: number): Promise<string[]> {
      const ids: string[] = []
      const appended: Promise<unknown>[] = []
      for (let n = 0; n < count; n++) {
        const { meta, batch } = requestOf(sent++)
        ids.push(...batch.map(({ messageId }) => messageId))
        appended.push(append(meta, batch))
        // Waits after every ten requests, so that a reader often reaches the end of the log.
        if (n % 10 === 9) await Promise.all(appended)
        pipeline.wake()
      }
      await Promise.all(appended)
      return ids
    },
    /** A consumer without partitions that records its events in `handled`. `onCut` is called during each cut. */
    list(handled: AcceptedEvent[], onCut = async () => {}): Consumer {
      const requestsOfCut = {
        ...readers.requests,
        async ends() {
          await onCut()
          return await readers.requests.ends()
        },
      }
      return createEventConsumer({
        ...consumerDeps({ ...readers, requests: requestsOfCut }, eventStore, () => pipeline.idle()),
        name: 'list',
        handle: async (events) => void handled.push(...events),
      })
    },
    async [Symbol.asyncDispose]() {
      await pipeline.stop()
      readers.close()
      journal.close()
      await requests.close()
      await stream.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
