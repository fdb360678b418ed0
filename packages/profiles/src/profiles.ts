import { createWorkShare, faultPoint, type Metrics, noteWork, type WorkShare } from '@tributary/kernel'
import {
  type AcceptedEvent,
  BeginAnew,
  type Consumer,
  consumerItem,
  createEventConsumer,
  type Database,
  type EventConsumerDeps,
} from '@tributary/storage'
import type { Kysely } from 'kysely'
import { type ComputedTraitEvents, createComputedChanges } from './computed-changes.ts'
import { type GivenConsent, writeConsents } from './consents.ts'
import { createFirstTimes, type FirstTimes } from './first-times.ts'
import { createGivingWay, restUntil } from './giving-way.ts'
import { type Identifier, identifierKey } from './identifiers.ts'
import { profileIdOf } from './ids.ts'
import {
  appendEntries,
  type Entry,
  type LedgerTx,
  loadBearers,
  loadGraph,
  lockLedger,
  type Revision,
  readRevisions,
} from './ledger.ts'
import { type Observed, observe } from './observe.ts'
import { createPlaces, type Places, type Reached } from './places.ts'
import { createRecent, type Fact, FactWriter, factKey, type Recent } from './recent.ts'
import { type Forgotten, type Remaining, withoutForgotten } from './refuse-forgotten.ts'
import { neededFor, resolve } from './resolve.ts'
import { defaultRules, type Rules } from './rules.ts'
import { readFollowed, writeTouches } from './touches.ts'
import { contentOf, type TraitSet } from './trait-changes.ts'
import { writeTraits } from './traits.ts'
import { changedBy, noProfileChanges, type ProfileChanges } from './values/changes.ts'

const consumerName = 'profiles'

/** The number of cached facts over all workspaces is 2 to this power; they take 8 MB. */
const knownFactBits = 20

const firstRevision: Revision = { revision: '0', erasures: 0 }

/**
 * Returns the common beginning of all facts of a workspace. The beginning changes after a split, a deletion, or a
 * change of the rules, so that known facts are learned again.
 */
const beginningOf = (workspaceId: string, { revision, erasures }: Revision, rules: Rules): Fact =>
  new FactWriter().begin().add(workspaceId).add(revision).add(String(erasures)).add(rules.version).kept()

/** Writes the identities of an observation as a fact. */
const writeFact = (writer: FactWriter, beginning: Fact, { identifiers, previous }: Observed): FactWriter => {
  writer.begin(beginning)
  for (const { type, value } of identifiers) writer.add(type).add(value)
  return previous === undefined ? writer : writer.add('').add(previous)
}

const nothing = { refused: new Map<Observed, Forgotten>(), shortened: new Set<Observed>() }

type Charging = { metrics: Metrics; workShare: WorkShare }

type Learned = Omit<Remaining, 'observations'> & {
  /** Whether the transaction wrote anything. */
  readonly wrote: boolean
  /** Profiles that had other traits or identifiers before the transaction. */
  readonly changed: ReadonlySet<string>
}

/**
 * Writes the facts of observations of a workspace, in a transaction that locks its ledger. For known facts, only traits
 * and consents are written. Returns the observations that were omitted because the person is deleted or suppressed.
 */
