import { faultPoint } from '@tributary/kernel'
import type { PlannedEvent } from './planned-rows.ts'
import type { SyncServices } from './services.ts'
import type { EventStatus, NotedOutcome, SyncStore } from './store.ts'

/** Maximum number of events of one request. Collection accepts 2,500. */
const maxPerRequest = 1000
/** Maximum number of characters of one request. Collection accepts 4 MiB. */
const charactersOfRequest = 1024 * 1024
/** Maximum number of events in flight. */
const maxTogether = 4000
/** Maximum time in ms that a run waits for the pipeline before another run gets its turn. */
const patienceMs = 30_000

export type SendingEvents = {
  workspaceId: string
  source: string
  run: string
  toDestinations: boolean
  planSize: number
  /** A time before the first send of the run, epoch ms. */
  since: number
}

type Deps = Pick<SyncServices, 'appendRequest' | 'whenStored' | 'clock'> & {
  /** Returns the state of the run, which is read before each step; undefined ends the sending. */
  state(): Promise<'sending' | 'canceling' | undefined>
}

type Outcome = Pick<NotedOutcome, 'status' | 'reason'>

/** Returns the outcome of a row, from its stored event. `sent` says whether this run sent it. */
const outcomeOf = (found: EventStatus | undefined, sent: boolean): Outcome => {
  if (found === undefined) return { status: 'filtered', reason: 'An event with this message ID was received before' }
  const { status, reason } = found
  if (status === 'rejected') return { status: 'dead', reason }
  // The event is stored and can be replayed. Sending it again would create another event.
  if (status === 'blocked') return { status, reason: 'Blocked by the schema of the source. Replay it from there' }
  return sent
    ? { status: 'delivered', reason: '' }
    : { status: 'filtered', reason: 'An event with this message ID is there already' }
}
const sentOutcome = (found: EventStatus | undefined) => (found === undefined ? undefined : outcomeOf(found, true))

/** Returns the bodies of requests with these events. */
const bodiesOf = (events: readonly PlannedEvent[]): Buffer[] => {
  const bodies: Buffer[] = []
  let texts: string[] = []
  let characters = 0
  const cut = (): void => {
    if (texts.length > 0) bodies.push(Buffer.from(`{"batch":[${texts.join(',')}]}`))
    texts = []
    characters = 0
  }
  for (const { payload } of events) {
    if (texts.length >= maxPerRequest || characters + payload.length > charactersOfRequest) cut()
    texts.push(payload)
    characters += payload.length
  }
  cut()
  return bodies
}

/** Creates functions that store the outcomes of planned events, and keep them in memory. */
const createNotes = async (store: SyncStore, { source, run, planSize }: SendingEvents, clock: () => number) => {
  const statuses = new Map((await store.outcomes(run, 0, planSize)).map(({ number, status }) => [number, status]))
  return {
    statuses,
    /**
     * Stores outcomes for events that have none yet, if `outcome` returns one for them. Reads the events that were
     * stored since `from` (epoch ms).
     */
    async note(
      events: readonly PlannedEvent[],
      from: number,
      outcome: (found: EventStatus | undefined) => Outcome | undefined,
    ): Promise<void> {
      const open = events.filter(({ number }) => !statuses.has(number))
      if (open.length === 0) return
      const ids = new Set(open.map(({ messageId }) => messageId))
      const found = await store.eventStatuses(source, [...ids], from)
      const time = clock()
      const outcomes = open.flatMap(({ number, messageId }): NotedOutcome[] => {
        // If several rows have the same message ID, the first one becomes the event.
        const known = ids.delete(messageId) ? outcome(found.get(messageId)) : outcomeOf(undefined, false)
        return known === undefined ? [] : [{ number, ...known, version: time, time }]
      })
      if (outcomes.length > 0) await store.noteOutcomes(run, outcomes)
      for (const { number, status } of outcomes) statuses.set(number, status)
    },
  }
}

/**
 * Appends planned events to the log of accepted requests, at most `maxTogether` at a time, and waits until the pipeline
 * has stored them. The outcome of an event is the outcome of the stored event with the same message ID. After a kill,
 * the run first looks up which events are stored. An event that is appended again has the same message ID, so it counts
 * once. Returns whether the run has ended, and the number of refused rows. Rejects with LogUnavailable or
 * LogOverloaded, so that the job is retried.
 */
export const sendEvents = async (
  { appendRequest, whenStored, clock, state }: Deps,
  store: SyncStore,
  sending: SendingEvents,
  signal: AbortSignal,
): Promise<{ settled: boolean; rejected: number }> => {
  const { workspaceId, source, run, toDestinations, planSize, since } = sending
  const waits = { settled: false, rejected: 0 }
  const stored = async (): Promise<boolean> => {
    const patience = AbortSignal.timeout(patienceMs)
    try {
      await whenStored(workspaceId, AbortSignal.any([signal, patience]))
      return true
    } catch (error) {
      if (patience.aborted && !signal.aborted) return false
      throw error
    }
  }
  // Stores the outcomes of events that were in flight when the run was interrupted.
  if (!(await stored())) return waits
  const { statuses, note } = await createNotes(store, sending, clock)
  let sent = 0
  while (statuses.has(sent + 1)) sent++
  for (let first = true; ; first = false) {
    signal.throwIfAborted()
    const now = await state()
    if (now === undefined) return waits
    if (sent === planSize || now === 'canceling') {
      const refused = [...statuses.values()].filter((status) => status === 'dead' || status === 'blocked')
      return { settled: true, rejected: refused.length }
    }
    const events = await store.plannedEvents(run, sent, maxTogether)
    const end = events.at(-1)?.number
    if (end === undefined) throw new Error(`The plan of the run ${run} ends at ${sent} of ${planSize}`)
    if (first) await note(events, since, sentOutcome)
    const time = clock()
    const meta = { w: workspaceId, s: source, k: 'batch', r: time, ip: '', f: true, i: true } as const
    for (const body of bodiesOf(events.filter(({ number }) => !statuses.has(number)))) {
      await appendRequest({ ...meta, ...(toDestinations ? { h: true } : { u: true }) }, body)
      faultPoint('sync.after-request')
    }
    if (!(await stored())) return waits
    await note(events, time, sentOutcome)
    await note(events, 0, (found) => outcomeOf(found, false))
    faultPoint('sync.after-outcomes')
    sent = end
  }
}
