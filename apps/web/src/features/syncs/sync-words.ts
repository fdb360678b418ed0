import {
  type EventObject,
  endedSyncRuns,
  type Sync,
  type SyncMode,
  type SyncRun,
  type SyncRunCounts,
  type SyncRunRow,
  type SyncRunState,
  syncRunStates,
} from '@tributary/contract'
import { count, pluralise } from '../../lib/format/text.ts'
import { elapsed } from '../../lib/format/time.ts'
import type { BadgeTone } from '../../ui/badge.tsx'
import { isSourceName } from './event-mapping.ts'

/** The titles of the states of a run. */
export const runStateTitles: Readonly<Record<SyncRunState, string>> = {
  queued: 'Queued',
  extracting: 'Reading rows',
  diffing: 'Comparing',
  needs_approval: 'Needs approval',
  sending: 'Sending',
  canceling: 'Canceling',
  succeeded: 'Succeeded',
  partial: 'Completed with rejected rows',
  failed: 'Failed',
  canceled: 'Canceled',
}

export const runStateTones: Readonly<Record<SyncRunState, BadgeTone>> = {
  queued: 'accent',
  extracting: 'accent',
  diffing: 'accent',
  needs_approval: 'warning',
  sending: 'accent',
  canceling: 'accent',
  succeeded: 'success',
  partial: 'warning',
  failed: 'danger',
  canceled: 'neutral',
}

/** The effect of each mode, as a sentence. */
export const modeSentences: Readonly<Record<SyncMode, string>> = {
  UPSERT_ONLY: 'Adds rows and updates the ones that exist. Never removes any.',
  UPDATE_ONLY: 'Updates rows that exist at the destination. Never adds or removes any.',
  FULL_SYNC: 'Keeps the destination equal to the model. Adds, updates, and removes rows that this sync sent.',
  INSERT_ONLY: 'Adds rows that do not exist yet. Never changes or removes any.',
}

/** The effect of each mode on rows that become events, as a sentence. */
export const eventModeSentences: Readonly<Partial<Record<SyncMode, string>>> = {
  INSERT_ONLY: 'Each row becomes one event. Later changes of the row are skipped.',
  UPSERT_ONLY: 'Each new row becomes an event, and so does each change of a row.',
}

/** Describes to which fields of events columns can be mapped. */
export const eventFieldsText = ({ fields, parents }: EventObject): string =>
  `Each column goes to the field beside it: ${fields.join(', ')}, or ${parents.map((each) => `${each}.name`).join(' or ')}. userId or anonymousId is required.`

/** Whether the rows of a sync become events of a source. */
export const isOfEvents = ({ destination }: Pick<Sync, 'destination'>): boolean => isSourceName(destination.name)

/** The order in which modes are offered. */
export const modeOrder: readonly SyncMode[] = ['UPSERT_ONLY', 'FULL_SYNC', 'UPDATE_ONLY', 'INSERT_ONLY']

const intervalTitles: Readonly<Record<NonNullable<Sync['interval_minutes']>, string>> = {
  15: 'Every 15 minutes',
  60: 'Every hour',
  360: 'Every 6 hours',
  1440: 'Every day',
}

/** The schedule of a sync, as text. */
export const syncScheduleTitle = ({
  interval_minutes,
  cron,
  after,
}: Pick<Sync, 'interval_minutes' | 'cron' | 'after'>): string => {
  if (after !== null) return `After ${after.title}`
  return cron === null ? scheduleTitle(interval_minutes) : `${cron.expression} (${cron.time_zone})`
}

/** An interval, as text. */
export const scheduleTitle = (minutes: Sync['interval_minutes']): string =>
  minutes === null ? 'Manual' : intervalTitles[minutes]

/** The change of a row, in one word. */
export const changeTitles: Readonly<Record<SyncRunRow['change'], string>> = {
  added: 'Added',
  changed: 'Changed',
  updated: 'Updated',
  sent_again: 'Sent again',
  foreign: 'Already there',
  removed: 'Removed',
  duplicate: 'Duplicate key',
  invalid: 'Invalid',
}

export const outcomeTitles: Readonly<Record<SyncRunRow['outcome'], string>> = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  retrying: 'Retrying',
  rejected: 'Rejected',
  skipped: 'Skipped',
  invalid: 'Invalid',
  not_sent: 'Not sent',
}

export const outcomeTones: Readonly<Record<SyncRunRow['outcome'], BadgeTone>> = {
  waiting: 'accent',
  delivered: 'success',
  retrying: 'warning',
  rejected: 'danger',
  skipped: 'neutral',
  invalid: 'danger',
  not_sent: 'neutral',
}

/** The outcomes of read rows, in the order in which a run lists them. */
export const countedOutcomes = [
  'added',
  'changed',
  'updated',
  'sent_again',
  'unchanged',
  'skipped',
  'invalid',
  'rejected',
  'waiting',
  'not_sent',
] as const
/** The outcomes that are shown only if some rows have them, because this is rare. */
const rareOutcomes: ReadonlySet<string> = new Set(['updated', 'sent_again', 'not_sent'])

