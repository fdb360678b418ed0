import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type LogEntry,
  LogOverloaded,
  type LogPosition,
  LogUnavailable,
  type LogWriter,
  type ProducerStamp,
  StaleProducer,
} from '../port.ts'
import { openCluster } from './cluster.ts'
import type { ControlChange } from './control.ts'
import { WriterReplaced } from './errors.ts'
import { createHeldBytes } from './held-bytes.ts'
import { type Item, itemOf, takeRound } from './items.ts'
import { type KafkaLogOptions, topicsOf } from './options.ts'
import { openPartitions } from './partitions.ts'
import { sendRound } from './sender.ts'
import { openSession, type Session } from './session.ts'
import { ensureTopics, maxBatchBytes } from './topics.ts'

export type KafkaLogWriterOptions = KafkaLogOptions & {
  /** Fixed for the life of the topics. */
  partitions?: number
  /** Sizes and ages of Kafka's segments, where the topic is made here: it gives the disk back by segments. */
  segmentBytes?: number
  segmentMs?: number
  /** Bytes that may wait before `append` rejects with LogOverloaded. */
  maxQueuedBytes?: number
  /** How long an append waits for a Kafka that does not answer before it rejects with LogUnavailable, ms. */
  answerMs?: number
  /** Called after each durable commit: readers may be told that there is something new. */
  onCommit?(): void
  /** Called once when another process has opened the log for writing: nothing can be appended here any more. */
  onReplaced?(error: WriterReplaced): void
}

/** Behind so much, what a start has to read again is written down. */
const checkpointBytes = 32 * 1024 * 1024
/** How long an opening stands before it is begun anew: Kafka forgets a producer that it has not heard of for seven days. */
const renewMs = 24 * 3_600_000
const closeMs = 10_000

const openTopics = async (options: KafkaLogWriterOptions & { partitions: number }) => {
  const cluster = openCluster(options)
  const names = topicsOf(options)
  try {
    await ensureTopics(cluster, options)
    const data = await openPartitions(cluster, names.data)
    const controlTopic = await openPartitions(cluster, names.control)
    const own = new Set<string>()
    const topics = { cluster, data, controlTopic, name: names.data }
    return { topics, own, session: await openSession(topics, own) }
  } catch (error) {
    cluster.close()
    throw error
  }
}

/** Whether an item is to be written; one that is there already, or of an epoch that is over, is settled. */
const isWanted = ({ producers }: Session, item: Item, settle: (item: Item, how: () => void) => void): boolean => {
  const { stamp } = item
  if (stamp === undefined) return true
  const known = producers.get(stamp.producer)
  if ((known?.epoch ?? 0) !== stamp.epoch) {
    settle(item, () => item.reject(new StaleProducer(stamp.producer, stamp.epoch)))
    return false
  }
  const last = known?.last.get(item.partition)
  if (last === undefined || last.epoch !== stamp.epoch || stamp.sequence > last.sequence) return true
  settle(item, () => item.resolve(undefined))
  return false
}

/**
 * Opens a log for writing on Kafka, and makes its topics where they are missing. All replicas in sync have what is acknowledged. One
 * writer at a time: who opens it ends the one before. Rejects with KafkaUnusable, which says what an operator has to change.
 */
