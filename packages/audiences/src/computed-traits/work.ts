import type { Db, Tx } from '@tributary/api-kit'
import type { ComputedTraitCache } from '@tributary/configuration'
import { type Clock, faultPoint, type Logger, type Metrics } from '@tributary/kernel'
import {
  type ComputedValue,
  type EventStore,
  EventStoreBusy,
  EventStoreLimitExceeded,
  EventStoreQueryError,
  removeComputedValues,
  settleComputedTraitChanges,
  writeComputedValues,
} from '@tributary/storage'
import { sql } from 'kysely'
import { computeValues, numberOfProfile } from './compute.ts'
import { noteMoved, passEveryMs, readPending, readProfilesAfter, type StoredLog } from './pending.ts'
import { type ComputedTraitRow, definitionOf } from './read.ts'

export type WorkDeps = StoredLog & {
  db: Db
  /** The event store without the events of users who are being deleted. */
  eventStore: Pick<EventStore, 'query'>
  /** The cache of the traits whose changes are recorded when an event arrives. */
  cache: Pick<ComputedTraitCache, 'knows'>
  /** Copies the latest merges and splits of profiles to the event store. */
  bringOwners(): Promise<void>
  /** Gets the profiles with changed values after the commit. Optional. */
  changes?: { note(profileIds: readonly string[]): void; noteAll(): void } | undefined
  clock: Clock
  logger: Logger
  metrics: Metrics
  signal: AbortSignal
  /** Profiles per page of a full pass. */
  pageProfiles: number
  /** Maximum duration of a turn in ms, after which the workspace starts no other trait. */
  turnMs: number
}

/** Maximum number of changes per statement. */
const chunk = 5000
/** Maximum number of profiles whose events are found by an index. */
const few = 50
/** Maximum values that are removed per statement. */
const removedAtOnce = 5000
/** Delay in ms until a trait that needs too much work is tried again. */
const retryAfterMs = 10 * 60_000

/** Returns why a definition cannot be computed, as text; undefined for any other error. */
const failureOf = (error: unknown): string | undefined => {
  if (error instanceof EventStoreBusy) return undefined
  if (error instanceof EventStoreLimitExceeded)
    return error.limit === 'time'
      ? 'Computing it takes too long. Choose a shorter window or a rarer event'
      : 'Computing it reads too many events. Choose a shorter window or a rarer event'
  return error instanceof EventStoreQueryError ? 'The event store could not compute it' : undefined
}

/** Runs a task for a trait. If the task needs too much work, the trait shows a failure, and other traits continue. */
const attempt = async (
  { db, clock, logger, signal }: WorkDeps,
  row: ComputedTraitRow,
  task: () => Promise<void>,
): Promise<void> => {
  try {
    await task()
  } catch (error) {
    const failure = failureOf(error)
    if (failure === undefined || signal.aborted) throw error
    logger.warn({ computedTrait: row.id, err: error }, 'a trait cannot be computed')
    await db
      .updateTable('computed_traits')
      // The next attempt computes all profiles.
      .set({ failure, retry_time: new Date(clock() + retryAfterMs), pass_time: null, compute_time: null })
      .where('id', '=', row.id)
      .where('version', '=', row.version)
      .execute()
  }
}

/**
 * Stores computed values, unless the definition has changed in the meantime, and notes the profiles that `write`
 * returns. A failed transaction may have been committed, so it notes all.
 */
const store = async (
  { db, changes }: Pick<WorkDeps, 'db' | 'changes'>,
  row: ComputedTraitRow,
  write: (tx: Tx) => Promise<string[]>,
): Promise<void> => {
  let changed: string[] | undefined
  try {
    changed = await db.transaction().execute(async (tx) => {
      const same = await tx
        .selectFrom('computed_traits')
        .select('id')
        .where('id', '=', row.id)
        .where('version', '=', row.version)
        .where('delete_time', 'is', null)
        // This kind of lock still allows changes to be recorded.
        .forNoKeyUpdate()
        .executeTakeFirst()
      return same === undefined ? [] : await write(tx)
    })
  } finally {
    if (changed === undefined) changes?.noteAll()
    else changes?.note(changed)
  }
}

/** Reads the IDs by which an index finds the events of a few profiles; undefined for more profiles. */
const readIds = async (db: Db, workspaceId: string, profiles: readonly string[]): Promise<string[] | undefined> => {
  if (profiles.length > few) return undefined
  const { rows } = await sql<{ value: string }>`
    select value from profile_identifiers where workspace_id = ${workspaceId}::uuid
      and profile_id = any(${profiles}::uuid[]) and type in ('user_id', 'anonymous_id')`.execute(db)
  return rows.map(({ value }) => value)
}

