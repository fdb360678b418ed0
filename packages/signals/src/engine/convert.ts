import type { Db } from '@tributary/api-kit'
import { consentOf, type EventProfile, type ProfileValues } from '@tributary/connector-kit'
import { type PipelineEvent, pathNames, valueAt } from '@tributary/contract'
import type { Clock } from '@tributary/kernel'
import type { CachedSignal, WorkspaceSignals } from '../signal-cache.ts'
import { type Facts, factsOf } from './click-facts.ts'
import {
  type ConversionInput,
  idText,
  isConversion,
  keyOf,
  makeConversion,
  type Origin,
  type Refunded,
} from './make.ts'
import {
  type Identifier,
  identifiersOf,
  personHash,
  readKnownPersons,
  readPersons,
  type SeenFacts,
  storeSeenFacts,
} from './persons.ts'
import { profileNeedsOfSignals } from './profile-use.ts'
import { readRefunded, type StoredConversions, storeConversions } from './store.ts'

/** An event, and the signals that it may be a conversion of. */
export type Candidate = { event: PipelineEvent; signals: readonly { signal: CachedSignal; origin: Origin }[] }

/** An event whose clicks and consent are stored. */
export type Looked = Candidate & {
  own: Facts
  at: number
  identifiers: Identifier[]
  consent: ReturnType<typeof consentOf>
}

const orderOf = ({ definition: { refunds } }: CachedSignal, event: PipelineEvent): string => {
  return refunds === null ? '' : idText(valueAt(event, pathNames(refunds.order_path)))
}

const refundsIn = (candidates: readonly Candidate[]) =>
  candidates.flatMap(({ event, signals }) =>
    signals.flatMap(({ signal, origin }) => {
      const eventId = origin === 'refund' ? orderOf(signal, event) : ''
      return eventId === '' ? [] : [{ signalId: signal.id, eventId, key: keyOf(signal.id, eventId) }]
    }),
  )

export type ConvertDeps = {
  db: Db
  clock: Clock
  /** Reads the profiles of persons. Without it, conversions have no values of profiles. */
  profiles?: Pick<ProfileValues, 'look'> | undefined
  /** Called when new conversions are stored, so that they can be sent. */
  onConversions?: (() => void) | undefined
}

/** The last record of the stream with the events; undefined if they are not of the stream. */
type Place = { partition: number; offset: number } | undefined

/** Reads the profiles of converting events with one query; none if no signal uses the profile. */
const readProfiles = async (
  { profiles }: Pick<ConvertDeps, 'profiles'>,
  workspaceId: string,
  converting: readonly Candidate[],
  place: Place,
): Promise<readonly EventProfile[]> => {
  const needs = profileNeedsOfSignals(converting.flatMap(({ signals }) => signals.map(({ signal }) => signal)))
  if (profiles === undefined || needs.length === 0) return []
  return await profiles.look(
    workspaceId,
    converting.map(({ event }) => event),
    needs,
    place,
  )
}

/** Stores the clicks and the consent in the events of a workspace. May be repeated with the same events. */
export const storeFacts = async (
  { db }: Pick<ConvertDeps, 'db'>,
  workspaceId: string,
  { settings }: Pick<WorkspaceSignals, 'settings'>,
  candidates: readonly Candidate[],
): Promise<readonly Looked[]> => {
  const consentPath = pathNames(settings.consent_path)
  const looked = candidates.flatMap((candidate): Looked[] => {
    const at = Date.parse(candidate.event.timestamp)
    if (Number.isNaN(at)) return []
    const consent = consentOf(valueAt(candidate.event, consentPath))
    const own = factsOf(candidate.event, at)
    return [{ ...candidate, own, at, identifiers: identifiersOf(candidate.event), consent }]
  })
  const seen = looked.map(
    ({ own: facts, at, identifiers, consent }): SeenFacts => ({
      hashes: identifiers.map((each) => personHash(workspaceId, each)),
      facts,
      at,
      consent,
    }),
  )
  await storeSeenFacts(db, workspaceId, seen)
  return looked
}

/**
 * Makes conversions of events whose facts are stored, in their order. Each event that feeds a signal becomes a
 * conversion, which is joined with the stored facts and the profile of its person, and stored. May be repeated with the
 * same events.
 */
export const convertStored = async (
  { db, clock, profiles }: ConvertDeps,
  workspaceId: string,
  { settings }: Pick<WorkspaceSignals, 'settings'>,
  looked: readonly Looked[],
  place?: Place,
): Promise<StoredConversions> => {
  const now = clock()
  const converting = looked.filter(({ signals }) => signals.length > 0)
  if (converting.length === 0) return { fresh: [], repeated: [] }
  const persons = await readPersons(
    db,
    workspaceId,
    converting.map(({ identifiers }) => identifiers),
  )
  const [known, profilesOfEvents] = await Promise.all([
    readKnownPersons(db, workspaceId, persons),
    readProfiles({ profiles }, workspaceId, converting, place),
  ])
  const make = (each: Looked, index: number, refunds: ReadonlyMap<string, Refunded>) =>
    each.signals.flatMap(({ signal, origin }) => {
      const person = known[index] ?? { kept: new Map(), withdrawnAt: undefined }
      const refunded =
        origin === 'refund' ? (refunds.get(`${signal.id}\n${orderOf(signal, each.event)}`) ?? null) : undefined
      const options = { settings, now }
      const { event, own } = each
      const profile = profilesOfEvents[index]
      const input: ConversionInput = { signal, event, own, person, origin, refunded, profile, options }
      if (!isConversion(input)) return []
      const subjects = each.identifiers.map((identifier) => personHash(workspaceId, identifier))
      return [{ made: makeConversion(input), subjects }]
    })
  const asked = refundsIn(converting)
  if (asked.length === 0) {
    const none = new Map<string, Refunded>()
    return await storeConversions(
      db,
      workspaceId,
      converting.flatMap((each, index) => make(each, index, none)),
      now,
    )
  }
  // Conversions are stored one by one, because a refund may belong to an order in the same batch.
  const stored: { fresh: StoredConversions['fresh'][number][]; repeated: StoredConversions['repeated'][number][] } = {
    fresh: [],
    repeated: [],
  }
  for (const [index, each] of converting.entries()) {
    const refunds = await readRefunded(db, refundsIn([each]))
    const part = await storeConversions(db, workspaceId, make(each, index, refunds), now)
    stored.fresh.push(...part.fresh)
    stored.repeated.push(...part.repeated)
  }
  return stored
}

/** Stores the clicks in the events of a workspace, and makes conversions of the events. */
export const convert = async (
  deps: ConvertDeps,
  workspaceId: string,
  signals: Pick<WorkspaceSignals, 'settings'>,
  candidates: readonly Candidate[],
): Promise<StoredConversions> =>
  convertStored(deps, workspaceId, signals, await storeFacts(deps, workspaceId, signals, candidates))
