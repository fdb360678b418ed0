import { readBlockedOwners, readSuppressed } from '@tributary/api-kit'
import { type methods, noProfileReasons, profileCoverageDays } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** The reason why an event has no profile, by its user ID, or by its anonymous ID if it has no user ID. */
const reason = `multiIf(id = '', 'missing', length(id) > 512, 'too_long',
  position(id, '\\0') > 0 or position(id, '\ufffd') > 0, 'not_text', 'blocked')`

/**
 * Returns how many events of a workspace have no profile, by reason, and the progress of the first reading of stored
 * events for profiles.
 */
export const getProfileCoverage =
  ({
    db,
    eventStore,
    profileLedger,
    profileReading,
    logger,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger' | 'profileReading' | 'logger' | 'clock'>): Handler<
    typeof methods.profiles.getCoverage
  > =>
  async ({ workspace, signal }) => {
    const start = clock() - profileCoverageDays * 86_400_000
    const accepted = `from events where workspace_id = {workspace:String} and status = 'accepted'
      and receive_time >= fromUnixTimestamp64Milli({start:Int64})`
    const params = { workspace: workspace.id, start }
    const options = { owner: workspace.id, slot: 'short', signal } as const
    const [suppressed, blockedOwners] = await Promise.all([
      readSuppressed(db, [workspace.id]),
      readBlockedOwners({ db, eventStore, profileLedger }, [workspace.id], signal),
    ])
    // All queries start here and are awaited together below. If they were awaited one by one, the failure of a later
    // one would end the process.
    const all = eventStore.query<{ n: number }>(`select count() as n ${accepted}`, params, options)
    const byReason = eventStore.query<{ why: string; n: number }>(
      `with if(user_id = '', anonymous_id, user_id) as id
       select ${reason} as why, count() as n ${accepted} and owner = 0 group by why`,
      params,
      options,
    )
    const blocked =
      blockedOwners.length === 0
        ? []
        : eventStore.query<{ n: number }>(
            `select count() as n ${accepted} and owner in {blocked:Array(UInt64)}`,
            { ...params, blocked: blockedOwners },
            options,
          )
    const refused =
      suppressed === undefined
        ? []
        : eventStore.query<{ n: number }>(
            `select count() as n ${accepted} and ${suppressed.where}`,
            { ...params, ...suppressed.params },
            options,
          )
    const reading = profileReading?.(workspace.id).catch((error: unknown) => {
      logger.warn({ err: error }, 'the positions of profiles cannot be read now')
      return undefined
    })
    const [[total], rows, [ofSuppressed], [ofBlocked], read] = await Promise.all([
      all,
      byReason,
      refused,
      blocked,
      reading,
    ])
    const counts = new Map(rows.map(({ why, n }) => [why, Number(n)]))
    counts.set('blocked', (counts.get('blocked') ?? 0) + Number(ofBlocked?.n ?? 0))
    counts.set('suppressed', Number(ofSuppressed?.n ?? 0))
    return {
      start_time: new Date(start).toISOString(),
      event_count: Number(total?.n ?? 0),
      without_profile: noProfileReasons.flatMap((each) => {
        const event_count = counts.get(each) ?? 0
        return event_count === 0 ? [] : [{ reason: each, event_count }]
      }),
      reading: read === undefined ? null : { read_count: read.read, event_count: read.total },
    }
  }