/** Returns the outcomes to show for a run. */
export const outcomesOf = (counts: SyncRunCounts): (typeof countedOutcomes)[number][] =>
  countedOutcomes.filter((name) => counts[name] > 0 || !rareOutcomes.has(name))

/** Describes the result of a run in short: "2 added, 1 removed". Returns '' while it is unknown. */
export const runSummary = ({ counts }: Pick<SyncRun, 'counts'>): string => {
  if (counts === null) return ''
  const { added, changed, removed, rejected, invalid, waiting } = counts
  const amounts = [
    [added, 'added'],
    [changed, 'changed'],
    [counts.updated, 'updated'],
    [counts.sent_again, 'sent again'],
    [removed, 'removed'],
    [rejected + counts.removals_rejected, 'rejected'],
    [invalid, 'invalid'],
    [waiting + counts.removals_waiting, 'waiting'],
    [counts.not_sent + counts.removals_not_sent, 'not sent'],
  ] as const
  const parts = amounts.filter(([rows]) => rows > 0).map(([rows, what]) => `${count(rows)} ${what}`)
  return parts.length === 0 ? 'Nothing changed' : parts.join(', ')
}

/** The titles of the causes of a run of all rows: "Manual", "Schedule". */
const triggerTitles: Readonly<Record<SyncRun['trigger'], string>> = {
  manual: 'Manual',
  schedule: 'Schedule',
  after: 'After another sync',
  api: 'API',
}

/** The kind of a run: "Schedule", "Resync", "Rejected rows". */
export const runTitle = ({ trigger, resync, rerun_of }: Pick<SyncRun, 'trigger' | 'resync' | 'rerun_of'>): string =>
  rerun_of !== '' ? 'Rejected rows' : resync ? 'Resync' : triggerTitles[trigger]

export const hasEnded = ({ state }: Pick<SyncRun, 'state'>): boolean => endedSyncRuns.includes(state)

/** A step of a run in its current state. */
export type RunStep = {
  id: 'queued' | 'extracting' | 'diffing' | 'needs_approval' | 'sending'
  title: string
  /** With `stopped`, the run ended in this step without completing it. */
  state: 'done' | 'active' | 'ahead' | 'stopped'
  /** The results of the step so far; '' if there are none. */
  text: string
  /** The duration of the step so far, as text; '' if it has not begun. */
  duration: string
}

const stepTitles: Readonly<Record<RunStep['id'], string>> = {
  queued: 'Wait for a place',
  extracting: 'Read rows',
  diffing: 'Compare with the destination',
  needs_approval: 'Approve',
  sending: 'Send',
}

const rowsOf = (rows: number, what: string): string => `${count(rows)} ${pluralise(rows, 'row')} ${what}`

const stepText = (id: RunStep['id'], { planned, counts, rows_read, message, state }: SyncRun): string => {
  if (id === 'extracting' && rows_read > 0) return rowsOf(rows_read, state === 'extracting' ? 'read so far' : 'read')
  if (id === 'diffing' && planned !== null)
    return `${count(planned.added)} to add, ${count(planned.changed)} to change, ${count(planned.removed)} to remove`
  if (id === 'needs_approval') return message
  if (id !== 'sending' || planned === null || counts === null) return ''
  const all = planned.added + planned.changed + planned.removed
  const open = counts.waiting + counts.removals_waiting + counts.not_sent + counts.removals_not_sent
  return all === 0 ? 'Nothing to send' : `${count(all - open)} of ${rowsOf(all, 'answered')}`
}

/** The steps of a run at `now` (epoch ms). The approval step is present only when approval was needed. */
export const stepsOf = (run: SyncRun, now: number): RunStep[] => {
  const times = syncRunStates.flatMap((state) => {
    const time = run.state_times[state]
    return time === undefined ? [] : [{ state, time: Date.parse(time) }]
  })
  const begun = times.filter(({ state }) => state in stepTitles)
  const ids = (Object.keys(stepTitles) as RunStep['id'][]).filter(
    (id) => id !== 'needs_approval' || run.state_times.needs_approval !== undefined,
  )
  const last = begun.at(-1)?.state
  const over = run.state === 'succeeded' || run.state === 'partial'
  return ids.map((id) => {
    const at = begun.findIndex(({ state }) => state === id)
    const start = begun[at]?.time
    const isLast = id === last
    const end = begun[at + 1]?.time ?? (run.finish_time === null ? now : Date.parse(run.finish_time))
    return {
      id,
      title: stepTitles[id],
      state: start === undefined ? 'ahead' : !isLast || over ? 'done' : hasEnded(run) ? 'stopped' : 'active',
      text: start === undefined ? '' : stepText(id, run),
      duration: start === undefined ? '' : elapsed(Math.max(0, end - start)),
    }
  })
}

/** The duration of a run, as text; '' while it has not ended. */
export const runDuration = ({ start_time, create_time, finish_time }: SyncRun): string =>
  finish_time === null ? '' : elapsed(Date.parse(finish_time) - Date.parse(start_time ?? create_time))
