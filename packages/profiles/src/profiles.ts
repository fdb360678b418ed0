import { faultPoint, type Metrics } from '@tributary/kernel'
import {
  type AcceptedEvent,
  BeginAnew,
  type Consumer,
  createEventConsumer,
  type Database,
  type EventConsumerDeps,
} from '@tributary/storage'
import type { Kysely } from 'kysely'
import { type ComputedTraitEvents, createComputedChanges } from './computed-changes.ts'
import { createGivingWay, restUntil } from './giving-way.ts'
import { type Identifier, identifierKey } from './identifiers.ts'
import { profileIdOf } from './ids.ts'
import {
  appendEntries,
  type Entry,
  type LedgerTx,
  loadGraph,
  loadSequences,
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

/** Facts that are remembered as known, over all workspaces: 2 to this power, 8 MB. */
const knownFactBits = 20

const firstRevision: Revision = { revision: '0', erasures: 0 }

/**
 * What facts of a workspace begin with. After a split, after people were forgotten, and by other rules it is another one: what was
 * known then is to be learned anew.
 */
const beginningOf = (workspaceId: string, { revision, erasures }: Revision, rules: Rules): Fact =>
  new FactWriter().begin().add(workspaceId).add(revision).add(String(erasures)).add(rules.version).kept()

/** Writes what an observation says of who is who. */
const writeFact = (writer: FactWriter, beginning: Fact, { identifiers, previous }: Observed): FactWriter => {
  writer.begin(beginning)
  for (const { type, value } of identifiers) writer.add(type).add(value)
  return previous === undefined ? writer : writer.add('').add(previous)
}

const nothing = { refused: new Map<Observed, Forgotten>(), shortened: new Set<Observed>() }

type Learned = Omit<Remaining, 'observations'> & {
  /** Whether anything was written. */
  readonly wrote: boolean
}

/**
 * Writes down what observations of a workspace teach, in a transaction that holds its ledger's lock; of those whose facts are
 * known only their traits. Resolves to what it left out, since nothing is to be known of those people.
 */
const learn = async (
  tx: LedgerTx,
  workspaceId: string,
  observed: readonly Observed[],
  known: ReadonlySet<Observed>,
  metrics: Metrics,
): Promise<Learned> => {
  const ledger = await lockLedger(tx, workspaceId)
  // Whose workspace is gone is nobody's customer.
  if (ledger === undefined) return { ...nothing, wrote: false }
  const { observations, refused, shortened } =
    ledger.erasures === 0
      ? { ...nothing, observations: observed }
      : await withoutForgotten(tx, workspaceId, ledger, observed)
  const needed = new Map<string, Identifier>()
  const bearers = new Map<string, Identifier>()
  for (const each of observations)
    if (known.has(each)) for (const first of each.identifiers.slice(0, 1)) bearers.set(identifierKey(first), first)
    else for (const one of neededFor(each, ledger.hasPrevious)) needed.set(identifierKey(one), one)
  const { graph, sequences } = await loadGraph(tx, workspaceId, [...needed.values()], ledger.hasSplits)
  for (const [key, at] of await loadSequences(tx, workspaceId, [...bearers.values()])) sequences.set(key, at)
  const entries: Entry[] = []
  const traits: TraitSet[] = []
  let { sequence } = ledger
  for (const each of observations) {
    const { event, identifiers } = each
    if (!known.has(each))
      resolve(
        {
          graph,
          limitOf: each.rules.limitOf,
          // Who comes back is somebody else.
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
    const identifier = identifiers[0] === undefined ? undefined : sequences.get(identifierKey(identifiers[0]))
    if (identifier === undefined || each.traits.length === 0) continue
    const giver = { time: each.time(), event_id: event.eventId, source_id: event.sourceId }
    // Of a name that comes twice the last one counts.
    const values = new Map(each.traits.map(({ name, value }) => [name, value ?? null]))
    traits.push({ identifier, ...giver, values, content: contentOf(values) })
  }
  await appendEntries(tx, workspaceId, entries)
  await writeTraits(tx, workspaceId, traits, ledger.sequence)
  for (const [kind, list] of Map.groupBy(entries, ({ operation }) => operation.kind))
    metrics.count('profile_operations', list.length, { kind })
  return { refused, shortened, wrote: entries.length + traits.length + refused.size > 0 }
}

/** What there may be to learn from events, and what becomes known by it. */
type Sifted = {
  /** By workspace. */
  readonly fresh: Map<string, Observed[]>
  /** Those of them whose facts are known: there are only their traits to learn. */
  readonly known: Set<Observed>
  readonly facts: Map<string, Fact>
  /** How many events are nobody's, by reason. */
  readonly nobody: Map<string, number>
  /** Whom events are about, by workspace; of those workspaces that are followed. */
  readonly touched: Map<string, Map<string, Identifier>>
}

const sift = (
  events: readonly AcceptedEvent[],
  revisions: ReadonlyMap<string, Revision>,
  recent: Pick<Recent, 'has'>,
  rulesFor: (workspaceId: string) => Rules,
  followed: ReadonlySet<string>,
): Sifted => {
  const touched = new Map([...followed].map((id) => [id, new Map<string, Identifier>()]))
  const sifted: Sifted = { fresh: new Map(), known: new Set(), facts: new Map(), nobody: new Map(), touched }
  const { fresh, known, facts, nobody } = sifted
  const writer = new FactWriter()
  let of: { workspaceId: string; rules: Rules; erasures: number; beginning: Fact } | undefined
  for (const event of events) {
    const { workspaceId } = event
    if (of?.workspaceId !== workspaceId) {
      const [rules, revision] = [rulesFor(workspaceId), revisions.get(workspaceId) ?? firstRevision]
      of = { workspaceId, rules, erasures: revision.erasures, beginning: beginningOf(workspaceId, revision, rules) }
    }
    const observed = observe(event, of.rules)
    if (observed.nobody !== undefined) {
      nobody.set(observed.nobody, (nobody.get(observed.nobody) ?? 0) + 1)
      continue
    }
    const [bearer] = observed.identifiers
    if (bearer !== undefined) touched.get(workspaceId)?.set(identifierKey(bearer), bearer)
    writeFact(writer, of.beginning, observed)
    // Of whom nothing is to be known depends on the time of each event.
    const isKnown = recent.has(writer) || (of.erasures === 0 && facts.has(factKey(writer)))
    if (isKnown && observed.traits.length === 0) continue
    if (isKnown) known.add(observed)
    else facts.set(factKey(writer), writer.kept())
    const list = fresh.get(workspaceId)
    if (list === undefined) fresh.set(workspaceId, [observed])
    else list.push(observed)
  }
  return sifted
}

export type LearningDeps = {
  db: Kysely<Database>
  /** The rules of a workspace, from memory; all have the defaults unless given. */
  rulesFor?: (workspaceId: string) => Rules
  metrics: Metrics
  /** Where to write down, with what was learned, how far it is; nowhere unless given. */
  places?: Pick<Places, 'write'>
}

/**
 * Makes the function that profiles learn by. What it learns of accepted events is in the ledgers of their workspaces, and with
 * it in the profiles, before it resolves; an event that comes again, or says what is known, changes nothing. Rejects while
 * PostgreSQL is away. Any number of them may work for a workspace at a time.
 */
export const createLearning = ({
  db,
  rulesFor = () => defaultRules,
  metrics,
  places,
}: LearningDeps): ((events: readonly AcceptedEvent[], reached?: Reached) => Promise<void>) => {
  let recent = createRecent(knownFactBits)

  /** Each workspace in a transaction of its own. The last one says how far all of them are. */
  const write = async ({ fresh, known }: Sifted, reached: Reached | undefined): Promise<Map<string, Learned>> => {
    const last = [...fresh.keys()].at(-1)
    const learned = new Map<string, Learned>()
    for (const [workspaceId, observations] of fresh) {
      const placed = await db.transaction().execute(async (tx) => {
        learned.set(workspaceId, await learn(tx, workspaceId, observations, known, metrics))
        const isPlaced = workspaceId === last && [...learned.values()].some(({ wrote }) => wrote)
        const place = isPlaced && reached !== undefined ? await places?.write(tx, reached) : undefined
        faultPoint('profiles.before-commit')
        return place
      })
      placed?.wrote()
    }
    return learned
  }

  return async (events, reached) => {
    const workspaces = [...new Set(events.map(({ workspaceId }) => workspaceId))]
    const [revisions, followed] = await Promise.all([readRevisions(db, workspaces), readFollowed(db, workspaces)])
    const sifted = sift(events, revisions, recent, rulesFor, followed)
    const { facts, nobody } = sifted
    try {
      for (const [workspaceId, { refused, shortened }] of await write(sifted, reached)) {
        for (const reason of refused.values()) nobody.set(reason, (nobody.get(reason) ?? 0) + 1)
        for (const each of [...refused.keys(), ...shortened]) {
          const beginning = beginningOf(workspaceId, revisions.get(workspaceId) ?? firstRevision, each.rules)
          facts.delete(factKey(writeFact(new FactWriter(), beginning, each)))
        }
      }
    } catch (error) {
      // What was learned may be gone.
      if (error instanceof BeginAnew) recent = createRecent(knownFactBits)
      throw error
    }
    await writeTouches(db, sifted.touched, { partition: reached?.partition, events })
    // A fact is known once it is written down.
    for (const fact of facts.values()) recent.add(fact)
    metrics.count('profile_events', events.length)
    for (const [reason, count] of nobody) metrics.count('profile_events_without_profile', count, { reason })
  }
}

export type ProfilesDeps = Omit<EventConsumerDeps, 'name' | 'handle' | 'end' | 'kept'> &
  Pick<LearningDeps, 'db' | 'rulesFor'> & {
    /** Whether storing is behind, which comes first then; never unless given. */
    isPipelineBehind?: () => boolean
    /** Of which events computed traits are made; of none unless given. */
    computed?: ComputedTraitEvents
  }

/**
 * The consumer that makes profiles of accepted events. While PostgreSQL is away it waits, and goes on where it was; while
 * storing is behind it gives way.
 */
export const createProfiles = ({ db, rulesFor, isPipelineBehind, computed, ...deps }: ProfilesDeps): Consumer => {
  const stopping = new AbortController()
  const giveWay = createGivingWay({ isBusy: isPipelineBehind ?? (() => false), rest: restUntil(stopping.signal) })
  const places = createPlaces(db)
  const learnOf = createLearning({ db, ...(rulesFor === undefined ? {} : { rulesFor }), metrics: deps.metrics, places })
  const noteChanges = computed && createComputedChanges({ db, computed, rulesFor })
  const consumer = createEventConsumer({
    ...deps,
    name: 'profiles',
    kept: places,
    handle: async (events, partition, place) => {
      const began = performance.now()
      await learnOf(events, { partition, place })
      // Whose events they are is known by then.
      await noteChanges?.(events, partition)
      await giveWay(events, performance.now() - began)
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
