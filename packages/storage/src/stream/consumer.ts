import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs, faultPoint, retryPolicies } from '@tributary/kernel'
import type { LogRecord } from '../log/port.ts'
import { reconcile } from '../log/reconcile.ts'
import { BeginAnew, type Consumer, type ConsumerDeps, type ConsumerSettings, type Place } from './consumer-port.ts'

const defaultConsumerSettings: ConsumerSettings = {
  readBytes: 1024 * 1024,
  aheadBytes: 8 * 1024 * 1024,
  shareBytes: 64 * 1024,
  atOnce: 4,
  commitMs: 200,
  lingerMs: 0,
  retryBaseMs: retryPolicies.consumer.baseMs,
  retryCapMs: retryPolicies.consumer.capMs,
}

/** Records that were read together. */
type Batch = { readonly records: readonly LogRecord[]; readonly bytes: number; readonly atEnd: boolean }

/** An owned partition. */
type Holding = {
  readonly partition: number
  readonly leaving: AbortController
  /** The next offset to read; undefined before it is determined. */
  next: number | undefined
  /** The position after the last handled record, with its note; undefined before the partition has begun. */
  done: Place | undefined
  committed: number | undefined
  /** How often the partition has begun. */
  began: number
  /**
   * True if the partition must begin again once none of its records is being handled: records were trimmed before they
   * were read, or the handler requested it.
   */
  lost: boolean
  queue: Batch[]
  bytes: number
  /** All work that runs for the partition. */
  running: Promise<void> | undefined
}

const bytesOf = (records: readonly LogRecord[]): number =>
  records.reduce((sum, { body, meta }) => sum + body.byteLength + meta.length, 0)

/** Waits for a time, or until the signal aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})

/**
 * Creates a consumer that reads ahead within limits and passes each partition's records on in order, at least once. A
 * position advances only after the handler's work up to it is durable.
 */
