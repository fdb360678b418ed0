import { readBlocked, replayedEvent, sendAgain } from '@tributary/replays'
import { type JobKind, systemOwner } from '@tributary/storage'
import { z } from 'zod'
import type { BillingServices } from '../services.ts'
import { readHeld, workspacesOf } from './read-usage.ts'

const data = z.object({ organization: z.string() })

/** The kind of job that releases the held events of an organization. */
export const releaseJob: JobKind<z.output<typeof data>> = {
  name: 'release-held-events',
  data,
  // Few retries are enough: if events are still held afterwards, the check of each minute starts the job again.
  retries: { most: 5, pauseSeconds: 2, maxPauseSeconds: 60 },
  leaseSeconds: 30,
  maxSeconds: 6 * 60 * 60,
  atOnce: 2,
  exclusive: true,
  keepSeconds: 60 * 60,
}

/**
 * Sends the held events of an organization through the pipeline again, the oldest of each source first. Ends when none
 * is left or they are held again. After a crash, the next run continues: the pipeline accepts each event once.
 */
export const releaseHeld = async (
  deps: Pick<BillingServices, 'db' | 'eventStore' | 'appendRequest' | 'clock'>,
  { organization }: { organization: string },
  { signal }: { signal: AbortSignal },
): Promise<void> => {
  const { db } = deps
  const state = () =>
    db
      .selectFrom('plan_usage')
      .select(['hold_time', 'removed_until'])
      .where('organization_id', '=', organization)
      .executeTakeFirst()
  const begun = await state()
  if (begun === undefined) return
  const workspaces = await workspacesOf(db, organization)
  const held = await readHeld(deps, workspaces, begun.removed_until, { owner: systemOwner, slot: 'heavy', signal })
  for (const { workspaceId, sourceId } of held) {
    const from = begun.removed_until?.getTime() ?? 0
    const filter = { workspaceId, sourceId, event: undefined, status: 'held', from } as const
    for await (const { rows, readAt } of readBlocked(deps, filter, signal)) {
      signal.throwIfAborted()
      const now = await state()
      if (now === undefined || now.hold_time !== null) return
      const events = rows.flatMap((row) => {
        const text = replayedEvent(row)
        return text === undefined ? [] : [{ id: row.event_id, text }]
      })
      await sendAgain(deps, filter, events, readAt)
    }
  }
}
