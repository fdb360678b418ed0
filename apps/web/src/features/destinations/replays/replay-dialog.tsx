import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Destination, type MethodResponse, methods } from '@tributary/contract'
import { History } from 'lucide-react'
import { useCallback, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { ApiError, formFailure } from '../../../lib/api/errors.ts'
import { conditionProblems } from '../../../lib/events/condition-words.ts'
import { destinationIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { localTime } from '../../../lib/format/time.ts'
import { replaysQuery } from '../../../lib/queries/replay-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { FieldError } from '../../../ui/forms/field.tsx'
import { SlideOver } from '../../../ui/overlays/slide-over.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { useOpened } from '../../../ui/overlays/use-opened.ts'
import { ReplayFields } from './replay-form.tsx'
import { type ReplayBody, type ReplayDraft, replayBody } from './replay-scope.ts'

/** Counts the events that a replay would send. */
const usePreviewReplay = (destination: string) =>
  useMutation({
    mutationFn: (body: ReplayBody) => call(methods.replays.preview, { params: destinationIds(destination), body }),
  })

/** Starts a replay. */
const useCreateReplay = (destination: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: ReplayBody & { stored_before: string; expected_event_count: number }) =>
      call(methods.replays.create, { params: destinationIds(destination), body }),
    onSuccess: ({ event_count }) => {
      notify('success', 'Replay Started', {
        description: `${count(event_count)} ${pluralise(event_count, 'event')} will be sent.`,
      })
    },
    onSettled: () => cache.invalidateQueries({ queryKey: replaysQuery(destination).queryKey }),
  })
}

type Preview = MethodResponse<typeof methods.replays.preview>

/** The names of the fields that show their own errors. All other errors appear below the form. */
const fields = new Set([
  'start_time',
  'end_time',
  'source',
  'event',
  'event_type',
  'filter',
  'reason',
  'profile',
  'events_per_second',
])

const words = (draft: ReplayDraft, events: number): string =>
  draft.kind === 'history' ? pluralise(events, 'event') : pluralise(events, 'dead letter')

/** The number of dead letters for which the filter could not be evaluated. */
const Unreadable = ({ events }: { events: number }) =>
  events > 0 && (
    <p className="mt-2 text-xs text-ink-2">
      Not counted: {count(events)} {pluralise(events, 'dead letter')} whose events can't be read (held too long during a
      pause, or no longer in the log). Clear the name, type, and conditions to include them.
    </p>
  )