export const openKafkaLogWriter = async (options: KafkaLogWriterOptions): Promise<LogWriter> => {
  const { partitions = 64, maxQueuedBytes = 64 * 1024 * 1024, answerMs = 5000 } = options
  const opened = await openTopics({ ...options, partitions })
  const { topics, own } = opened
  const { cluster, data } = topics
  /** Undefined when Kafka does not know it any more. */
  let session: Session | undefined = opened.session
  let openedAt = performance.now()
  let queue: Item[] = []
  let queued = 0
  let scheduled = false
  let closed = false
  let giveUpAt = Number.POSITIVE_INFINITY
  /** Why Kafka does not take what is sent; while appends are not taken in time, new ones are refused at once. */
  let away: unknown
  let isLate = false
  let replaced: WriterReplaced | undefined
  /** Bytes, and producers, that a start would find in the data only. */
  let unsaved = 0
  const unsavedProducers = new Set<string>()
  const heldBytes = createHeldBytes(data)

  const settle = (item: Item, how: () => void): void => {
    if (item.settled) return
    item.settled = true
    queued -= item.size
    how()
  }
  const refuse = (items: readonly Item[], cause: unknown): void => {
    const error = new LogUnavailable(cause)
    for (const item of items) settle(item, () => item.reject(error))
  }
  const noteReplaced = (error: unknown): void => {
    if (!(error instanceof WriterReplaced) || replaced !== undefined) return
    replaced = error
    options.onReplaced?.(error)
  }
  /** The session to write in: a new one where Kafka does not know the old one any more, or it is old. */
  const current = async (): Promise<Session> => {
    if (replaced !== undefined) throw replaced
    if (session !== undefined && performance.now() - openedAt < renewMs) return session
    session = undefined
    session = await openSession(topics, own)
    openedAt = performance.now()
    return session
  }
  /** Writes down what a start would have to read the data again for. */
  const save = async (now: Session): Promise<void> => {
    if (unsaved === 0) return
    unsaved = 0
    const changes: ControlChange[] = []
    for (const producer of unsavedProducers) {
      const value = now.producers.get(producer)
      if (value !== undefined) changes.push({ producer, value })
    }
    unsavedProducers.clear()
    await now.change([...changes, { checkpoint: { topicId: data.id, positions: [...now.ends] } }])
  }
  const done = (items: readonly Item[], { partition, offset, bytes }: LogPosition & { bytes: number }): void => {
    unsaved += bytes
    let at = offset
    for (const item of items) {
      if (item.stamp !== undefined) unsavedProducers.add(item.stamp.producer)
      const position = { partition, offset: at }
      settle(item, () => item.resolve(position))
      at += item.entries.length
    }
  }
  const round = async (): Promise<void> => {
    let sending: Item[] = []
    // Who waits is told in time, whatever becomes of it.
    const late = setTimeout(() => {
      isLate = true
      refuse([...sending, ...queue], away ?? new Error('Kafka does not answer'))
    }, answerMs)
    try {
      const now = await current()
      const { taken, left } = takeRound(queue, (item) => isWanted(now, item, settle))
      queue = left
      sending = [...taken.values()].flat()
      const isKnown = await sendRound({ cluster, data, session: now }, taken, {
        onDone: done,
        onRefused: refuse,
        onAway(failure) {
          away = failure
          return giveUpAt
        },
      })
      if (!isKnown) session = undefined
      away = undefined
      if (sending.length > 0) options.onCommit?.()
      if (unsaved > checkpointBytes) await save(now)
    } catch (error) {
      noteReplaced(error)
      refuse([...sending, ...queue], error)
    } finally {
      clearTimeout(late)
      isLate = false
      queue = queue.filter(({ settled }) => !settled)
    }
  }

  let chain: Promise<unknown> = Promise.resolve()
  /** One after the other: what is appended, and what is written down about it. */
  const exclusively = <Value>(task: () => Promise<Value>): Promise<Value> => {
    const ended = chain.then(task)
    chain = ended.catch(noteReplaced)
    return ended
  }
  /** Does a task in its turn; who waits for a Kafka that does not answer is told in time. */
  const answered = async <Value>(task: (now: Session) => Promise<Value>): Promise<Value> => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(away ?? new Error('Kafka does not answer')), answerMs)
    try {
      return await Promise.race([exclusively(async () => await task(await current())), late.promise])
    } catch (error) {
      throw new LogUnavailable(error)
    } finally {
      clearTimeout(timer)
    }
  }
  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    // What else this turn of the event loop brings joins the first batches.
    setImmediate(() => {
      void exclusively(async () => {
        scheduled = false
        await round()
        if (queue.length > 0) schedule()
      })
    })
  }
  const enqueue = (entries: readonly LogEntry[], stamp?: ProducerStamp): Promise<LogPosition | undefined> =>
    new Promise((resolve, reject) => {
      const item = itemOf(entries, stamp, partitions)
      if (item.size > maxBatchBytes) throw new RangeError('A group is larger than a batch of Kafka may be')
      if (closed) throw new LogUnavailable(new Error('The log is closed'))
      if (replaced !== undefined) throw new LogUnavailable(replaced)
      if (isLate) throw new LogUnavailable(away)
      if (queued + item.size > maxQueuedBytes) throw new LogOverloaded()
      queued += item.size
      queue.push({ ...item, resolve, reject })
      schedule()
    })

  return {
    partitions,
    queuedBytes: () => queued,
    async append(entry) {
      const position = await enqueue([entry])
      if (position === undefined) throw new Error('An entry without a stamp cannot be there already')
      return position
    },
    appendGroup: (entries, stamp) => enqueue(entries, stamp),
    beginEpoch: (producer) =>
      answered(async (now) => {
        const known = now.producers.get(producer)
        const state = { epoch: (known?.epoch ?? 0) + 1, last: known?.last ?? new Map() }
        await now.change([{ producer, value: state }])
        now.producers.set(producer, state)
        return state.epoch
      }),
    lastSequences: (producer) => answered(async (now) => [...(now.producers.get(producer)?.last.values() ?? [])]),
    trim: (before) =>
      answered(async (now) => {
        await save(now)
        const starts = await data.offsets('first')
        const below = new Map<number, number>()
        for (const { partition, offset } of before) {
          const to = Math.min(offset, now.ends[partition] ?? 0)
          if (to > (starts[partition] ?? 0)) below.set(partition, to)
        }
        if (below.size > 0) await data.deleteBelow(below)
      }),
    async stats() {
      const now = session
      const starts = await data.offsets('first')
      return {
        partitions: starts.map((first, partition) => ({ partition, first, next: now?.ends[partition] ?? 0 })),
        bytes: now === undefined ? 0 : await heldBytes(now, starts),
      }
    },
    async close() {
      if (closed) return
      closed = true
      giveUpAt = performance.now() + closeMs
      while (queue.length > 0 || scheduled) {
        await nextTurn()
        await chain
      }
      await exclusively(async () => {
        if (session !== undefined && replaced === undefined) await save(session)
      }).catch(() => {})
      cluster.close()
    },
  }
}
