import { setTimeout as pause } from 'node:timers/promises'
import type { ProfileValues } from '@tributary/connector-kit'
import type { PipelineEvent } from '@tributary/contract'
import { losesDigits, type Metrics, noteWork, parseExactJson } from '@tributary/kernel'
import { type AcceptedEvent, consumerItem, createEventConsumer, type EventConsumerDeps } from '@tributary/storage'
import type { SignalCache } from '../signal-cache.ts'
import { type Candidate, type ConvertDeps, convert } from './convert.ts'
import { profileNeedsOfSignals } from './make.ts'

export type SignalConsumerDeps = Omit<ConvertDeps, 'profiles'> &
  Pick<EventConsumerDeps, 'reader' | 'journal' | 'history' | 'logger'> & {
    cache: Pick<SignalCache, 'find'>
    /** Whether an event belongs to a user who was deleted after it was received. */
    isForgotten: (workspaceId: string, event: PipelineEvent) => boolean
    /** Reads the profiles of persons. Without it, conversions have no values of profiles. */
    profiles?: ProfileValues | undefined
    /** How long an event waits until profiles have read it, ms. */
    profileWaitMs?: number
    metrics: Metrics
    settings?: EventConsumerDeps['settings']
  }

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

/** How often signals look whether profiles have read an event, ms. */
const lookMs = 50

/**
 * Waits until profiles have read the events that become conversions, if their signals use the profile. Resolves to
 * false if they have not when the wait of the newest event is over.
 */
const untilRead = async (
  { profiles, profileWaitMs = 0, clock }: Pick<SignalConsumerDeps, 'profiles' | 'profileWaitMs' | 'clock'>,
  candidates: readonly Candidate[],
  { partition, offset }: { partition: number; offset: number },
): Promise<boolean> => {
  const converting = candidates.filter(({ signals }) => signals.length > 0)
  const signals = converting.flatMap((each) => each.signals.map(({ signal }) => signal))
  if (profiles === undefined || profileNeedsOfSignals(signals).length === 0) return true
  const newest = Math.max(...converting.map(({ event }) => Date.parse(event.receivedAt)))
  while (!profiles.hasRead(partition, offset)) {
    if (!(clock() - newest < profileWaitMs)) return false
    await pause(lookMs)
  }
  return true
}

/**
 * Creates the consumer that makes conversions of accepted events in the stream. Events of a workspace come in their
 * order. After a kill some events come again; their conversions already exist and are not made twice.
 */
export const createSignalConsumer = (deps: SignalConsumerDeps) => {
  const { cache, metrics, isForgotten } = deps
  return createEventConsumer({
    name: consumerName,
    ...deps,
    async handle(events, partition, reached) {
      const place = { partition, offset: reached.offset - 1 }
      for (const [workspaceId, own] of Map.groupBy(events, (event) => event.workspaceId)) {
        const signals = cache.find(workspaceId)
        if (signals === undefined || signals.bySource.size === 0) continue
        const candidates = own
          .flatMap((event) => {
            noteWork('signals.match', workspaceId, consumerItem(consumerName, event.eventId))
            return candidateOf(event, signals.bySource) ?? []
          })
          .filter(({ event }) => !isForgotten(workspaceId, event))
        if (candidates.length === 0) continue
        const isRead = await untilRead(deps, candidates, place)
        const given = isRead ? deps : { ...deps, profiles: undefined }
        const { fresh, repeated } = await convert(given, workspaceId, signals, candidates, place)
        metrics.count('signal_conversions', fresh.length)
        if (repeated.length > 0) metrics.count('signal_repetitions', repeated.length)
      }
    },
  })
}
