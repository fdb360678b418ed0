import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs, type Logger, retryPolicies } from '@tributary/kernel'
import { clearTouches } from '@tributary/storage'
import { sql } from 'kysely'
import type { Storing } from './changed-profiles.ts'
import { evaluateWorkspace } from './evaluate-workspace.ts'
import type { ReevaluationDeps } from './reevaluate-profiles.ts'

export type IncrementalEvaluationDeps = ReevaluationDeps & {
  clock: () => number
  /** How far storing is, which comes first while it is behind. */
  storing: Storing
  logger: Logger
}

export type IncrementalEvaluation = {
  start(): void
  /** Brings all audiences up to date that something happened to. Rejects while a store is away. */
  pass(): Promise<void>
  /** Resolves when nothing of it runs. */
  stop(): Promise<void>
}

/** How often it looks for news, ms. */
const everyMs = 500
/** How often a workspace without changes is evaluated, for changes by time alone, ms. */
const quietMs = 20_000
/** It rests so many times as long as it worked: that uses half of a processor, and a seventh while other work has priority. */
const restShare = { quiet: 1, busy: 6 } as const
const maxRestMs = 10_000
/** A workspace whose last pass took longer is slow, ms. Slow workspaces take turns with each other, beside all others. */
const slowMs = 1000
/** The largest delay of audiences while other work has priority, ms. */
const maxLagMs = 60_000
const clearEveryMs = 20_000

type Due = { workspace_id: string; as_of: Date; touched: boolean }

/**
 * Keeps the live audiences of all workspaces up to date, in small steps that leave most of the processor to other work. Its position is
 * stored with the audiences, so it continues after a restart. Workspaces take turns, the one that is furthest behind first. The
 * passes of slow ones delay no other workspace.
 */
export const createIncrementalEvaluation = (deps: IncrementalEvaluationDeps): IncrementalEvaluation => {
  const { db, clock, storing, logger } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  /** When a workspace that failed is tried again, and how often it failed. */
  const failed = new Map<string, { count: number; until: number }>()
  const slow = new Set<string>()
  let cleared = 0

  const due = async (): Promise<Due[]> => {
    const { rows } = await sql<Due>`
      select w.workspace_id, w.as_of, exists (
        select from audience_touches t where t.workspace_id = w.workspace_id and t.transaction >= w.touched_before
      ) as touched
      from (
        select workspace_id, min(as_of) as as_of, min(touched_before) as touched_before from audiences
        where state = 'live' and as_of is not null and touched_before is not null group by workspace_id
      ) as w
      order by w.as_of`.execute(db)
    const now = clock()
    return rows.filter(({ as_of, touched }) => {
      const lag = now - as_of.getTime()
      return storing.isBehind() ? lag >= maxLagMs : touched || lag >= quietMs
    })
  }

  const passOne = async (workspaceId: string): Promise<void> => {
    const before = failed.get(workspaceId)
    if (before !== undefined && performance.now() < before.until) return
    const began = clock()
    try {
      await evaluateWorkspace(deps, workspaceId, signal)
      failed.delete(workspaceId)
    } catch (error) {
      if (signal.aborted) return
      const count = (before?.count ?? 0) + 1
      failed.set(workspaceId, { count, until: performance.now() + backoffMs(retryPolicies.consumer, count) })
      // The whole computation every few minutes says what is wrong, and finds the same.
      if (count === 1)
        logger.warn({ err: error, workspaceId }, 'audiences of a workspace cannot be brought up to date; trying again')
    } finally {
      if (clock() - began > slowMs) slow.add(workspaceId)
      else slow.delete(workspaceId)
    }
  }

  /** The turns of slow workspaces, or those of all others; of which kind one is changes in its own turn only. */
  const follow = async (ofSlow: boolean): Promise<void> => {
    while (!signal.aborted) {
      const began = performance.now()
      try {
        // Skips the query when no workspace is slow.
        for (const { workspace_id } of ofSlow && slow.size === 0 ? [] : await due())
          if (!signal.aborted && slow.has(workspace_id) === ofSlow) await passOne(workspace_id)
        if (!ofSlow && began - cleared > clearEveryMs) {
          await clearTouches(db)
          cleared = began
        }
      } catch (error) {
        if (!signal.aborted) logger.warn({ err: error }, 'audiences cannot be brought up to date; trying again')
      }
      const share = storing.isBehind() ? restShare.busy : restShare.quiet
      const rest = Math.min(Math.max(everyMs, (performance.now() - began) * share), maxRestMs)
      await pause(rest, undefined, { signal }).catch(() => {})
    }
  }

  let following: Promise<unknown> | undefined
  return {
    start() {
      following ??= Promise.all([follow(false), follow(true)])
    },
    async pass() {
      for (const { workspace_id } of await due()) await evaluateWorkspace(deps, workspace_id, signal)
    },
    async stop() {
      stopping.abort()
      await following
    },
  }
}