export const createConsumer = (deps: ConsumerDeps): Consumer => {
  const { name, reader, journal, handle, logger, metrics } = deps
  const settings = { ...defaultConsumerSettings, ...deps.settings }
  const holdings = new Map<number, Holding>()
  let ahead = 0
  let handling = 0
  let stopping = false
  /** Ends the wait of the reading loop. */
  let look = new AbortController()
  const ending = new AbortController()
  let committing: Promise<void> = Promise.resolve()
  let commitTimer: NodeJS.Timeout | undefined
  let waiters: { ends: readonly number[]; resolve(): void }[] = []

  const news = (): void => look.abort()

  const isCurrent = (held: Holding): boolean => holdings.get(held.partition) === held && !held.leaving.signal.aborted

  const failed = (error: unknown, held: Holding, attempt: number, what: string): Promise<void> => {
    metrics.count('consumer_failures', 1, { consumer: name })
    if (attempt === 1) logger.warn({ err: error, consumer: name, partition: held.partition }, what)
    const policy = { baseMs: settings.retryBaseMs, capMs: settings.retryCapMs, maxElapsedMs: Number.POSITIVE_INFINITY }
    return pause(backoffMs(policy, attempt), held.leaving.signal)
  }

  const write = async (places: readonly (readonly [partition: number, place: Place])[]): Promise<void> => {
    faultPoint('consumer.before-commit')
    await journal.commit(
      new Map(places.map(([partition, { offset }]) => [partition, offset])),
      new Map(places.map(([partition, { note }]) => [partition, note])),
    )
  }

  const placeOf = (partition: number): Place | undefined => {
    const offset = journal.positions().get(partition)
    return offset === undefined ? undefined : { offset, note: journal.notes().get(partition) ?? '' }
  }

  /** Begins with a partition: at the given position, or, if it was just given, where the journal and the log agree. */
  const begin = async (held: Holding, known: Place | 'given' | undefined): Promise<void> => {
    let from = known === 'given' ? placeOf(held.partition) : known
    for (let attempt = 1; isCurrent(held); attempt++) {
      try {
        if (known === 'given' && (await reconcile(journal, reader, [held.partition])).size > 0) {
          logger.warn(
            { consumer: name, partition: held.partition },
            'the stream was replaced or restored: the consumer goes on where the new one begins to differ',
          )
          from = placeOf(held.partition)
        }
        const start = (await reader.starts())[held.partition] ?? 0
        const keep = (kept: Place): Promise<void> => write([[held.partition, kept]])
        const beginning = { place: from, start, keep, signal: held.leaving.signal }
        const begun = (await deps.begin?.(held.partition, beginning)) ?? {
          offset: Math.max(from?.offset ?? 0, start),
          note: from?.note ?? '',
        }
        held.next = begun.offset
        held.done = begun
        commitSoon()
        return
      } catch (error) {
        if (!isCurrent(held)) return
        // Continues from the committed intermediate position.
        from = placeOf(held.partition) ?? from
        await failed(error, held, attempt, 'A consumer cannot begin with a partition; it is tried again')
      }
    }
  }

  const dropQueue = (held: Holding): void => {
    for (const { bytes } of held.queue) {
      ahead -= bytes
      held.bytes -= bytes
    }
    held.queue = []
  }

  /** Passes one batch to the handler until it is handled, or the partition is taken away. */
  const handleOne = async (held: Holding, { records, atEnd }: Batch): Promise<void> => {
    for (let attempt = 1; attempt === 1 || !held.leaving.signal.aborted; attempt++) {
      try {
        const note = await handle(records, held.done?.note ?? '', atEnd)
        faultPoint('consumer.after-handle')
        held.done = { offset: (records.at(-1)?.offset ?? 0) + 1, note }
        commitSoon()
        return
      } catch (error) {
        if (error instanceof BeginAnew) {
          logger.warn({ err: error, consumer: name, partition: held.partition }, 'A consumer begins anew')
          held.next = undefined
          held.lost = true
          dropQueue(held)
          return
        }
        await failed(error, held, attempt, 'A consumer failed; it is tried again')
      }
    }
  }

  const restart = (held: Holding, place: Place | 'given' | undefined): void => {
    held.lost = false
    held.done = undefined
    held.committed = undefined
    held.began++
    held.running = begin(held, place).finally(() => {
      held.running = undefined
      news()
    })
  }

  const startWork = (): void => {
    for (const held of holdings.values()) {
      if (handling >= settings.atOnce) return
      const batch = held.queue[0]
      if (held.running !== undefined || batch === undefined || held.leaving.signal.aborted) continue
      held.queue.shift()
      handling++
      held.running = handleOne(held, batch).finally(() => {
        handling--
        held.bytes -= batch.bytes
        ahead -= batch.bytes
        held.running = undefined
        // Moves the partition to the end, so that the one served longest ago comes first.
        if (holdings.delete(held.partition)) holdings.set(held.partition, held)
        if (held.lost && isCurrent(held)) restart(held, held.done)
        startWork()
        news()
      })
    }
  }

  /** The number of bytes that may be read from the partition now. */
  const roomOf = (held: Holding): number => {
    if (held.next === undefined || held.leaving.signal.aborted || held.queue.length > 0) return 0
    if (ahead < settings.aheadBytes) return settings.readBytes
    return held.bytes === 0 ? settings.shareBytes : 0
  }

  const readOne = async (held: Holding, maxBytes: number, end: number): Promise<boolean> => {
    const from = held.next
    if (from === undefined) return false
    const records = await reader.read(held.partition, from, maxBytes)
    const [first] = records
    // The partition may have begun again meanwhile.
    if (first === undefined || !isCurrent(held) || held.next !== from) return false
    journal.saw(records)
    if (first.offset > from && ((await reader.starts())[held.partition] ?? 0) > from) {
      logger.error({ consumer: name, partition: held.partition, from, to: first.offset }, 'A consumer lost its place')
      held.next = undefined
      held.lost = true
      if (held.running === undefined) restart(held, held.done)
      return true
    }
    held.next = (records.at(-1)?.offset ?? from) + 1
    const bytes = bytesOf(records)
    held.queue.push({ records, bytes, atEnd: held.next === end })
    held.bytes += bytes
    ahead += bytes
    startWork()
    return true
  }

  /**
   * Reads once from each partition with capacity. Returns whether any record was read, and whether any existing record
   * was not read.
   */
  const readRound = async (): Promise<{ read: boolean; behind: boolean }> => {
    let read = false
    let behind = false
    const ends = await reader.ends()
    // Partitions handled meanwhile go to the end of the map.
    const round = [...holdings.values()]
    for (const held of round) {
      const room = roomOf(held)
      const end = ends[held.partition] ?? 0
      if (room > 0 && (held.next ?? 0) < end) read = (await readOne(held, room, end)) || read
      if ((held.next ?? end) < end) behind = true
    }
    return { read, behind }
  }

  const waitForNews = async (behind: boolean): Promise<void> => {
    const from = [...holdings.values()].flatMap((held) =>
      roomOf(held) > 0 ? [{ partition: held.partition, offset: held.next ?? 0 }] : [],
    )
    if (from.length > 0) {
      await reader.wait(from, look.signal)
      // If records are already waiting, handled records end the wait, since they free capacity.
      if (settings.lingerMs > 0) await pause(settings.lingerMs, behind ? look.signal : ending.signal)
      return
    }
    await new Promise<void>((resolve) => {
      if (look.signal.aborted) resolve()
      else look.signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  const reading = async (): Promise<void> => {
    while (!stopping) {
      look = new AbortController()
      try {
        const { read, behind } = await readRound()
        if (!(read && behind) && !stopping) await waitForNews(behind)
      } catch (error) {
        logger.error({ err: error, consumer: name }, 'A consumer cannot read; it is tried again')
        await pause(settings.retryBaseMs, new AbortController().signal)
      }
    }
  }

  const tellIdle = (): void => {
    const reached = (ends: readonly number[]): boolean =>
      [...holdings.values()].every((held) => (held.committed ?? -1) >= (ends[held.partition] ?? 0))
    const done = waiters.filter(({ ends }) => reached(ends))
    waiters = waiters.filter((waiter) => !done.includes(waiter))
    for (const { resolve } of done) resolve()
  }

  const commitNow = async (which: Iterable<Holding>): Promise<void> => {
    const moved = [...which].flatMap((held) =>
      held.done === undefined || held.done.offset === held.committed
        ? []
        : [{ held, done: held.done, began: held.began }],
    )
    try {
      if (moved.length > 0) await write(moved.map(({ held, done }) => [held.partition, done] as const))
      // A partition may have begun again meanwhile, perhaps at an earlier offset.
      for (const { held, done, began } of moved) if (held.began === began) held.committed = done.offset
      tellIdle()
    } catch (error) {
      logger.warn({ err: error, consumer: name }, 'Positions of a consumer cannot be moved yet; it is tried again')
      commitSoon()
    }
  }

  /** Commits the positions of handled records, one commit after the other, unless the journal fails. */
  const commit = (which: () => Iterable<Holding>): Promise<void> => {
    committing = committing.then(() => commitNow(which()))
    return committing
  }

  /** Commits after `commitMs`, together with everything that is handled until then. */
  function commitSoon(): void {
    if (stopping) return
    commitTimer ??= setTimeout(() => {
      // If a commit takes longer, the next one waits for it.
      void commit(() => {
        commitTimer = undefined
        return holdings.values()
      })
    }, settings.commitMs)
  }

  const give = (partitions: readonly number[]): void => {
    for (const partition of partitions) {
      if (stopping || holdings.has(partition)) continue
      const held: Holding = {
        partition,
        leaving: new AbortController(),
        next: undefined,
        done: undefined,
        committed: undefined,
        began: 0,
        lost: false,
        queue: [],
        bytes: 0,
        running: undefined,
      }
      holdings.set(partition, held)
      restart(held, 'given')
    }
  }

  const takeOne = async (held: Holding): Promise<void> => {
    held.leaving.abort()
    await held.running
    dropQueue(held)
    await deps.end?.(held.partition)
  }

  const take = async (partitions: readonly number[]): Promise<void> => {
    const leaving = partitions.map((partition) => holdings.get(partition)).filter((held) => held !== undefined)
    await Promise.all(leaving.map(takeOne))
    // The next owner of the partition handles uncommitted records again.
    await commit(() => leaving)
    for (const held of leaving) holdings.delete(held.partition)
    tellIdle()
    news()
  }

  const loop = reading()

  return {
    give,
    take,
    needed: () => [...journal.positions()].map(([partition, offset]) => ({ partition, offset })),
    async idle() {
      const ends = await reader.ends()
      await new Promise<void>((resolve) => {
        waiters.push({ ends, resolve })
        void commit(() => holdings.values())
        tellIdle()
      })
    },
    async stop() {
      stopping = true
      ending.abort()
      await take([...holdings.keys()])
      clearTimeout(commitTimer)
      news()
      await loop
    },
  }
}