const Counted = ({ draft, preview, paused }: { draft: ReplayDraft; preview: Preview; paused: boolean }) => {
  const { event_count, unreadable_count, first_time, last_time, samples } = preview
  const show = useCallback((element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' }), [])
  if (event_count === 0)
    return (
      <output ref={show} className="block rounded-lg border border-line bg-canvas px-4 py-3 text-sm text-ink-2">
        No matching {draft.kind === 'history' ? 'accepted events' : 'dead letters'} found. Choose a longer period or
        fewer conditions.
        <Unreadable events={unreadable_count} />
      </output>
    )
  return (
    <output ref={show} className="block space-y-3 rounded-lg border border-line bg-canvas px-4 py-3 text-sm">
      <div>
        <p className="text-xl font-semibold tabular">
          {count(event_count)} {words(draft, event_count)}
        </p>
        {first_time !== null && last_time !== null && (
          <p className="text-xs text-ink-2">
            {localTime(first_time)} – {localTime(last_time)}
          </p>
        )}
      </div>
      {samples.length > 0 && (
        <div className="space-y-1">
          <p className="text-xs font-medium text-ink-3">Most recent</p>
          <ul className="divide-y divide-line">
            {samples.map((sample) => (
              <li key={sample.name} className="flex items-baseline justify-between gap-4 py-1.5">
                <span className="min-w-0 truncate">
                  <span className="font-medium">{sample.title}</span>{' '}
                  <span className="text-xs text-ink-3">{sample.user_id || sample.anonymous_id}</span>
                </span>
                <span className="shrink-0 text-xs text-ink-2">{localTime(sample.receive_time)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <p className="text-xs text-ink-2">
        {draft.kind === 'history'
          ? 'Sent to this destination only, with its current mappings, consent, and age limit. Filtered events are listed in deliveries. Events it received before are sent again.'
          : 'Retried with the current mappings and a new retry window.'}
        {draft.kind === 'dead' && ' Those that match no mapping stay dead letters.'}
        {paused && ' This destination is paused, so events are held until you resume it.'}
      </p>
      <Unreadable events={unreadable_count} />
    </output>
  )
}

/**
 * Stores the entered replay, the count of its events, and its errors. After any change, the events must be counted
 * again.
 */
const useNewReplay = (destination: string, initial: ReplayDraft, onCreated: () => void) => {
  const [draft, setDraft] = useState(initial)
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [asked, setAsked] = useState(false)
  const [counted, setCounted] = useState<{ body: ReplayBody; preview: Preview } | undefined>()
  const preview = usePreviewReplay(destination)
  const create = useCreateReplay(destination)
  const problems = conditionProblems(draft.filter.conditions)

  const change = (part: Partial<ReplayDraft>): void => {
    setDraft((before) => ({ ...before, ...part }))
    setCounted(undefined)
    setErrors({})
    preview.reset()
    create.reset()
  }
  const refused = (error: unknown): void => {
    const failure = formFailure(error)
    const known = failure.fields.filter(({ name }) => fields.has(name))
    const [other] = failure.fields.filter(({ name }) => !fields.has(name))
    setErrors(
      known.length > 0
        ? Object.fromEntries(known.map(({ name, message }) => [name, message]))
        : { form: other?.message ?? failure.form?.message ?? 'unknown error' },
    )
  }
  const ask = (): void => {
    setAsked(true)
    const made = replayBody(draft, Date.now())
    if ('errors' in made) return setErrors(made.errors)
    if (Object.keys(problems).length > 0) return
    setErrors({})
    preview.mutate(made.body, {
      onSuccess: (found) => setCounted({ body: made.body, preview: found }),
      onError: refused,
    })
  }
  const confirm = (body: ReplayBody, { stored_before, event_count }: Preview): void =>
    create.mutate(
      { ...body, stored_before, expected_event_count: event_count },
      {
        onSuccess: onCreated,
        onError: (error) => {
          if (error instanceof ApiError && error.body.reason === 'REPLAY_CHANGED') setCounted(undefined)
          refused(error)
        },
      },
    )
  return {
    draft,
    change,
    errors,
    problems: asked ? problems : {},
    counted,
    ask,
    counting: preview.isPending,
    confirm,
    creating: create.isPending,
  }
}

/**
 * The form of a new replay. It first counts the events; then the user can confirm the number. Any change of the form
 * needs a new count.
 */
export const ReplayDialog = ({
  destination,
  initial,
  onClosed,
}: {
  destination: Destination
  initial: ReplayDraft
  onClosed: () => void
}) => {
  const workspace = useWorkspace()
  const { close, dialog } = useOpened(onClosed)
  const { draft, change, errors, problems, counted, ask, counting, confirm, creating } = useNewReplay(
    destination.name,
    initial,
    close,
  )
  const events = counted?.preview.event_count ?? 0
  return (
    <SlideOver
      size="lg"
      {...dialog}
      title="New replay"
      description={`Sends past events to ${destination.title} again, and to no other destination.`}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          {counted === undefined || events === 0 ? (
            <Button variant="primary" loading={counting} onClick={ask}>
              Count events
            </Button>
          ) : (
            <Button variant="primary" loading={creating} onClick={() => confirm(counted.body, counted.preview)}>
              <History aria-hidden />
              Replay {count(events)} {pluralise(events, 'event')}
            </Button>
          )}
        </>
      }
    >
      <form
        noValidate
        aria-label="New replay"
        className="space-y-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (counted === undefined) ask()
        }}
      >
        <ReplayFields
          destination={destination.name}
          workspace={workspace.name}
          draft={draft}
          change={change}
          errors={errors}
          problems={problems}
        />
        {counted !== undefined && <Counted draft={draft} preview={counted.preview} paused={!destination.enabled} />}
        <FieldError id="replay-error" live message={errors['form']} />
        {/* An invisible submit button: with it, Enter in a field starts the count. */}
        <button type="submit" hidden>
          Count
        </button>
      </form>
    </SlideOver>
  )
}
