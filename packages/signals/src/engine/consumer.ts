import { outOfDateConsent } from '@tributary/connector-kit'
import type { PipelineEvent } from '@tributary/contract'
import { losesDigits, type Metrics, noteWork, parseExactJson } from '@tributary/kernel'
import { type AcceptedEvent, consumerItem, createEventConsumer, type EventConsumerDeps } from '@tributary/storage'
import type { SignalCache, WorkspaceSignals } from '../signal-cache.ts'
import { type Candidate, type ConvertDeps, convertStored, type Looked, storeFacts } from './convert.ts'
import { profileNeedsOfSignals } from './profile-use.ts'
import { type ProfileWaitDeps, untilRead } from './profile-wait.ts'

export type SignalHandlingDeps = Omit<ConvertDeps, 'profiles'> &
  ProfileWaitDeps & {
    cache: Pick<SignalCache, 'find'>
    /** Whether an event belongs to a user who was deleted after it was received. */
    isForgotten: (workspaceId: string, event: PipelineEvent) => boolean
    metrics: Metrics
  }

export type SignalConsumerDeps = SignalHandlingDeps &
  Pick<EventConsumerDeps, 'reader' | 'journal' | 'history' | 'logger'> & {
    settings?: EventConsumerDeps['settings']
  }

/** The last record of a batch in the stream. */
type Place = { partition: number; offset: number }

const consumerName = 'signals'

/**
 * Matches names of click IDs, first-party IDs and consent. An event without any of these names has no facts to store.
 */
const mayTell = /clid|braid|fbp|fbc|ttp|client_id|utm_|campaign|ga_session|browserIds|consent/i

const valuesOf = (json: string): PipelineEvent =>
  // The pipeline wrote this JSON, so every key has its type. Numbers keep their digits.
  (losesDigits(json) ? parseExactJson(json) : JSON.parse(json)) as PipelineEvent

/**
 * Returns the event with the signals that it is a conversion of. Undefined if it is a conversion of no signal and has
 * no facts to store.
 */
const candidateOf = (
  { json, sourceId }: AcceptedEvent,
  signals: NonNullable<ReturnType<SignalCache['find']>>['bySource'],
): Candidate | undefined => {
  const own = signals.get(sourceId)
  // Every event that is delivered has a message ID. An event without one is only stored, and is no conversion.
  if (own === undefined || !json.includes('"messageId":')) return undefined
  const event = valuesOf(json)
  if (typeof event.messageId !== 'string') return undefined
  const received = Date.parse(event.receivedAt)
  const found = own.flatMap((signal) => {
    const origin = received >= signal.enabledAt ? signal.matches(event) : undefined
    return origin === undefined ? [] : [{ signal, origin }]
  })
  return found.length > 0 || mayTell.test(json) ? { event, signals: found } : undefined
}

/** The events of a workspace whose facts are stored, and that may become conversions. */
type Stored = { workspaceId: string; signals: WorkspaceSignals; looked: readonly Looked[] }

const usesProfile = ({ looked }: Stored): boolean =>
  profileNeedsOfSignals(looked.flatMap((each) => each.signals.map(({ signal }) => signal))).length > 0

/** Profiles that may be out of date: their values are used, and their consent only denies. */
const outOfDate = (profiles: ConvertDeps['profiles']): ConvertDeps['profiles'] =>
  profiles && {
    look: async (...asked) =>
      (await profiles.look(...asked)).map((profile) => ({
        ...profile,
        consent: outOfDateConsent(profile.consent),
      })),
  }

/**
 * Creates the handling of accepted events. Facts are stored at once. Conversions that use no profile do not wait for
 * profiles.
 */
export const createSignalHandling = (deps: SignalHandlingDeps) => {
  const { cache, metrics, isForgotten } = deps
  const stopping = new AbortController()
  const working = new Set<Promise<unknown>>()

  const noting = async <T>(work: Promise<T>): Promise<T> => {
    working.add(work)
    try {
      return await work
    } finally {
      working.delete(work)
    }
  }

  const store = async (workspaceId: string, own: readonly AcceptedEvent[]): Promise<Stored[]> => {
    const signals = cache.find(workspaceId)
    if (signals === undefined || signals.bySource.size === 0) return []
    const candidates = own
      .flatMap((event) => {
        noteWork('signals.match', workspaceId, consumerItem(consumerName, event.eventId))
        return candidateOf(event, signals.bySource) ?? []
      })
      .filter(({ event }) => !isForgotten(workspaceId, event))
    if (candidates.length === 0) return []
    return [{ workspaceId, signals, looked: await storeFacts(deps, workspaceId, signals, candidates) }]
  }

  const make = async (
    { workspaceId, signals, looked }: Stored,
    place: Place | undefined,
    profiles: ConvertDeps['profiles'] = deps.profiles,
  ): Promise<void> => {
    // A user may have been deleted during the wait.
    const open = looked.filter(({ event }) => !isForgotten(workspaceId, event))
    const { fresh, repeated } = await convertStored({ ...deps, profiles }, workspaceId, signals, open, place)
    if (fresh.length > 0) deps.onConversions?.()
    metrics.count('signal_conversions', fresh.length)
    if (repeated.length > 0) metrics.count('signal_repetitions', repeated.length)
  }

  return {
    async handle(events: readonly AcceptedEvent[], place: Place): Promise<void> {
      const waiting: Stored[] = []
      for (const [workspaceId, own] of Map.groupBy(events, (event) => event.workspaceId))
        for (const stored of await noting(store(workspaceId, own)))
          if (usesProfile(stored)) waiting.push(stored)
          else await noting(make(stored, place))
      if (waiting.length === 0) return
      const received = waiting.flatMap(({ looked }) =>
        looked.flatMap(({ event, signals }) => (signals.length > 0 ? [event.receivedAt] : [])),
      )
      const isRead = await untilRead(deps, received, place, stopping.signal)
      for (const stored of waiting)
        await noting(isRead ? make(stored, place) : make(stored, undefined, outOfDate(deps.profiles)))
    },
    /**
     * Resolves when no work of an earlier call is writing. Batches that wait for profiles check again afterwards whether
     * a user was deleted.
     */
    async settled(): Promise<void> {
      await Promise.allSettled(working)
    },
    /** Ends the waits for profiles; their batches are handled again later. */
    stop: () => stopping.abort(),
  }
}

/**
 * Creates the consumer that makes conversions of accepted events in the stream. Events of a workspace come in their
 * order. After a kill some events come again; their conversions already exist and are not made twice.
 */
export const createSignalConsumer = (deps: SignalConsumerDeps) => {
  const handling = createSignalHandling(deps)
  const consumer = createEventConsumer({
    name: consumerName,
    ...deps,
    handle: (events, partition, reached) => handling.handle(events, { partition, offset: reached.offset - 1 }),
  })
  return {
    ...consumer,
    settled: handling.settled,
    async stop(): Promise<void> {
      const stopped = consumer.stop()
      handling.stop()
      await stopped
    },
  }
}
