import type { EventDetail } from '@tributary/contract'
import { compatibilityWords } from '../../lib/events/compatibility-words.ts'
import { rejectionOf } from '../../lib/events/rejection.ts'

export type OutcomeTone = 'neutral' | 'success' | 'warning' | 'danger' | 'accent'

/** One step of the processing of an event, with its time if known. Backticks in `text` mark code. */
export type OutcomeStep = {
  id: 'received' | 'noted' | 'rejected' | 'checked' | 'blocked' | 'held' | 'replayed'
  title: string
  text: string
  tone: OutcomeTone
  time?: string
}

const checked = ({ compatibility, schema_version: version }: EventDetail): OutcomeStep => {
  if (compatibility === '')
    return {
      id: 'checked',
      title: 'Not checked',
      text: 'This event was not checked against a schema.',
      tone: 'neutral',
    }
  const { title, text, tone } = compatibilityWords[compatibility]
  return {
    id: 'checked',
    title,
    text: version > 0 ? `${text} It was checked against version ${version}.` : text,
    tone,
  }
}

/** The steps of an event before its delivery, in order. */
export const outcomeOf = (event: EventDetail): OutcomeStep[] => {
  const received: OutcomeStep = {
    id: 'received',
    title: 'Received',
    text: event.ip === '' ? 'Accepted and stored.' : `Accepted from ${event.ip} and stored.`,
    tone: 'success',
    time: event.receive_time,
  }
  const note: OutcomeStep[] =
    event.reason === ''
      ? []
      : [{ id: 'noted', title: 'Accepted with a note', text: rejectionOf(event.reason).advice, tone: 'warning' }]
  if (event.status === 'rejected')
    return [
      { ...received, text: received.text.replace('accepted', 'taken'), tone: 'neutral' },
      {
        id: 'rejected',
        title: 'Rejected',
        text: `${rejectionOf(event.reason).advice} Fix the sender and send it again. It was not delivered.`,
        tone: 'danger',
      },
    ]
  if (event.status === 'held')
    return [
      received,
      ...note,
      checked(event),
      {
        id: 'held',
        title: 'Held',
        text: 'The organization was over a limit of its plan, so it was not delivered yet. It is released when the plan is upgraded, or when the next period begins.',
        tone: 'warning',
      },
      ...(event.replay_time === null
        ? []
        : [
            {
              id: 'replayed' as const,
              title: 'Released',
              text: 'It was released as a new event with the same message ID.',
              tone: 'success' as const,
              time: event.replay_time,
            },
          ]),
    ]
  if (event.status !== 'blocked') return [received, ...note, checked(event)]
  return [
    received,
    ...note,
    checked(event),
    {
      id: 'blocked',
      title: 'Blocked',
      text: 'Its source blocks non-conforming events, so it was not delivered.',
      tone: 'warning',
    },
    ...(event.replay_time === null
      ? []
      : [
          {
            id: 'replayed' as const,
            title: 'Replayed',
            text: 'It matched the schema later and was replayed as a new event with the same message ID.',
            tone: 'success' as const,
            time: event.replay_time,
          },
        ]),
  ]
}
