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

/** What is appended through one queue: one round after the other, and each answered in time. */
export type Appending<As extends Sending> = {
  append(entries: readonly LogEntry[], stamp?: ProducerStamp): Promise<LogPosition | undefined>
  queuedBytes(): number
  /** Whether something that was refused is still being sent, or was when it gave up to close. */
  isUnsure(): boolean
  /** Does a task in its turn; who waits for a Kafka that does not answer is told in time. */
  answered<Value>(task: (now: As) => Promise<Value>): Promise<Value>
  /** Waits for what was appended, then does what is left to do; nothing is appended any more. */
  close(last?: () => Promise<void>): Promise<void>
}

/** One after the other: what is appended, and what is written down about it. */
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
  /** As whom to append now. */
  current(): Promise<As>
  /** The partitions that may be appended to; all unless given. */
  owned?: ReadonlySet<number> | undefined
  /** Kafka does not know it any more. */
  onLost(): void
  /** What failed, once for each round. */
  onFailure?(error: unknown): void
  /** Why nothing is taken any more. */
  refusedFor?(): Error | undefined
  /** Whether an item is to be written; one that is there already, or of an epoch that is over, is settled. */
  isWanted?(now: As, item: Item, settle: (item: Item, how: () => void) => void): boolean
  /** Items are durable. */
  onDone?(items: readonly Item[], bytes: number): void
  /** After a round that appended something. */
  onRound?(now: As): Promise<void>
}

/**
 * The queue in front of a log on Kafka: what waits is sent in rounds, a batch for each partition, as whom `current` says. Refuses what waits too
 * long, and while Kafka does not answer everything at once.
 */
export const createAppending = <As extends Sending>(given: AppendingDeps<As>): Appending<As> => {
  const { cluster, data, maxQueuedBytes = 64 * 1024 * 1024, answerMs = 5000, closeMs = 10_000 } = given
  const { onFailure = () => {} } = given
  let queue: Item[] = []
  let queued = 0
  let scheduled = false
  let closed = false
  let giveUpAt = Number.POSITIVE_INFINITY
  /** Why Kafka does not take what is sent; while appends are not taken in time, new ones are refused at once. */
  let away: unknown
  let isLate = false
  /** It closed while Kafka did not answer: nobody knows what is there of what it had sent last. */
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
    // Who waits is told in time, whatever becomes of it.
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
    // What else this turn of the event loop brings joins the first batches.
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
