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
  /** How often it looks for changes, of all and of each workspace, ms. */
  everyMs?: number
  /** Profiles of one page of a pass. */
  pageProfiles?: number
  /** How long a workspace works before it is the turn of others, ms. */
  turnMs?: number
}

export type ComputedTraitWorker = {
  start(): void
  /** Computes all that is to be computed now, passes included. Rejects while a store is away. */
  catchUp(): Promise<void>
  /** Resolves when nothing of it runs. */
  stop(): Promise<void>
}

/** How often it is written down that values are up to date, ms. */
const asOfEveryMs = 10_000

/**
 * Keeps the values of computed traits up to date. Each value comes from the event store by the same statement, so neither repetitions
 * nor their order matter: changes only say where to look. It may be killed at any time, and continues from its stored progress.
 * While a store is away values stay as they are.
 */
export const createComputedTraitWorker = (given: ComputedTraitWorkerDeps): ComputedTraitWorker => {
  const { db, cache, clock, logger, everyMs = 500, pageProfiles = 10_000, turnMs = 500 } = given
  const stopping = new AbortController()
  const { signal } = stopping
  const deps: WorkDeps = { ...given, eventStore: hidingErased(given.eventStore, db), signal, pageProfiles, turnMs }
  const memories = new Map<string, Memory>()
  let storedAt = 0
  /** While no workspace has computed traits, nothing is asked. */
  let maybeAny = true

  /** Where nothing is to be done values are up to date. */
  const markUpToDate = async (busy: readonly string[], now: number): Promise<void> => {
    if (now - storedAt < asOfEveryMs) return
    await sql`update computed_trait_places set as_of = ${new Date(now)}
      where not (workspace_id = any(${busy}::uuid[]))`.execute(db)
    storedAt = now
  }

  const readBusy = async (): Promise<string[]> => {
    if (!cache.isEmpty()) maybeAny = true
    // Those that were deleted last may still have values.
    else if (maybeAny)
      maybeAny = (await db.selectFrom('computed_traits').select('id').limit(1).executeTakeFirst()) !== undefined
    if (!maybeAny) return []
    const now = clock()
    const busy = await readBusyWorkspaces(db, new Date(now))
    for (const id of memories.keys()) if (!busy.includes(id)) memories.delete(id)
    await markUpToDate(busy, now)
    return busy
  }

  const turnOf = (workspaceId: string): Promise<boolean> => {
    const memory = memories.get(workspaceId) ?? createMemory()
    memories.set(workspaceId, memory)
    return workOn(deps, memory, workspaceId)
  }

  let running: Promise<unknown> = Promise.resolve()
  /** One at a time. */
  const alone = <T>(task: () => Promise<T>): Promise<T> => {
    const result = running.then(task)
    running = result.catch(() => {})
    return result
  }

  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})

  const turns = createTurns()
  /** How often each failed lately. */
  const failures = new Map<string, number>()

  /** When a workspace that failed may have its next turn. */
  const failed = (workspaceId: string, error: unknown): number => {
    const count = (failures.get(workspaceId) ?? 0) + 1
    failures.set(workspaceId, count)
    if (count === 1) logger.warn({ err: error, workspaceId }, 'traits of a workspace cannot be computed; trying again')
    return performance.now() + everyMs + backoffMs(retryPolicies.consumer, count)
  }

  /** Takes one turn, of the workspace that has waited longest; resolves to whether there was one. */
  const takeTurn = async (): Promise<boolean> => {
    turns.offer(await alone(readBusy))
    const workspaceId = turns.next(performance.now())
    if (workspaceId === undefined) return false
    let from = 0
    try {
      const more = await alone(() => turnOf(workspaceId))
      from = performance.now() + (more ? 0 : everyMs)
      failures.delete(workspaceId)
    } catch (error) {
      // A workspace with slow queries waits, and others do not.
      if (!signal.aborted) from = failed(workspaceId, error)
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
        // All workspaces share the event store: at most half of the time is spent there while there is more to do.
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
      await running
    },
  }
}