const learn = async (
  tx: LedgerTx,
  workspaceId: string,
  observed: readonly Observed[],
  known: ReadonlySet<Observed>,
  { metrics, workShare }: Charging,
): Promise<Learned> => {
  const ledger = await lockLedger(tx, workspaceId)
  // A deleted workspace has no profiles.
  if (ledger === undefined) return { ...nothing, wrote: false, changed: new Set() }
  const { observations, refused, shortened } =
    ledger.erasures === 0
      ? { ...nothing, observations: observed }
      : await withoutForgotten(tx, workspaceId, ledger, observed)
  const needed = new Map<string, Identifier>()
  const first = new Map<string, Identifier>()
  for (const each of observations)
    if (known.has(each)) for (const one of each.identifiers.slice(0, 1)) first.set(identifierKey(one), one)
    else for (const one of neededFor(each, ledger.hasPrevious)) needed.set(identifierKey(one), one)
  const { graph, sequences } = await loadGraph(tx, workspaceId, [...needed.values()], ledger.hasSplits)
  const bearers = await loadBearers(tx, workspaceId, [...first.values()])
  for (const [key, bearer] of bearers) sequences.set(key, bearer.sequence)
  const entries: Entry[] = []
  const traits: TraitSet[] = []
  const consents: GivenConsent[] = []
  /** The keys of the identifiers that have traits, by sequence. */
  const keys = new Map<number, string>()
  let { sequence } = ledger
  const resolveOne = (each: Observed): void => {
    const { event, identifiers } = each
    noteWork('profiles.learn', workspaceId, consumerItem(consumerName, event.eventId))
    if (!known.has(each))
      resolve(
        {
          graph,
          limitOf: each.rules.limitOf,
          // A deleted person who returns gets a new profile.
          profileIdOf: (identifier) => profileIdOf(workspaceId, identifier, ledger.erasures),
          next: () => ++sequence,
          learn(operation) {
            const cause = { eventId: event.eventId, sourceId: event.sourceId, actorId: null, time: each.time() }
            entries.push({ operation, cause })
            if (operation.kind === 'create' || operation.kind === 'link')
              sequences.set(identifierKey(operation.identifier), operation.sequence)
          },
        },
        each,
      )
    const key = identifiers[0] === undefined ? '' : identifierKey(identifiers[0])
    const identifier = sequences.get(key)
    if (identifier === undefined) return
    const at = { time: each.time(), event_id: event.eventId }
    if (each.granted !== undefined) consents.push({ identifier, granted: each.granted, ...at })
    if (each.traits.length === 0) return
    const giver = { ...at, source_id: event.sourceId }
    // The last value of a repeated name counts.
    const values = new Map(each.traits.map(({ name, value }) => [name, value ?? null]))
    traits.push({ identifier, ...giver, values, content: contentOf(values) })
    keys.set(identifier, key)
  }
  workShare.run(
    workspaceId,
    () => observations.forEach(resolveOne),
    () => observations.length,
  )
  await appendEntries(tx, workspaceId, entries)
  const given = await writeTraits(tx, workspaceId, traits, ledger.sequence)
  await writeConsents(tx, workspaceId, consents)
  for (const [kind, list] of Map.groupBy(entries, ({ operation }) => operation.kind))
    metrics.count('profile_operations', list.length, { kind })
  const ownerOf = (key: string): string | undefined => graph.owners.get(key) ?? bearers.get(key)?.profileId
  const changed = changedBy(
    entries,
    given.map((each) => ownerOf(keys.get(each) ?? '')),
  )
  return { refused, shortened, changed, wrote: entries.length + traits.length + consents.length + refused.size > 0 }
}

/** The new facts in a batch of events. */
type Sifted = {
  /** New observations by workspace. */
  readonly fresh: Map<string, Observed[]>
  /** Observations with known facts, which can only have new traits and consents. */
  readonly known: Set<Observed>
  readonly facts: Map<string, Fact>
  /** Number of events without a profile, by reason. */
  readonly nobody: Map<string, number>
  /** Identifiers of events by workspace, for workspaces with audiences. */
  readonly touched: Map<string, Map<string, Identifier>>
  /** Events that may be the earliest of their identifiers. */
  readonly firstTimes: FirstTimes
}

