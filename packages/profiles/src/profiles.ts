import { faultPoint, type Metrics } from '@tributary/kernel'
import {
  type AcceptedEvent,
  type Consumer,
  createEventConsumer,
  type Database,
  type EventConsumerDeps,
} from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import { type Identifier, identifierKey } from './identifiers.ts'
import { profileIdOf } from './ids.ts'
import { appendEntries, type Entry, type LedgerTx, loadGraph, lockLedger } from './ledger.ts'
import { type Observed, observe } from './observe.ts'
import { createRecent } from './recent.ts'
import { type Forgotten, type Remaining, withoutForgotten } from './refuse-forgotten.ts'
import { neededFor, resolve } from './resolve.ts'
import { type TraitRow, writeTraits } from './traits.ts'

/** Facts that are remembered as known, over all workspaces: 2 to this power, 8 MB. */
const knownFactBits = 20

/** How old what is remembered of erasures may be, ms: so long an event may count as one that came before them. */
const erasuresAgeMs = 1000

/**
 * What an observation says of who is who, as one text. After people were forgotten it is another one: what was known of
 * them is to be learned anew.
 */
const factOf = ({ event, identifiers, previous }: Observed, erasures: number): string =>
  [event.workspaceId, erasures, ...identifiers.map(identifierKey), previous ?? ''].join('\0')

/** How often people of each workspace were to be forgotten, where that was ever; may be `erasuresAgeMs` old. */
const createErasures = (db: Kysely<Database>): (() => Promise<ReadonlyMap<string, number>>) => {
  let known: ReadonlyMap<string, number> = new Map()
  let until = 0
  return async () => {
    if (performance.now() < until) return known
    const { rows } = await sql<{ workspace_id: string; erasures: string }>`
      select workspace_id, erasures from identity_ledgers where erasures > 0`.execute(db)
    known = new Map(rows.map(({ workspace_id, erasures }) => [workspace_id, Number(erasures)]))
    until = performance.now() + erasuresAgeMs
    return known
  }
}

const nothing = { refused: new Map<Observed, Forgotten>(), shortened: new Set<Observed>() }

/**
 * Writes down what observations of a workspace teach, in a transaction that holds its ledger's lock. Resolves to what it left
 * out, since nothing is to be known of those people.
 */
const learn = async (
  tx: LedgerTx,
  workspaceId: string,
  observed: readonly Observed[],
  metrics: Metrics,
): Promise<Omit<Remaining, 'observations'>> => {
  const ledger = await lockLedger(tx, workspaceId)
  // Whose workspace is gone is nobody's customer.
  if (ledger === undefined) return nothing
  const { observations, refused, shortened } =
    ledger.erasures === 0
      ? { ...nothing, observations: observed }
      : await withoutForgotten(tx, workspaceId, ledger, observed)
  const needed = new Map(
    observations.flatMap(neededFor).map((each): [string, Identifier] => [identifierKey(each), each]),
  )
  const { graph, sequences } = await loadGraph(tx, workspaceId, [...needed.values()], ledger.hasSplits)
  const entries: Entry[] = []
  const traits: TraitRow[] = []
  let { sequence } = ledger
  for (const observed of observations) {
    const { event, identifiers } = observed
    resolve(
      {
        graph,
        // Who comes back is somebody else.
        profileIdOf: (identifier) => profileIdOf(workspaceId, identifier, ledger.erasures),
        next: () => ++sequence,
        learn(operation) {
          const cause = { eventId: event.eventId, sourceId: event.sourceId, actorId: null, time: observed.time() }
          entries.push({ operation, cause })
          if (operation.kind === 'create' || operation.kind === 'link')
            sequences.set(identifierKey(operation.identifier), operation.sequence)
        },
      },
      observed,
    )
    const identifier = identifiers[0] === undefined ? undefined : sequences.get(identifierKey(identifiers[0]))
    if (identifier === undefined || observed.traits.length === 0) continue
    const from = { identifier, time: observed.time(), event_id: event.eventId, source_id: event.sourceId }
    for (const { name, value } of observed.traits) traits.push({ ...from, name, value: value ?? null })
  }
  await appendEntries(tx, workspaceId, entries)
  await writeTraits(tx, workspaceId, traits)
  for (const [kind, list] of Map.groupBy(entries, ({ operation }) => operation.kind))
    metrics.count('profile_operations', list.length, { kind })
  faultPoint('profiles.before-commit')
  return { refused, shortened }
}

export type LearningDeps = { db: Kysely<Database>; metrics: Metrics }

/**
 * Makes the function that profiles learn by. What it learns of accepted events is in the ledgers of their workspaces, and with
 * it in the profiles, before it resolves; an event that comes again, or says what is known, changes nothing. Rejects while
 * PostgreSQL is away. Any number of them may work for a workspace at a time.
 */
export const createLearning = ({
  db,
  metrics,
}: LearningDeps): ((events: readonly AcceptedEvent[]) => Promise<void>) => {
  const known = createRecent(knownFactBits)
  const erasuresOf = createErasures(db)

  return async (events) => {
    const erasures = await erasuresOf()
    const fresh = new Map<string, Observed[]>()
    const facts = new Set<string>()
    const nobody = new Map<string, number>()
    for (const event of events) {
      const observed = observe(event)
      if (observed.nobody !== undefined) {
        nobody.set(observed.nobody, (nobody.get(observed.nobody) ?? 0) + 1)
        continue
      }
      const forgets = erasures.get(event.workspaceId) ?? 0
      const fact = factOf(observed, forgets)
      // Of whom nothing is to be known depends on the time of each event.
      if (observed.traits.length === 0 && ((forgets === 0 && facts.has(fact)) || known.has(fact))) continue
      facts.add(fact)
      const list = fresh.get(event.workspaceId)
      if (list === undefined) fresh.set(event.workspaceId, [observed])
      else list.push(observed)
    }
    for (const [workspaceId, observations] of fresh) {
      const left = await db.transaction().execute((tx) => learn(tx, workspaceId, observations, metrics))
      for (const reason of left.refused.values()) nobody.set(reason, (nobody.get(reason) ?? 0) + 1)
      for (const each of [...left.refused.keys(), ...left.shortened])
        facts.delete(factOf(each, erasures.get(workspaceId) ?? 0))
    }
    // A fact is known once it is written down.
    for (const fact of facts) known.add(fact)
    metrics.count('profile_events', events.length)
    for (const [reason, count] of nobody) metrics.count('profile_events_without_profile', count, { reason })
  }
}

export type ProfilesDeps = Omit<EventConsumerDeps, 'name' | 'handle' | 'end'> & LearningDeps

/** The consumer that makes profiles of accepted events. While PostgreSQL is away it waits, and goes on where it was. */
export const createProfiles = ({ db, ...deps }: ProfilesDeps): Consumer => {
  const learnOf = createLearning({ db, metrics: deps.metrics })
  return createEventConsumer({ ...deps, name: 'profiles', handle: (events) => learnOf(events) })
}