/** Computes a trait for changed profiles. */
const computeChanged = async (deps: WorkDeps, row: ComputedTraitRow, profiles: readonly string[]): Promise<void> => {
  if (profiles.length === 0) return
  const { db, clock, metrics, signal } = deps
  const { workspace_id: workspaceId } = row
  // The event store needs the latest merges of these profiles first.
  await deps.bringOwners()
  const asOf = clock()
  const ids = await readIds(db, workspaceId, profiles)
  const values = await computeValues(deps, {
    workspaceId,
    definition: definitionOf(row),
    profiles,
    scope: { profiles: profiles.map(numberOfProfile), ids },
    asOf,
    slot: 'short',
    signal,
  })
  await store(deps, row, (tx) => writeComputedValues(tx, { ...row, workspaceId }, profiles, values, asOf))
  metrics.count('computed_trait_values', profiles.length)
}

const beginPass = async ({ db, clock }: WorkDeps, row: ComputedTraitRow): Promise<ComputedTraitRow | undefined> =>
  await db
    .updateTable('computed_traits')
    .set((of) => ({
      pass_time: new Date(clock()),
      pass_after: null,
      pass_done: 0,
      pass_total: of
        .selectFrom('profiles')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('workspace_id', '=', row.workspace_id)
        .where('merged_into', 'is', null),
    }))
    .where('id', '=', row.id)
    .where('version', '=', row.version)
    .returningAll()
    .executeTakeFirst()

/** Returns the size of a page. Text values are large, so their pages are smaller. */
const pageOf = (row: ComputedTraitRow, pageProfiles: number): number => {
  const { operation } = definitionOf(row)
  return operation === 'first' || operation === 'last' ? Math.ceil(pageProfiles / 4) : pageProfiles
}

