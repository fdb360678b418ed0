import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '@tributary/api-kit'
import { backoffMs, type Logger, retryPolicies } from '@tributary/kernel'
import { clearTouches } from '@tributary/storage'
import { sql } from 'kysely'
import type { Storing } from './changed-profiles.ts'
import { evaluateWorkspace } from './evaluate-workspace.ts'
import type { ReevaluationDeps } from './reevaluate-profiles.ts'

export type IncrementalEvaluationDeps = ReevaluationDeps & {
  clock: () => number
  /** The progress of storing, which has priority while it is behind. */
  storing: Storing
  /** Called after an evaluation in which a profile entered or left an audience. */
  onChanged?: () => void
  logger: Logger
}

export type IncrementalEvaluation = {
  start(): void
  /** Brings all audiences with changes up to date. Rejects while a store is unavailable. */
  pass(): Promise<void>
  /** Stops the evaluation; resolves when it has stopped completely. */
  stop(): Promise<void>
}

/** Interval in ms between checks for changes. */
const everyMs = 500
/** The same while there are no live audiences. A new audience is computed as a whole before. */
const noneMs = 2000
/** Interval in ms at which a workspace without changes is evaluated, because time passes. */
const quietMs = 20_000
/**
 * The pause after work, as a multiple of the duration of the work. So the work uses half of a processor, or a seventh
 * while other work has priority.
 */
const restShare = { quiet: 1, busy: 6 } as const
const maxRestMs = 10_000
/**
 * Duration in ms of a pass above which a workspace counts as slow. Slow workspaces take turns among themselves, in
 * parallel to all others.
 */
const slowMs = 1000
/** Maximum delay of audiences while other work has priority, ms. */
const maxLagMs = 60_000
const clearEveryMs = 20_000

type Due = { workspace_id: string; as_of: Date; touched: boolean }

/** Workspaces with live audiences, the one that is furthest behind first. */
const readLive = async (db: Db): Promise<Due[]> => {
  const { rows } = await sql<Due>`
    select w.workspace_id, w.as_of, exists (
      select from audience_touches t where t.workspace_id = w.workspace_id and t.transaction >= w.touched_before
    ) as touched
    from (
      select workspace_id, min(as_of) as as_of, min(touched_before) as touched_before from audiences
      where state = 'live' and as_of is not null and touched_before is not null group by workspace_id
    ) as w
    order by w.as_of`.execute(db)
  return rows
}

/**
 * Keeps the live audiences of all workspaces up to date, in small steps that leave most of the processor to other work.
 * The position is stored with the audiences, so the evaluation continues after a restart. Workspaces take turns; the
 * one that is furthest behind comes first. The passes of slow workspaces delay no other workspace.
 */
export const createIncrementalEvaluation = (deps: IncrementalEvaluationDeps): IncrementalEvaluation => {
  const { db, clock, storing, logger } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  /** For each workspace that failed, the number of failures and the time of the next retry. */
  const failed = new Map<string, { count: number; until: number }>()
  const slow = new Set<string>()
  let cleared = 0

  let isAnyLive = true
  const due = async (): Promise<Due[]> => {
    const rows = await readLive(db)
    isAnyLive = rows.length > 0
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
      if (await evaluateWorkspace(deps, workspaceId, signal)) deps.onChanged?.()
      failed.delete(workspaceId)
    } catch (error) {
      if (signal.aborted) return
      const count = (before?.count ?? 0) + 1
      failed.set(workspaceId, { count, until: performance.now() + backoffMs(retryPolicies.consumer, count) })
      // Only the first failure is reported, because the complete computation every few minutes reports the same error.
      if (count === 1)
        logger.warn({ err: error, workspaceId }, 'audiences of a workspace cannot be brought up to date; trying again')
    } finally {
      if (clock() - began > slowMs) slow.add(workspaceId)
      else slow.delete(workspaceId)
    }
  }

  /**
   * Runs the turns of slow workspaces if `ofSlow`, otherwise those of all other workspaces. A workspace becomes slow,
   * or stops being slow, only in its own turn.
   */
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
      const rest = Math.min(Math.max(isAnyLive ? everyMs : noneMs, (performance.now() - began) * share), maxRestMs)
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
