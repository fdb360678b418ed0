import { setTimeout as pause } from 'node:timers/promises'
import { audienceEventText, readReportedProfiles } from '@tributary/audiences'
import type { PipelineEvent } from '@tributary/contract'
import type { Logger } from '@tributary/kernel'
import { sql } from 'kysely'
import type { CachedSignal, SignalCache, WorkspaceSignals } from '../signal-cache.ts'
import { type ConvertDeps, convert } from './convert.ts'

export type SignalAudienceFollower = {
  start(): void
  /** Makes conversions of all profiles that have entered an audience until now. Rejects if a store is unavailable. */
  follow(): Promise<void>
  stop(): Promise<void>
}

type Change = { id: string; kind: 'entered' | 'left'; profile_id: string; time: Date }

const changesAtOnce = 200
const everyMs = 500

/** Makes conversions of profiles that enter audiences. Each change is read once, even after a kill. */
export const createSignalAudienceFollower = (
  deps: ConvertDeps & { cache: Pick<SignalCache, 'find' | 'withAudiences'>; logger: Logger },
): SignalAudienceFollower => {
  const { db, cache, logger } = deps
  const stopping = new AbortController()
  const { signal: stopped } = stopping

  const eventsOf = async (signal: CachedSignal, changes: readonly Change[]): Promise<PipelineEvent[]> => {
    const entered = changes.filter(({ kind }) => kind === 'entered')
    const profiles = await readReportedProfiles(db, signal.workspaceId, [
      ...new Set(entered.map(({ profile_id }) => profile_id)),
    ])
    const audience = await db
      .selectFrom('audiences')
      .select(['id', 'title'])
      .where('id', '=', signal.audienceId)
      .executeTakeFirst()
    if (audience === undefined) return []
    return entered.flatMap(({ id, kind, profile_id: profileId, time }) => {
      const profile = profiles.get(profileId)
      if (profile === undefined) return []
      const text = audienceEventText(audience, { kind, profileId, time }, profile, { id: `${signal.id}-${id}` })
      return [JSON.parse(text) as PipelineEvent]
    })
  }

  /** Reads one batch of changes; resolves to true if there may be more changes. */
  const step = async (signals: WorkspaceSignals, signal: CachedSignal): Promise<boolean> => {
    const row = await db.selectFrom('signals').select('seen_change').where('id', '=', signal.id).executeTakeFirst()
    if (row === undefined) return false
    const { rows } = await sql<Change>`
      select id, kind, profile_id, time from audience_changes
      where audience_id = ${signal.audienceId}::uuid and id > ${row.seen_change}::bigint order by id limit ${changesAtOnce}`.execute(
      db,
    )
    const last = rows.at(-1)
    if (last === undefined) return false
    const events = await eventsOf(signal, rows)
    const candidates = events.map((event) => ({ event, signals: [{ signal, origin: 'audience' as const }] }))
    const { fresh } = await convert(deps, signal.workspaceId, signals, candidates)
    if (fresh.length > 0) deps.onConversions?.()
    await db
      .updateTable('signals')
      .set({ seen_change: last.id })
      .where('id', '=', signal.id)
      .where('seen_change', '<', last.id)
      .execute()
    return rows.length === changesAtOnce
  }

  const follow = async (): Promise<void> => {
    for (const id of cache.withAudiences()) {
      const signals = cache.find(id)
      if (signals === undefined) continue
      for (const signal of [...signals.byAudience.values()].flat())
        while (!stopped.aborted && (await step(signals, signal)));
    }
  }

  const run = async (): Promise<void> => {
    while (!stopped.aborted) {
      try {
        await follow()
      } catch (error) {
        logger.warn({ err: error }, 'conversions of audiences cannot be made now; trying again')
      }
      await pause(everyMs, undefined, { signal: stopped }).catch(() => {})
    }
  }
  let running: Promise<void> | undefined
  return {
    start() {
      running ??= run()
    },
    follow,
    async stop() {
      stopping.abort()
      await running
    },
  }
}
