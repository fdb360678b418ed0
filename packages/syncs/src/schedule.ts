import { parseReference, type Tx } from '@tributary/api-kit'
import { resourceNames, type SyncSchedule } from '@tributary/contract'
import { badRequest, notFound } from '@tributary/kernel'
import { nextCronTime, shownTimes } from './cron-times.ts'
import { readSync, type SyncRow } from './read.ts'

const minuteMs = 60_000
/** Minimum interval in ms between two times of a cron expression. */
const minApartMs = 5 * minuteMs
/** Number of times of a cron expression that are checked for the minimum interval. */
const lookedAt = 50

type Times = Pick<SyncRow, 'interval_minutes' | 'cron' | 'cron_time_zone'>

/**
 * Returns the time of the next run of a sync with this schedule after `now` (epoch ms); null if no time starts a run.
 * Cron expressions work as in `nextCronTime`.
 */
export const nextRunTime = ({ interval_minutes, cron, cron_time_zone }: Times, now: number): Date | null => {
  if (interval_minutes !== null) return new Date(now + interval_minutes * minuteMs)
  if (cron === null || cron_time_zone === null) return null
  return nextCronTime(cron, cron_time_zone, now)
}

const refuse = (field: string, text: string): Error => badRequest('VALIDATION', `${field}: ${text}`, { [field]: text })

/** Throws 400 for a cron expression that is invalid, never runs, or runs too often, and for an unknown time zone. */
export const checkCron = ({ expression, time_zone }: NonNullable<SyncSchedule['cron']>, now: number): void => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: time_zone })
  } catch {
    throw refuse('cron.time_zone', 'Unknown time zone. Use a name such as Europe/Berlin')
  }
  let times: readonly Date[]
  try {
    times = shownTimes(expression, lookedAt, now)
  } catch {
    throw refuse('cron.expression', 'Enter five fields: minute, hour, day of the month, month, and day of the week')
  }
  if (times.length === 0) throw refuse('cron.expression', 'There is no such time')
  const apart = times.slice(1).map((time, index) => Number(time) - Number(times[index]))
  if (Math.min(...apart) < minApartMs) throw refuse('cron.expression', 'A sync can run every 5 minutes at most')
}

/**
 * Returns the ID of the sync that another sync follows. Throws 400 if that would be circular, 404 if the followed sync
 * does not exist.
 */
const followed = async (
  tx: Tx,
  { workspace, id, after }: { workspace: string; id: string; after: string },
): Promise<string> => {
  const named = parseReference(resourceNames.sync, 'after', after)
  if (named.workspace !== workspace) throw notFound('sync not found')
  const first = await readSync(tx, workspace, named.sync)
  const others = await tx
    .selectFrom('syncs')
    .select(['id', 'after_sync_id'])
    .where('workspace_id', '=', workspace)
    .execute()
  const before = new Map(others.map((each) => [each.id, each.after_sync_id]))
  for (let at: string | null | undefined = first.id; at !== null && at !== undefined; at = before.get(at))
    if (at === id) throw refuse('after', 'These syncs would wait for each other')
  return first.id
}

/**
 * Returns the stored form of a schedule, which has at most one trigger. Call this function under a lock of the
 * workspace, so that two concurrent calls cannot create a circle. Throws 400 for an invalid schedule.
 */
export const storedSchedule = async (
  tx: Tx,
  { interval_minutes = null, cron = null, after = null }: Partial<SyncSchedule>,
  of: { workspace: string; id: string; now: number },
) => {
  if ([interval_minutes, cron, after].filter((each) => each !== null).length > 1)
    throw badRequest('VALIDATION', 'Choose one of interval_minutes, cron, and after', {
      interval_minutes: 'Choose one schedule',
    })
  if (cron !== null) checkCron(cron, of.now)
  const times = { interval_minutes, cron: cron?.expression ?? null, cron_time_zone: cron?.time_zone ?? null }
  return {
    ...times,
    after_sync_id: after === null ? null : await followed(tx, { ...of, after }),
    next_run_time: nextRunTime(times, of.now),
    next_run_from: new Date(of.now),
    schedule_state: 'on_time' as const,
    schedule_title: '',
  }
}
