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
  /** How long an append waits for an unresponsive Kafka before it rejects with LogUnavailable, ms. */
  answerMs?: number
  /** How long closing waits for an unresponsive Kafka, ms. */
  closeMs?: number
}

/** A queue of appends, which are sent in consecutive rounds. Each append gets its outcome within a time limit. */
export type Appending<As extends Sending> = {
  append(entries: readonly LogEntry[], stamp?: ProducerStamp): Promise<LogPosition | undefined>
  queuedBytes(): number
  /** Whether the outcome of a rejected append is unknown: it is still being sent, or was when the queue was closed. */
  isUnsure(): boolean
  /** Runs a task in its turn; rejects in time if Kafka does not respond. */
  answered<Value>(task: (now: As) => Promise<Value>): Promise<Value>
  /** Waits for earlier appends, then runs `last`; later appends are rejected. */
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

/** Resolves with a task that finishes in time; rejects with LogUnavailable if it fails or takes longer. */
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
  /** The current producer for appends. */
  current(): Promise<As>
  /** The partitions that may be appended to; all unless given. */
  owned?: ReadonlySet<number> | undefined
  /** Called when Kafka has lost the state of the producer. */
  onLost(): void
  /** Called with the failure of a round, once per round. */
  onFailure?(error: unknown): void
  /** The error for all appends from now on, if any. */
  refusedFor?(): Error | undefined
  /** Whether an item must be written. An item that is already stored, or of a former epoch, is settled instead. */
  isWanted?(now: As, item: Item, settle: (item: Item, how: () => void) => void): boolean
  /** Called when items are durable. */
  onDone?(items: readonly Item[], bytes: number): void
  /** Called after a round that appended items. */
  onRound?(now: As): Promise<void>
}

/**
 * The queue for a log on Kafka. Waiting items are sent in rounds, a batch for each partition, by the producer that
 * `current` returns. Items that wait too long are rejected, and all items immediately while Kafka does not respond.
 */
export const createAppending = <As extends Sending>(given: AppendingDeps<As>): Appending<As> => {
  const { cluster, data, maxQueuedBytes = 64 * 1024 * 1024, answerMs = 5000, closeMs = 10_000 } = given
  const { onFailure = () => {} } = given
  let queue: Item[] = []
  let queued = 0
  let scheduled = false
  let closed = false
  let giveUpAt = Number.POSITIVE_INFINITY
  /** The last failure while Kafka is down. While it is set, new appends are rejected immediately. */
  let away: unknown
  let isLate = false
  /** True if the queue was closed while Kafka did not respond, so that the outcome of its last batches is unknown. */
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
    // Callers get an outcome in time, even if Kafka has not responded.
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
    // Further appends in this turn of the event loop join the first batches.
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
