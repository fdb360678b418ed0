import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs, retryPolicies } from '@tributary/kernel'
import type { EventStore } from '@tributary/storage'
import { sql } from 'kysely'
import type { ComputedTraitCache } from '../configuration-cache/computed-trait-cache.ts'
import { hidingErased } from '../privacy-requests/erased-events.ts'
import { readBusyWorkspaces } from './pending.ts'
import { type WorkDeps, workOn } from './work.ts'

export type ComputedTraitWorkerDeps = Omit<WorkDeps, 'eventStore' | 'cache' | 'signal' | 'pageProfiles'> & {
  eventStore: EventStore
  cache: Pick<ComputedTraitCache, 'isEmpty' | 'knows'>
  /** How often it looks for changes, ms. */
  everyMs?: number
  /** Profiles of one page of a pass. */
  pageProfiles?: number
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
  const { db, cache, clock, logger, everyMs = 1000, pageProfiles = 20_000 } = given
  const stopping = new AbortController()
  const { signal } = stopping
  const deps: WorkDeps = { ...given, eventStore: hidingErased(given.eventStore, db), signal, pageProfiles }
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

  /** All workspaces once; true when one has more to do. */
  const round = async (): Promise<boolean> => {
    if (!cache.isEmpty()) maybeAny = true
    // Those that were deleted last may still have values.
    else if (maybeAny)
      maybeAny = (await db.selectFrom('computed_traits').select('id').limit(1).executeTakeFirst()) !== undefined
    if (!maybeAny) return false
    const now = clock()
    const busy = await readBusyWorkspaces(db, new Date(now))
    let more = false
    const failures: unknown[] = []
    for (const workspaceId of busy) {
      signal.throwIfAborted()
      try {
        if (await workOn(deps, workspaceId)) more = true
      } catch (error) {
        // Others need not wait for one whose queries do.
        failures.push(error)
      }
    }
    await tell(busy, now)
    if (failures.length > 0) throw failures[0]
    return more
  }

  let running: Promise<unknown> = Promise.resolve()
  /** One at a time. */
  const next = (): Promise<boolean> => {
    const result = running.then(round)
    running = result.catch(() => {})
    return result
  }

  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})

  const follow = async (): Promise<void> => {
    let failures = 0
    while (!signal.aborted) {
      const began = performance.now()
      try {
        const more = await next()
        failures = 0
        // The event store is everybody's: at most half of the time is spent there while there is more to do.
        await pause(more ? Math.min(performance.now() - began, everyMs) : everyMs)
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        if (failures === 1) logger.warn({ err: error }, 'Computed traits cannot be computed; it is tried again')
        await pause(everyMs + backoffMs(retryPolicies.consumer, failures))
      }
    }
  }

  let following: Promise<void> | undefined
  return {
    start() {
      following ??= follow()
    },
    async catchUp() {
      while (await next());
    },
    async stop() {
      stopping.abort()
      await following
      await running
    },
  }
}
