import {
  type Condition,
  type EventConditions,
  type EventType,
  eventTypes,
  type MethodRequest,
  type methods,
  type Replay,
  type ReplayKind,
  type ReplayProfile,
  replayLimits,
  type TimeBasis,
} from '@tributary/contract'
import { filterWords } from '../../../lib/events/condition-words.ts'
import { localTime } from '../../../lib/format/time.ts'

/** The time ranges to choose from. All except the last end now. */
export const replayTimes = [
  { id: 'hour', title: 'Last hour', ms: 3_600_000 },
  { id: 'day', title: 'Last 24 hours', ms: 24 * 3_600_000 },
  { id: 'week', title: 'Last 7 days', ms: 7 * 24 * 3_600_000 },
  { id: 'month', title: 'Last 30 days', ms: 30 * 24 * 3_600_000 },
  { id: 'custom', title: 'Custom', ms: undefined },
] as const
export type ReplayTime = (typeof replayTimes)[number]['id']

/** The values of the replay form. Times are RFC 3339, '' without a selection. */
export type ReplayDraft = {
  kind: ReplayKind
  time: ReplayTime
  /** Only for a history replay. */
  timeBy: TimeBasis
  start: string
  end: string
  source: string
  event: string
  eventType: EventType | ''
  filter: EventConditions
  reason: string
  /** Only for a history replay. */
  profile: ReplayProfile
  /** The typed text. */
  rate: string
}

/** The initial values of the form: a day of history, or all dead letters of the last month. */
export const emptyDraft = (kind: ReplayKind, reason = ''): ReplayDraft => ({
  kind,
  time: kind === 'dead' ? 'month' : 'day',
  timeBy: 'receive_time',
  start: '',
  end: '',
  source: '',
  event: '',
  eventType: '',
  filter: { match: 'all', conditions: [] },
  reason: kind === 'dead' ? reason : '',
  profile: 'latest',
  rate: String(replayLimits.rate),
})

/** Returns the event type that a text names, or ''. */
export const eventTypeOf = (text: string): EventType | '' => eventTypes.find((type) => type === text) ?? ''

export type ReplayBody = MethodRequest<typeof methods.replays.create> & { events_per_second: number }

const trimmed = (conditions: readonly Condition[]): Condition[] =>
  conditions.map((each) => ({ ...each, field: each.field.trim() }))

/** The request for a draft at a time (epoch ms), or its errors by field. */
export const replayBody = (
  draft: ReplayDraft,
  now: number,
): { body: ReplayBody } | { errors: Record<string, string> } => {
  const errors: Record<string, string> = {}
  const span = replayTimes.find(({ id }) => id === draft.time)?.ms
  const start = span === undefined ? draft.start : new Date(now - span).toISOString()
  const end = span === undefined ? draft.end : new Date(now).toISOString()
  if (start === '') errors['start_time'] = 'Required'
  if (end === '') errors['end_time'] = 'Required'
  else if (start !== '' && Date.parse(start) >= Date.parse(end)) errors['end_time'] = 'Must be after the start'
  const rate = Number(draft.rate)
  const { minRate, maxRate } = replayLimits
  if (!/^\d+$/.test(draft.rate.trim()) || rate < minRate || rate > maxRate)
    errors['events_per_second'] = `From ${minRate} to ${maxRate}`
  if (Object.keys(errors).length > 0) return { errors }
  const { kind, source, filter, reason } = draft
  const event = draft.event.trim()
  return {
    body: {
      kind,
      start_time: start,
      end_time: end,
      ...(kind === 'history' && draft.timeBy === 'event_time' ? { time_by: draft.timeBy } : {}),
      ...(source === '' ? {} : { source }),
      ...(kind === 'dead' && reason !== '' ? { reason } : {}),
      ...(event === '' ? {} : { event }),
      ...(draft.eventType === '' ? {} : { event_type: draft.eventType }),
      ...(filter.conditions.length === 0
        ? {}
        : { filter: { match: filter.match, conditions: trimmed(filter.conditions) } }),
      ...(kind === 'history' && draft.profile === 'none' ? { profile: draft.profile } : {}),
      events_per_second: rate,
    },
  }
}

/** Describes the scope of a replay in short pieces of text. */
export const replayWords = (replay: Replay): string[] =>
  [
    `${localTime(replay.start_time)} – ${localTime(replay.end_time)}`,
    replay.time_by === 'event_time' ? 'by event time' : '',
    replay.source === null ? '' : `from ${replay.source.title}`,
    replay.event === '' ? '' : `event “${replay.event}”`,
    replay.event_type === '' ? '' : `type ${replay.event_type}`,
    filterWords(replay.filter),
    replay.reason === '' ? '' : `reason “${replay.reason}”`,
    replay.profile === 'none' ? 'without the profile' : '',
  ].filter((words) => words !== '')
