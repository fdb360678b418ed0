import { type OutcomeRange, outcomeRangesOf, type VersionedOutcome } from '@tributary/contract'
import { faultPoint } from '@tributary/kernel'
import { type LogReader, type LogWriter, partitionOf } from '@tributary/storage'
import { z } from 'zod'
import { type DeletedUsers, maxRowsRead, producerOf, type Sending, takePlanned } from './planned-entries.ts'
import type { NotedOutcome, SyncStore } from './store.ts'

/** The stream by which rows reach delivery, and the log in which their outcomes are read. */
export type Outbound = {
  /** Returns the stream for appending records of a workspace. */
  streamFor(workspaceId: string): Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  outcomes: Pick<LogReader, 'partitions' | 'read' | 'wait' | 'ends'>
  /** Returns whether the disk has space for more records. */
  mayAppend(): boolean
}

/** Maximum number of rows that were appended and have no outcome yet. */
const maxUnderWay = 20_000
const outcomeBytes = 4 * 1024 * 1024
/** Number of outcomes that are written per batch. */
const notedTogether = 5000
/** Maximum number of outcomes that were read and not written. Reading pauses above it. */
const maxUnnoted = 50_000
/** Number of rows whose outcomes are read at once when a run continues. */
const outcomesRead = 100_000
/** Time in ms to wait for outcomes until the state of the run is read again. */
const lookMs = 1000
/** Time in ms to wait for outcomes until another run may have its turn. */
const patienceMs = 30_000

/** The outcome of a row: open while it may still change, settled, or rejected. */
const fate = { open: 0, settled: 1, rejected: 2 } as const
const fateOf = (status: string): number =>
  status === 'retry' ? fate.open : status === 'dead' ? fate.rejected : fate.settled

const note = z.object({ run: z.string() })

/** The state of the run, which other processes can change. */
export type RunInSending = {
  /** Returns the state; undefined ends the sending. */
  state(): Promise<'sending' | 'canceling' | undefined>
  /** Called when all outcomes before this offset of the log of outcomes are stored. */
  learned(outcomeOffset: number): Promise<void>
  deleted: DeletedUsers
}

/** Returns the current end of the log of outcomes for a sync: rows sent from now on have their outcomes after it. */
export const outcomesEnd = async (outcomes: Outbound['outcomes'], sync: string): Promise<number> =>
  (await outcomes.ends())[partitionOf(producerOf(sync), outcomes.partitions)] ?? 0

/** Returns the numbers of the planned rows to which an outcome belongs; undefined for outcomes of other runs. */
const numbersOf = (
  outcome: OutcomeRange | VersionedOutcome,
  prefix: string,
): { number: number; count: number } | undefined => {
  if ('prefix' in outcome)
    return outcome.prefix === prefix ? { number: outcome.first, count: outcome.count } : undefined
  return outcome.recordId.startsWith(prefix)
    ? { number: Number(outcome.recordId.slice(prefix.length)), count: 1 }
    : undefined
}

/**
 * Creates functions that read and store the outcomes of the rows of a run. `settle` receives each outcome when it is
 * read; `learned` is called when it is stored.
 */
const createLearning = (
  outcomes: Outbound['outcomes'],
  store: Pick<SyncStore, 'noteOutcomes'>,
  { run, sync, outcomeOffset }: Pick<Sending, 'run' | 'sync' | 'outcomeOffset'>,
  to: { settle(number: number, status: string): void; learned: RunInSending['learned'] },
) => {
  const producer = producerOf(sync)
  const partition = partitionOf(producer, outcomes.partitions)
  let offset = outcomeOffset
  /** Outcomes that were read and are not stored yet. All outcomes before the offset `noted` are stored. */
  let unnoted: NotedOutcome[] = []
  let unnotedRows = 0
  let noted = outcomeOffset
  const readNews = async (): Promise<boolean> => {
    const records = await outcomes.read(partition, offset, outcomeBytes)
    const end = records.at(-1)
    if (end === undefined) return false
    for (const record of records) {
      if (record.key !== producer) continue
      for (const outcome of outcomeRangesOf(record)) {
        const rows = numbersOf(outcome, `${run}.`)
        if (rows === undefined) continue
        const { status, reason, version, time } = outcome
        unnoted.push({ ...rows, status, reason, version, time })
        unnotedRows += rows.count
        for (let at = 0; at < rows.count; at++) to.settle(rows.number + at, status)
      }
    }
    offset = end.offset + 1
    return true
  }
  let reading: Promise<boolean> | undefined
  return {
    /** Reads new outcomes; returns false if there are none. Concurrent calls share one read. */
    read(): Promise<boolean> {
      reading ??= readNews().finally(() => {
        reading = undefined
      })
      return reading
    },
    /** Stores the outcomes that were read before the call. */
    async note(): Promise<void> {
      const [known, behind] = [unnoted, offset]
      unnoted = []
      unnotedRows = 0
      if (known.length > 0) {
        await store.noteOutcomes(run, known)
        faultPoint('sync.after-outcomes')
      }
      await to.learned(behind)
      noted = behind
    },
    isNoted: (): boolean => noted === offset,
    /** Returns the number of outcomes that were read and are not stored. */
    waiting: (): number => unnotedRows,
    wait: (signal: AbortSignal) => outcomes.wait([{ partition, offset }], signal),
  }
}