/** Computes a trait for a page of profiles. */
const computePage = async (
  deps: WorkDeps,
  row: ComputedTraitRow,
  profiles: readonly string[],
  asOf: number,
): Promise<Map<string, ComputedValue>> => {
  const [first, last] = [profiles[0], profiles.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  return await computeValues(deps, {
    workspaceId: row.workspace_id,
    definition: definitionOf(row),
    profiles,
    // The IDs are in the order of the numbers that they start with.
    scope: { from: numberOfProfile(first), to: numberOfProfile(last) },
    asOf,
    slot: 'heavy',
    signal: deps.signal,
  })
}

/** Computes one page of a full pass, and starts or ends the pass; returns true if the pass has more pages. */
const goOn = async (deps: WorkDeps, given: ComputedTraitRow): Promise<boolean> => {
  const { db, clock, metrics, pageProfiles } = deps
  const row = given.pass_time === null ? await beginPass(deps, given) : given
  if (row === undefined) return false
  const { workspace_id: workspaceId } = row
  const size = pageOf(row, pageProfiles)
  const profiles = await readProfilesAfter(db, workspaceId, row.pass_after, size)
  const asOf = clock()
  const values = await computePage(deps, row, profiles, asOf)
  faultPoint('computed-traits.before-page')
  const ends = profiles.length < size
  const ended = {
    pass_time: null,
    computed_version: row.version,
    compute_time: row.pass_time,
    failure: '',
    retry_time: null,
  }
  await store(deps, row, async (tx) => {
    const changed = await writeComputedValues(tx, { ...row, workspaceId }, profiles, values, asOf)
    await tx
      .updateTable('computed_traits')
      .set({
        pass_after: profiles.at(-1) ?? row.pass_after,
        pass_done: row.pass_done + profiles.length,
        ...(ends ? ended : {}),
      })
      .where('id', '=', row.id)
      .execute()
    return changed
  })
  metrics.count('computed_trait_values', profiles.length)
  return !ends
}

/** Removes a part of the values of a deleted trait, and finally the trait; returns true if values are left. */
const remove = async ({ db, changes }: WorkDeps, row: ComputedTraitRow): Promise<boolean> => {
  const values = { workspaceId: row.workspace_id, id: row.id }
  if (await removeComputedValues(db, values, removedAtOnce).finally(() => changes?.noteAll())) return true
  await db.deleteFrom('computed_traits').where('id', '=', row.id).execute()
  return false
}

const isPassing = ({ pass_time, compute_time, computed_version, version }: ComputedTraitRow, now: Date): boolean =>
  pass_time !== null ||
  computed_version < version ||
  compute_time === null ||
  compute_time.getTime() <= now.getTime() - passEveryMs

/** In-memory state of a workspace between its turns. */
export type Memory = {
  /** The trait that was computed last. In the next turn, all other traits come before it. */
  last: string
  /** By trait and version, the ends of the partitions of the log at the time when a full pass became due. */
  readonly passes: Map<string, readonly number[]>
  /** The ends of the partitions of the log at an earlier time. */
  mark: { at: Date; ends: readonly number[] } | undefined
}

export const createMemory = (): Memory => ({ last: '', passes: new Map(), mark: undefined })

const areStored = ({ isStored }: Pick<WorkDeps, 'isStored'>, ends: readonly number[]): boolean =>
  ends.every((end, partition) => isStored(partition, end))

/**
 * Whether a full pass can continue. Earlier events of a new trait are not recorded as changes, so they must be stored
 * before the pass begins.
 */
const mayPass = async (deps: WorkDeps, { passes }: Memory, row: ComputedTraitRow): Promise<boolean> => {
  if (row.pass_after !== null && row.pass_time !== null) return true
  const key = `${row.id} ${row.version}`
  const ends = passes.get(key) ?? (await deps.ends())
  passes.set(key, ends)
  if (!areStored(deps, ends)) return false
  passes.delete(key)
  return true
}

/** Returns the traits in their order of turns: those after the last computed trait, then the others. */
const inTurn = (traits: readonly ComputedTraitRow[], last: string): ComputedTraitRow[] => {
  const at = traits.findIndex(({ id }) => id === last) + 1
  return [...traits.slice(at), ...traits.slice(0, at)]
}

type Rest = { more: boolean; waits: boolean }

/** Runs one part of the pending work of a trait. */
const workOnTrait = async (deps: WorkDeps, memory: Memory, row: ComputedTraitRow, now: Date): Promise<Rest> => {
  const { profiles, changes, more, waits } = await readPending(deps, row, now, chunk)
  await computeChanged(deps, row, profiles)
  await settleComputedTraitChanges(deps.db, row.id, changes)
  if (!isPassing(row, now)) return { more, waits }
  if (!(await mayPass(deps, memory, row))) return { more, waits: true }
  await deps.bringOwners()
  return { more: (await goOn(deps, row)) || more, waits }
}

/** Stores the time up to which values are current. It is limited by the times of events that are not stored yet. */
const storeAsOf = async (
  deps: WorkDeps,
  memory: Memory,
  workspaceId: string,
  { began, ends, waits }: { began: Date; ends: readonly number[]; waits: boolean },
): Promise<void> => {
  const { mark } = memory
  const isPast = mark !== undefined && areStored(deps, mark.ends)
  if (waits && !isPast) {
    memory.mark ??= { at: began, ends }
    return
  }
  memory.mark = waits ? { at: began, ends } : undefined
  await deps.db
    .updateTable('computed_trait_places')
    .set({ as_of: waits && mark !== undefined ? mark.at : began })
    .where('workspace_id', '=', workspaceId)
    .execute()
}

/**
 * Gives the computed traits of a workspace a turn, one trait after the other, and starts no trait after `turnMs`.
 * Returns whether more can be done now.
 */
export const workOn = async (deps: WorkDeps, memory: Memory, workspaceId: string): Promise<boolean> => {
  const { db, cache, clock, signal, turnMs } = deps
  const until = performance.now() + turnMs
  const began = new Date(clock())
  const ends = await deps.ends()
  const rows = await db
    .selectFrom('computed_traits')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('create_time')
    .orderBy('id')
    .execute()
  let more = false
  for (const row of rows) if (row.delete_time !== null && (await remove(deps, row))) more = true
  // Skips traits that are not in the cache yet, because changes by their events are not recorded yet.
  const traits = rows.filter(
    ({ id, version, delete_time, retry_time }) =>
      delete_time === null && cache.knows(workspaceId, id, version) && (retry_time === null || retry_time <= began),
  )
  if (await noteMoved(db, workspaceId, traits)) more = true
  let waits = false
  for (const [index, row] of inTurn(traits, memory.last).entries()) {
    signal.throwIfAborted()
    if (index > 0 && performance.now() >= until) {
      more = true
      break
    }
    memory.last = row.id
    await attempt(deps, row, async () => {
      const rest = await workOnTrait(deps, memory, row, began)
      more ||= rest.more
      waits ||= rest.waits
    })
  }
  if (!more) await storeAsOf(deps, memory, workspaceId, { began, ends, waits })
  return more
}
