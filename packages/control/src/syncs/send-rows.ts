import { type DeliveryMeta, outboundText, outcomesOf } from '@tributary/contract'
import { faultPoint } from '@tributary/kernel'
import { type LogReader, type LogWriter, partitionOf } from '@tributary/storage'
import { z } from 'zod'
import type { NotedOutcome, PlannedRow, SyncStore } from './store.ts'

/** How rows reach delivery, and how what becomes of them is learned. */
export type Outbound = {
  stream: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  outcomes: Pick<LogReader, 'partitions' | 'read' | 'wait' | 'ends'>
  /** Whether there is room for more on the disk. */
  mayAppend(): boolean
}

/** Rows of one record of the stream, rows and characters of one append, and rows that are on their way at most. */
const rowsPerRecord = 50
const mostAtOnce = 1000
const charactersAtOnce = 1024 * 1024
const mostUnderWay = 10_000
const outcomeBytes = 1024 * 1024
/** For how long outcomes are waited for before the state is looked at again, and before somebody else may have the turn, ms. */
const lookMs = 1000
const patienceMs = 30_000

/** What is known of a row: nothing yet, or an outcome after which nothing happens by itself. */
const isSettled = (status: string): boolean => status !== 'retry'

/** Why a row is left out whose person was deleted while the run was under way. */
const userDeleted = 'The user was deleted'

const keysOf = (rows: readonly PlannedRow[]): string[] => rows.map(({ key }) => key)

const note = z.object({ run: z.string() })

export type Sending = {
  workspaceId: string
  sync: string
  run: string
  destinationId: string
  /** What rows name as their object, and the field that tells records apart. */
  object: string
  identifier: string
  planSize: number
  /** From where on outcomes may be of this run. */
  outcomeOffset: number
}

/** The run as others see and change it. */
export type RunInSending = {
  /** Undefined ends the sending. */
  state(): Promise<'sending' | 'canceling' | undefined>
  /** Everything before this offset of the log of outcomes is noted. */
  learned(outcomeOffset: number): Promise<void>
  /** Of these keys, those of people who were deleted since the run began. */
  deleted(keys: readonly string[]): Promise<ReadonlySet<string>>
}

export const producerOf = (sync: string): string => `sync ${sync}`

/** From where on the log of outcomes may tell of what a sync sends from now on. */
export const outcomesEnd = async (outcomes: Outbound['outcomes'], sync: string): Promise<number> =>
  (await outcomes.ends())[partitionOf(producerOf(sync), outcomes.partitions)] ?? 0

const entryOf = (sending: Sending, rows: readonly PlannedRow[]) => {
  const { workspaceId, sync, run, destinationId, object, identifier } = sending
  const meta: DeliveryMeta = {
    w: workspaceId,
    s: sync,
    d: [destinationId],
    n: rows.length,
    b: { k: 'sync', n: producerOf(sync) },
  }
  const texts = rows.map(({ number, key, operation, payload }) =>
    outboundText({
      recordId: `${run}.${number}`,
      operation,
      object,
      key,
      // Of a removal its key is all that is known, and needed.
      json: payload ?? JSON.stringify({ [identifier]: key }),
    }),
  )
  return { key: workspaceId, meta: JSON.stringify(meta), body: Buffer.from(`[${texts.join(',\n')}]\n`) }
}

/**
 * Hands the planned rows of a run to delivery and learns what becomes of each. How far it is stands in the stream with the
 * rows, and what it has learned in the event store: whatever is killed when, each row is appended once and goes on from there. Resolves
 * to whether all that was appended is settled, which it is of a run that is canceled without appending more; to false when
 * it has waited for a while, or is told that it is over.
 */