/** The outcome of each row by its number. Millions of them take a few megabytes. */
const createFates = (planSize: number) => {
  const fates = new Uint8Array(planSize + 1)
  let settled = 0
  return {
    settle(number: number, status: string): void {
      const now = fateOf(status)
      settled += Number(now !== fate.open) - Number(fates[number] !== fate.open)
      fates[number] = now
    },
    settled: (): number => settled,
    rejected: (): number => fates.reduce((sum, each) => sum + Number(each === fate.rejected), 0),
  }
}

/** The outcomes of rows that are left out because their users were deleted during the run. */
const leftOutOutcomes = (numbers: readonly number[]): NotedOutcome[] => {
  const time = Date.now()
  return numbers.map((number) => ({ number, status: 'filtered', reason: 'The user was deleted', version: 0, time }))
}

/**
 * Passes the planned rows of a run to delivery, and reads their outcomes. The position of the run is in the stream with
 * its rows, and the outcomes are in the event store. So each row is appended once, even after a kill. Returns true when
 * all appended rows are settled; a canceled run appends no more rows. Returns false if there was no progress for some
 * time, or the run is over.
 */
export const sendRows = async (
  { streamFor, outcomes, mayAppend }: Outbound,
  store: SyncStore,
  sending: Sending,
  shown: RunInSending,
  signal: AbortSignal,
): Promise<{ settled: boolean; rejected: number }> => {
  const { run, planSize } = sending
  const producer = producerOf(sending.sync)
  const stream = streamFor(sending.workspaceId)
  const epoch = await stream.beginEpoch(producer)
  const [last] = await stream.lastSequences(producer)
  let sent = last !== undefined && note.parse(JSON.parse(last.note)).run === run ? last.sequence : 0
  const fates = createFates(planSize)
  const { settle } = fates
  const take = takePlanned(store, sending, sent, shown.deleted)
  let movedAt = performance.now()

  const hasRoom = (): boolean => sent - fates.settled() < maxUnderWay
  const learning = createLearning(outcomes, store, sending, { settle, learned: shown.learned })
  for (let from = 0; from < sent; from += outcomesRead)
    for (const { number, status } of await store.outcomes(run, from, outcomesRead)) settle(number, status)

  const append = async (): Promise<void> => {
    const { entries, end, leftOut } = await take()
    if (leftOut.length > 0) {
      const known = leftOutOutcomes(leftOut)
      await store.noteOutcomes(run, known)
      for (const { number, status } of known) settle(number, status)
    }
    if (entries.length > 0)
      await stream.appendGroup(entries, { producer, epoch, sequence: end, note: JSON.stringify({ run }) })
    faultPoint('sync.after-append')
    sent = end
  }

  /**
   * Appends while fewer than the maximum are in flight. A row makes space once its outcome is read, before it is
   * stored.
   */
  const appendSome = async (): Promise<boolean> => {
    const before = sent
    while (sent < planSize && sent - before < maxRowsRead && mayAppend()) {
      signal.throwIfAborted()
      if (hasRoom()) await append()
      else if (learning.waiting() >= maxUnnoted || !(await learning.read())) break
    }
    return sent > before
  }
  /**
   * Reads and stores outcomes until there are no more, or until rows could be appended and nothing is being appended.
   */
  const learnSome = async (appending: () => boolean): Promise<boolean> => {
    let moved = false
    for (;;) {
      const isNews = await learning.read()
      const notes = !learning.isNoted() && (learning.waiting() >= notedTogether || !appending())
      if (notes) await learning.note()
      if (isNews || notes) moved = true
      if (!(isNews || notes) || (!appending() && sent < planSize && hasRoom())) return moved
    }
  }

  for (;;) {
    signal.throwIfAborted()
    const now = await shown.state()
    if (now === undefined) return { settled: false, rejected: 0 }
    // Waits for appending and learning before an error is thrown, so that no work continues without its caller.
    let appending = now === 'sending'
    const appended = (appending ? appendSome() : Promise.resolve(false)).finally(() => {
      appending = false
    })
    const done = await Promise.allSettled([appended, learnSome(() => appending || now !== 'sending')])
    const failed = done.find((each) => each.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    const moved = done.some((each) => each.status === 'fulfilled' && each.value)
    if (moved) movedAt = performance.now()
    // The few outcomes that are left are stored now, because no more arrive.
    if (!moved && !learning.isNoted()) await learning.note()
    if (learning.isNoted() && fates.settled() === sent && (sent === planSize || now === 'canceling'))
      return { settled: true, rejected: fates.rejected() }
    if (performance.now() - movedAt > patienceMs) return { settled: false, rejected: 0 }
    if (!moved) await learning.wait(AbortSignal.any([signal, AbortSignal.timeout(lookMs)]))
  }
}