const sift = (
  events: readonly AcceptedEvent[],
  revisions: ReadonlyMap<string, Revision>,
  recent: Pick<Recent, 'has'>,
  rulesFor: (workspaceId: string) => Rules,
  followed: ReadonlySet<string>,
  workShare: WorkShare,
  noteFirst: (times: FirstTimes, observed: Observed) => void,
): Sifted => {
  const touched = new Map([...followed].map((id) => [id, new Map<string, Identifier>()]))
  const sifted: Sifted = {
    fresh: new Map(),
    known: new Set(),
    facts: new Map(),
    nobody: new Map(),
    touched,
    firstTimes: new Map(),
  }
  const { fresh, known, facts, nobody } = sifted
  const writer = new FactWriter()
  type Of = { workspaceId: string; rules: Rules; erasures: number; beginning: Fact }
  const siftOne = (event: AcceptedEvent, of: Of): void => {
    const { workspaceId } = event
    noteWork('profiles.observe', workspaceId, consumerItem(consumerName, event.eventId))
    const observed = observe(event, of.rules)
    if (observed.nobody !== undefined) {
      nobody.set(observed.nobody, (nobody.get(observed.nobody) ?? 0) + 1)
      return
    }
    const [bearer] = observed.identifiers
    if (bearer !== undefined) touched.get(workspaceId)?.set(identifierKey(bearer), bearer)
    noteFirst(sifted.firstTimes, observed)
    writeFact(writer, of.beginning, observed)
    // If people were deleted or suppressed, facts are not skipped as known, because the time of each event decides.
    const isKnown = recent.has(writer) || (of.erasures === 0 && facts.has(factKey(writer)))
    if (isKnown && observed.traits.length === 0 && observed.granted === undefined) return
    if (isKnown) known.add(observed)
    else facts.set(factKey(writer), writer.kept())
    const list = fresh.get(workspaceId)
    if (list === undefined) fresh.set(workspaceId, [observed])
    else list.push(observed)
  }
  // Workspaces are independent: only the order within one workspace matters.
  for (const [workspaceId, own] of Map.groupBy(events, (event) => event.workspaceId)) {
    const [rules, revision] = [rulesFor(workspaceId), revisions.get(workspaceId) ?? firstRevision]
    const beginning = beginningOf(workspaceId, revision, rules)
    workShare.run(
      workspaceId,
      () => {
        for (const event of own) siftOne(event, { workspaceId, rules, erasures: revision.erasures, beginning })
      },
      () => own.length,
    )
  }
  return sifted
}

export type LearningDeps = {
  db: Kysely<Database>
  /** The cached rules of a workspace; by default, all workspaces have the default rules. */
  rulesFor?: (workspaceId: string) => Rules
  metrics: Metrics
  /** Stores the position in the transaction that writes the facts. Optional. */
  places?: Pick<Places, 'write'>
  /** The work share that is charged with thread time. Optional. */
  workShare?: WorkShare
  /** Gets the changed profiles before the events count as read. Optional. */
  changes?: Pick<ProfileChanges, 'note' | 'noteAll'>
}

/** A partition and the position after the events; the position is absent if more events of the batch follow. */
type ReachedMaybe = Pick<Reached, 'partition'> & { place?: Reached['place'] }

/**
 * Creates the function that updates profiles from events. The function resolves when the facts of the events are in the
 * ledgers and profiles of their workspaces. A repeated event, or one with known facts, changes nothing. Rejects while
 * PostgreSQL is unavailable. Any number of these functions may work on a workspace concurrently.
 */
export const createLearning = ({
  db,
  rulesFor = () => defaultRules,
  metrics,
  places,
  workShare = createWorkShare(),
  changes = noProfileChanges,
}: LearningDeps): ((events: readonly AcceptedEvent[], reached?: ReachedMaybe) => Promise<void>) => {
  let recent = createRecent(knownFactBits)
  const firstTimes = createFirstTimes(db)
  /** Partitions with a failed transaction, which may have been committed. Its repetition finds nothing to change. */
  const doubtful = new Set<number | undefined>()

  /**
   * Writes new facts and traits in one transaction per workspace. The last transaction stores the position of the
   * batch.
   */
  const write = async ({ fresh, known }: Sifted, reached: ReachedMaybe | undefined): Promise<Map<string, Learned>> => {
    const last = [...fresh.keys()].at(-1)
    const learned = new Map<string, Learned>()
    for (const [workspaceId, observations] of fresh) {
      const placed = await db.transaction().execute(async (tx) => {
        learned.set(workspaceId, await learn(tx, workspaceId, observations, known, { metrics, workShare }))
        const isPlaced = workspaceId === last && [...learned.values()].some(({ wrote }) => wrote)
        const place =
          isPlaced && reached?.place !== undefined
            ? await places?.write(tx, { partition: reached.partition, place: reached.place })
            : undefined
        faultPoint('profiles.before-commit')
        return place
      })
      placed?.wrote()
      changes.note(learned.get(workspaceId)?.changed ?? [])
    }
    return learned
  }

  return async (events, reached) => {
    const workspaces = [...new Set(events.map(({ workspaceId }) => workspaceId))]
    const [revisions, followed] = await Promise.all([readRevisions(db, workspaces), readFollowed(db, workspaces)])
    const sifted = sift(events, revisions, recent, rulesFor, followed, workShare, firstTimes.note)
    const { facts, nobody } = sifted
    try {
      for (const [workspaceId, { refused, shortened }] of await write(sifted, reached)) {
        for (const reason of refused.values()) nobody.set(reason, (nobody.get(reason) ?? 0) + 1)
        for (const each of [...refused.keys(), ...shortened]) {
          const beginning = beginningOf(workspaceId, revisions.get(workspaceId) ?? firstRevision, each.rules)
          facts.delete(factKey(writeFact(new FactWriter(), beginning, each)))
        }
      }
      if (doubtful.delete(reached?.partition)) changes.noteAll()
    } catch (error) {
      doubtful.add(reached?.partition)
      // The database was restored, so cached facts may be missing there.
      if (error instanceof BeginAnew) {
        recent = createRecent(knownFactBits)
        firstTimes.forget()
      }
      throw error
    }
    await firstTimes.write(sifted.firstTimes)
    await writeTouches(db, sifted.touched, { partition: reached?.partition, events })
    // Facts count as known only after they were written.
    for (const fact of facts.values()) recent.add(fact)
    metrics.count('profile_events', events.length)
    for (const [reason, count] of nobody) metrics.count('profile_events_without_profile', count, { reason })
  }
}

