import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs, retryPolicies } from '@tributary/kernel'
import type { EventStore } from '@tributary/storage'
import { sql } from 'kysely'
import type { ComputedTraitCache } from '../configuration-cache/computed-trait-cache.ts'
import { hidingErased } from '../privacy-requests/erased-events.ts'
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
 * Keeps the values of computed traits. What it computes is read from the event store by the same statement each time, so that
 * it does not matter how often or in which order it is done: changes are only where to look. It may be killed at any time, and
 * goes on with what it had written down. While a store is away values stay as they are.
 */
export const createComputedTraitWorker = (given: ComputedTraitWorkerDeps): ComputedTraitWorker => {
  const { db, cache, clock, logger, everyMs = 500, pageProfiles = 10_000, turnMs = 500 } = given
  const stopping = new AbortController()
  const { signal } = stopping
  const deps: WorkDeps = { ...given, eventStore: hidingErased(given.eventStore, db), signal, pageProfiles, turnMs }
  const memories = new Map<string, Memory>()
  let toldAt = 0
  /** While no workspace has computed traits, nothing is asked. */
  let maybeAny = true

  /** Where nothing is to be done values are up to date. */
  const tell = async (busy: readonly string[], now: number): Promise<void> => {
    if (now - toldAt < asOfEveryMs) return
    await sql`update computed_trait_places set as_of = ${new Date(now)}
      where not (workspace_id = any(${busy}::uuid[]))`.execute(db)
    toldAt = now
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
    await tell(busy, now)
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
    if (count === 1) logger.warn({ err: error, workspaceId }, 'Computed traits cannot be computed; it is tried again')
    return performance.now() + everyMs + backoffMs(retryPolicies.consumer, count)
  }

  /** A turn of who has waited longest; resolves to whether somebody had one. */
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
      // Others need not wait for one whose queries do.
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
        // The event store is everybody's: at most half of the time is spent there while there is more to do.
        await pause(worked ? Math.min(performance.now() - began, everyMs) : everyMs)
      } catch (error) {
        if (signal.aborted) return
        away += 1
        if (away === 1) logger.warn({ err: error }, 'Computed traits cannot be computed; it is tried again')
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
