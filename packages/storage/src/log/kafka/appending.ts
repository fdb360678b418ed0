import { setImmediate as nextTurn } from 'node:timers/promises'
import { type LogEntry, LogOverloaded, type LogPosition, LogUnavailable, type ProducerStamp } from '../port.ts'
import type { Cluster } from './cluster.ts'
import { type Item, itemOf, takeRound } from './items.ts'
import type { Partitions } from './partitions.ts'
import { sendRound } from './sender.ts'
import type { Sending } from './session.ts'
import { maxBatchBytes } from './topics.ts'

export type AppendingOptions = {
  /** Bytes that may wait before `append` rejects with LogOverloaded. */
  maxQueuedBytes?: number
  /** How long an append waits for a Kafka that does not answer before it rejects with LogUnavailable, ms. */
  answerMs?: number
  /** How long closing waits for a Kafka that does not answer, ms. */
  closeMs?: number
}

/** A queue of appends: one round after the other, each answered in time. */
export type Appending<As extends Sending> = {
  append(entries: readonly LogEntry[], stamp?: ProducerStamp): Promise<LogPosition | undefined>
  queuedBytes(): number
  /** Whether a rejected append is still being sent, or was when the queue gave up to close. */
  isUnsure(): boolean
  /** Runs a task in its turn; rejects in time while Kafka does not answer. */
  answered<Value>(task: (now: As) => Promise<Value>): Promise<Value>
  /** Waits for earlier appends, then runs `last`; later appends are refused. */
  close(last?: () => Promise<void>): Promise<void>
}

/** Runs tasks one after the other: appends, and writes to the control topic. */
const createTurns = (onFailure: (error: unknown) => void) => {
  let chain: Promise<unknown> = Promise.resolve()
  return {
    exclusively<Value>(task: () => Promise<Value>): Promise<Value> {
      const ended = chain.then(task)
      chain = ended.catch(onFailure)
      return ended
    },
    last: () => chain,
  }
}

/** Resolves with a task that is done in time; rejects with LogUnavailable when it fails, or later than that. */
const inTime = async <Value>(ms: number, why: () => unknown, task: Promise<Value>): Promise<Value> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(why()), ms)
  try {
    return await Promise.race([task, late.promise])
  } catch (error) {
    throw new LogUnavailable(error)
  } finally {
    clearTimeout(timer)
  }
}

type AppendingDeps<As extends Sending> = AppendingOptions & {
  cluster: Cluster
  data: Partitions
  /** The producer to append as now. */
  current(): Promise<As>
  /** The partitions that may be appended to; all unless given. */
  owned?: ReadonlySet<number> | undefined
  /** Kafka has lost the state of the producer. */
  onLost(): void
  /** Receives the failure of a round, once for each round. */
  onFailure?(error: unknown): void
  /** The error of all appends from now on, if any. */
  refusedFor?(): Error | undefined
  /** Whether an item is to be written; one that is stored already, or of an epoch that is over, is settled. */
  isWanted?(now: As, item: Item, settle: (item: Item, how: () => void) => void): boolean
  /** Items are durable. */
  onDone?(items: readonly Item[], bytes: number): void
  /** After a round that appended something. */
  onRound?(now: As): Promise<void>
}

/**
 * The queue in front of a log on Kafka. Waiting items are sent in rounds, a batch for each partition, as the producer
 * that `current` returns. Rejects items that wait too long, and rejects everything immediately while Kafka does not
 * answer.
 */
export const createAppending = <As extends Sending>(given: AppendingDeps<As>): Appending<As> => {
  const { cluster, data, maxQueuedBytes = 64 * 1024 * 1024, answerMs = 5000, closeMs = 10_000 } = given
  const { onFailure = () => {} } = given
  let queue: Item[] = []
  let queued = 0
  let scheduled = false
  let closed = false
  let giveUpAt = Number.POSITIVE_INFINITY
  /** The last failure while Kafka is away; while appends fail in time, new ones are refused immediately. */
  let away: unknown
  let isLate = false
  /** It closed while Kafka did not answer: the outcome of its last batches is unknown. */
  let isLeft = false

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
  const done = (items: readonly Item[], { partition, offset, bytes }: LogPosition & { bytes: number }): void => {
    given.onDone?.(items, bytes)
    let at = offset
    for (const item of items) {
      const position = { partition, offset: at }
      settle(item, () => item.resolve(position))
      at += item.entries.length
    }
  }
  const round = async (): Promise<void> => {
    let sending: Item[] = []
    // Callers are answered in time, whatever the outcome.
    const late = setTimeout(() => {
      isLate = true
      refuse([...sending, ...queue], away ?? new Error('Kafka does not answer'))
    }, answerMs)
    try {
      const now = await given.current()
      const { taken, left } = takeRound(queue, (item) => given.isWanted?.(now, item, settle) ?? true)
      queue = left
      sending = [...taken.values()].flat()
      const isKnown = await sendRound({ cluster, data, sending: now }, taken, {
        onDone: done,
        onRefused: refuse,
        onAway(failure) {
          away = failure
          return giveUpAt
        },
      })
      if (!isKnown) given.onLost()
      away = undefined
      if (sending.length > 0) await given.onRound?.(now)
    } catch (error) {
      isLeft ||= closed && sending.length > 0
      onFailure(error)
      refuse([...sending, ...queue], error)
    } finally {
      clearTimeout(late)
      isLate = false
      queue = queue.filter(({ settled }) => !settled)
    }
  }

  const { exclusively, last: lastTurn } = createTurns(onFailure)
  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    // More appends of this turn of the event loop join the first batches.
    setImmediate(() => {
      void exclusively(async () => {
        scheduled = false
        await round()
        if (queue.length > 0) schedule()
      })
    })
  }

  return {
    append: (entries, stamp) =>
      new Promise((resolve, reject) => {
        const item = itemOf(entries, stamp, data.count)
        if (item.size > maxBatchBytes) throw new RangeError('A group is larger than a batch of Kafka may be')
        if (given.owned?.has(item.partition) === false)
          throw new RangeError(`This writer does not write partition ${item.partition} of ${data.topic}`)
        if (closed) throw new LogUnavailable(new Error('The log is closed'))
        const why = given.refusedFor?.()
        if (why !== undefined) throw new LogUnavailable(why)
        if (isLate) throw new LogUnavailable(away)
        if (queued + item.size > maxQueuedBytes) throw new LogOverloaded()
        queued += item.size
        queue.push({ ...item, resolve, reject })
        schedule()
      }),
    queuedBytes: () => queued,
    isUnsure: () => isLate || isLeft,
    answered: (task) =>
      inTime(
        answerMs,
        () => away ?? new Error('Kafka does not answer'),
        exclusively(async () => await task(await given.current())),
      ),
    async close(last = async () => {}) {
      if (closed) return
      closed = true
      giveUpAt = performance.now() + closeMs
      while (queue.length > 0 || scheduled) {
        await nextTurn()
        await lastTurn()
      }
      await exclusively(last).catch(() => {})
      cluster.close()
    },
  }
}