export type ProfilesDeps = Omit<EventConsumerDeps, 'name' | 'handle' | 'end' | 'kept'> &
  Pick<LearningDeps, 'db' | 'rulesFor' | 'changes'> & {
    /** Whether storing events is behind and has priority; never by default. */
    isPipelineBehind?: () => boolean
    /** The events of computed traits; none by default. */
    computed?: ComputedTraitEvents
    /** The work share for the thread time of workspaces; a new one by default. */
    workShare?: WorkShare
  }

/**
 * Maximum time that events of a workspace wait for its share, in ms. It is limited, because events of other workspaces
 * may wait behind them.
 */
const maxShareWaitMs = 1000

/**
 * Creates the consumer that makes profiles from accepted events. While PostgreSQL is unavailable, the consumer waits,
 * and then continues where it stopped. While storing events is behind, it pauses. If a workspace exceeds its share of
 * the thread, its events wait until after those of other workspaces in the same batch.
 */
export const createProfiles = ({
  db,
  rulesFor,
  isPipelineBehind,
  computed,
  workShare = createWorkShare(),
  changes,
  ...deps
}: ProfilesDeps): Consumer => {
  const stopping = new AbortController()
  const rest = restUntil(stopping.signal)
  const giveWay = createGivingWay({ isBusy: isPipelineBehind ?? (() => false), rest })
  const places = createPlaces(db)
  const learnOf = createLearning({
    db,
    ...(rulesFor === undefined ? {} : { rulesFor }),
    metrics: deps.metrics,
    places,
    workShare,
    ...(changes === undefined ? {} : { changes }),
  })
  const noteChanges = computed && createComputedChanges({ db, computed, rulesFor })
  const consumer = createEventConsumer({
    ...deps,
    name: consumerName,
    kept: places,
    handle: async (events, partition, place) => {
      const began = performance.now()
      const waits = (event: AcceptedEvent): boolean => workShare.wait(event.workspaceId) > 0
      const { now = [], later = [] } = Object.groupBy(events, (event) => (waits(event) ? 'later' : 'now'))
      let waitedMs = 0
      if (later.length > 0) {
        // The position covers all events of the batch, so only the last call stores it.
        if (now.length > 0) await learnOf(now, { partition })
        waitedMs = Math.min(maxShareWaitMs, Math.max(...later.map(({ workspaceId }) => workShare.wait(workspaceId))))
        await rest(waitedMs)
      }
      await learnOf(later.length > 0 ? later : now, { partition, place })
      // The profiles of the events are stored by now.
      await noteChanges?.(events, partition)
      await giveWay(events, performance.now() - began - waitedMs)
    },
  })
  return {
    ...consumer,
    stop: () => {
      stopping.abort()
      return consumer.stop()
    },
  }
}