export const sendRows = async (
  { stream, outcomes, mayAppend }: Outbound,
  store: SyncStore,
  sending: Sending,
  shown: RunInSending,
  signal: AbortSignal,
): Promise<{ settled: boolean; rejected: number }> => {
  const { run, planSize } = sending
  const producer = producerOf(sending.sync)
  const partition = partitionOf(producer, outcomes.partitions)
  const epoch = await stream.beginEpoch(producer)
  const [last] = await stream.lastSequences(producer)
  let sent = last !== undefined && note.parse(JSON.parse(last.note)).run === run ? last.sequence : 0
  const known = new Map<number, string>()
  for (const { number, status } of await store.outcomes(run)) known.set(number, status)
  let settled = [...known.values()].filter(isSettled).length
  let offset = sending.outcomeOffset
  let atOnce = 100
  let movedAt = performance.now()

  const settle = (number: number, status: string): void => {
    const before = known.get(number)
    if (before !== undefined && isSettled(before)) settled--
    if (isSettled(status)) settled++
    known.set(number, status)
  }

  const append = async (): Promise<void> => {
    const rows = await store.planned(run, sent, Math.min(atOnce, planSize - sent))
    const end = rows.at(-1)?.number
    if (end === undefined) throw new Error(`The plan of the run ${run} ends at ${sent} of ${planSize}`)
    const deleted = await shown.deleted(keysOf(rows))
    const leftOut = rows.filter(({ key, operation }) => operation !== 'delete' && deleted.has(key))
    const kept = leftOut.length === 0 ? rows : rows.filter((row) => !leftOut.includes(row))
    const entries = []
    for (let at = 0; at < kept.length; at += rowsPerRecord)
      entries.push(entryOf(sending, kept.slice(at, at + rowsPerRecord)))
    if (leftOut.length > 0) {
      const time = Date.now()
      const told = leftOut.map(({ number }) => ({ number, status: 'filtered', reason: userDeleted, version: 0, time }))
      await store.noteOutcomes(run, told)
      for (const { number, status } of told) settle(number, status)
    }
    if (entries.length > 0)
      await stream.appendGroup(entries, { producer, epoch, sequence: end, note: JSON.stringify({ run }) })
    faultPoint('sync.after-append')
    sent = end
    const characters = rows.reduce((sum, { payload, key }) => sum + (payload?.length ?? 0) + key.length, 1)
    atOnce = Math.max(20, Math.min(mostAtOnce, Math.floor((rows.length * charactersAtOnce) / characters)))
  }

  /** Reads what is new; false when there is nothing. */
  const learn = async (): Promise<boolean> => {
    const records = await outcomes.read(partition, offset, outcomeBytes)
    const end = records.at(-1)
    if (end === undefined) return false
    const found = records
      .filter(({ key }) => key === producer)
      .flatMap(outcomesOf)
      .flatMap(({ recordId, status, reason, version, time }): NotedOutcome[] =>
        recordId.startsWith(`${run}.`)
          ? [{ number: Number(recordId.slice(run.length + 1)), status, reason, version, time }]
          : [],
      )
    if (found.length > 0) {
      await store.noteOutcomes(run, found)
      faultPoint('sync.after-outcomes')
    }
    for (const { number, status } of found) settle(number, status)
    offset = end.offset + 1
    return true
  }

  for (;;) {
    signal.throwIfAborted()
    const now = await shown.state()
    if (now === undefined) return { settled: false, rejected: 0 }
    while (now === 'sending' && sent < planSize && sent - settled < mostUnderWay && mayAppend()) {
      signal.throwIfAborted()
      await append()
      movedAt = performance.now()
    }
    while (await learn()) {
      movedAt = performance.now()
      await shown.learned(offset)
    }
    if (settled === sent && (sent === planSize || now === 'canceling'))
      return { settled: true, rejected: [...known.values()].filter((status) => status === 'dead').length }
    if (performance.now() - movedAt > patienceMs) return { settled: false, rejected: 0 }
    await outcomes.wait([{ partition, offset }], AbortSignal.any([signal, AbortSignal.timeout(lookMs)]))
  }
}
