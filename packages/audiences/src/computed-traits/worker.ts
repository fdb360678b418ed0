import { setTimeout as sleep } from 'node:timers/promises'
import { hidingErased } from '@tributary/api-kit'
import type { ComputedTraitCache } from '@tributary/configuration'
import { backoffMs, retryPolicies } from '@tributary/kernel'
import type { EventStore } from '@tributary/storage'
import { sql } from 'kysely'
import { readBusyWorkspaces } from './pending.ts'
import { createTurns } from './turns.ts'
import { createMemory, type Memory, type WorkDeps, workOn } from './work.ts'

export type ComputedTraitWorkerDeps = Omit<WorkDeps, 'eventStore' | 'cache' | 'signal' | 'pageProfiles' | 'turnMs'> & {
  eventStore: EventStore
  cache: Pick<ComputedTraitCache, 'isEmpty' | 'knows'>
  /** Interval in ms at which the worker checks for changes. */
  everyMs?: number
  /** Profiles per page of a full pass. */
  pageProfiles?: number
  /** Maximum duration of a workspace's turn, ms. */
  turnMs?: number
}

export type ComputedTraitWorker = {
  start(): void
  /** Computes all pending changes, full passes included. Rejects while a store is unavailable. */
  catchUp(): Promise<void>
  /** Stops the worker; resolves when it has stopped completely. */
  stop(): Promise<void>
}

/** Interval in ms at which the time up to which values are current is stored. */
const asOfEveryMs = 10_000

/** Reads which workspaces have pending work. Stores that the values of all other workspaces are current. */
const createPendingReader = (
  { db, clock }: Pick<WorkDeps, 'db' | 'clock'>,
  cache: ComputedTraitWorkerDeps['cache'],
) => {
  let storedAt = 0
  /** Whether a workspace may have computed traits. While it is false, nothing is queried. */
  let maybeAny = true
  return async (): Promise<string[]> => {
    if (!cache.isEmpty()) maybeAny = true
    // Traits that were just deleted may still have values.
    else if (maybeAny)
      maybeAny = (await db.selectFrom('computed_traits').select('id').limit(1).executeTakeFirst()) !== undefined
    if (!maybeAny) return []
    const now = clock()
    const busy = await readBusyWorkspaces(db, new Date(now))
    if (now - storedAt >= asOfEveryMs) {
      await sql`update computed_trait_places set as_of = ${new Date(now)}
        where not (workspace_id = any(${busy}::uuid[]))`.execute(db)
      storedAt = now
    }
    return busy
  }
}

/** Runs one task at a time. */
const createQueue = () => {
  let running: Promise<unknown> = Promise.resolve()
  return {
    alone<T>(task: () => Promise<T>): Promise<T> {
      const result = running.then(task)
      running = result.catch(() => {})
      return result
    },
    idle: () => running,
  }
}

/** Counts the recent failures of each workspace. */
const createFailures = ({ logger }: Pick<WorkDeps, 'logger'>, everyMs: number) => {
  const counts = new Map<string, number>()
  return {
    forget: (workspaceId: string): void => void counts.delete(workspaceId),
    /** Records a failure, and returns the time from which the workspace may have its next turn. */
    note(workspaceId: string, error: unknown): number {
      const count = (counts.get(workspaceId) ?? 0) + 1
      counts.set(workspaceId, count)
      if (count === 1)
        logger.warn({ err: error, workspaceId }, 'traits of a workspace cannot be computed; trying again')
      return performance.now() + everyMs + backoffMs(retryPolicies.consumer, count)
    },
  }
}

/**
 * Creates the worker that keeps the values of computed traits up to date. Changes only say which profiles to compute,
 * and each value comes from the event store by the same statement. So repetitions and the order of changes do not
 * matter. A killed worker continues from its stored progress. While a store is unavailable, values stay as they are.
 */
export const createComputedTraitWorker = (given: ComputedTraitWorkerDeps): ComputedTraitWorker => {
  const { db, cache, logger, everyMs = 500, pageProfiles = 10_000, turnMs = 500 } = given
  const stopping = new AbortController()
  const { signal } = stopping
  const deps: WorkDeps = { ...given, eventStore: hidingErased(given.eventStore, db), signal, pageProfiles, turnMs }
  const memories = new Map<string, Memory>()
  const readPending = createPendingReader(deps, cache)
  const readBusy = async (): Promise<string[]> => {
    const busy = await readPending()
    for (const id of memories.keys()) if (!busy.includes(id)) memories.delete(id)
    return busy
  }

  const turnOf = (workspaceId: string): Promise<boolean> => {
    const memory = memories.get(workspaceId) ?? createMemory()
    memories.set(workspaceId, memory)
    return workOn(deps, memory, workspaceId)
  }

  const { alone, idle } = createQueue()
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})

  const turns = createTurns()
  const failures = createFailures(deps, everyMs)
  /** Runs one turn for the workspace that has waited longest; returns whether there was such a workspace. */
  const takeTurn = async (): Promise<boolean> => {
    turns.offer(await alone(readBusy))
    const workspaceId = turns.next(performance.now())
    if (workspaceId === undefined) return false
    let from = 0
    try {
      const more = await alone(() => turnOf(workspaceId))
      from = performance.now() + (more ? 0 : everyMs)
      failures.forget(workspaceId)
    } catch (error) {
      // Only the workspace with the slow queries waits.
      if (!signal.aborted) from = failures.note(workspaceId, error)
    }
    turns.served(workspaceId, from)
    return true
  }

  const follow = async (): Promise<void> => {
    let away = 0
    while (!signal.aborted) {
      const began = performance.now()
      try {
        const worked = await takeTurn()
        away = 0
        // Limits this worker to half of the event store's time while work is left, because all workspaces share the
        // event store.
        await pause(worked ? Math.min(performance.now() - began, everyMs) : everyMs)
      } catch (error) {
        if (signal.aborted) return
        away += 1
        if (away === 1) logger.warn({ err: error }, 'traits cannot be computed; trying again')
        await pause(everyMs + backoffMs(retryPolicies.consumer, away))
      }
    }
  }

  let following: Promise<void> | undefined
  return {
    start() {
      following ??= follow()
    },
    async catchUp() {
      let more = true
      while (more) {
        more = false
        for (const workspaceId of await alone(readBusy)) if (await alone(() => turnOf(workspaceId))) more = true
      }
    },
    async stop() {
      stopping.abort()
      await following
      await idle()
    },
  }
}
