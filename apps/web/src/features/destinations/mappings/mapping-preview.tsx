import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Destination, EventMapping, MappingPreview } from '@tributary/contract'
import { CircleAlert, Send } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { type MappingProblems, sendable } from '../../../components/mapping/mapping-draft.ts'
import { formatJson } from '../../../lib/format/json-text.ts'
import { truncate } from '../../../lib/format/text.ts'
import { localTime } from '../../../lib/format/time.ts'
import { destinationAudiencesQuery } from '../../../lib/queries/audience-queries.ts'
import { workspaceEventsQuery } from '../../../lib/queries/event-queries.ts'
import { type MappingTrial, mappingPreviewQuery } from '../../../lib/queries/mapping-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { CodeEditor } from '../../../ui/code/code-editor.tsx'
import { Select } from '../../../ui/forms/input.tsx'
import { Skeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { SendTestDialog } from './send-test-dialog.tsx'

/** Returns the initial text of the field for pasting an event. */
const sampleEvent = (mapping: EventMapping): string =>
  JSON.stringify(
    {
      type: mapping.event_type === '' ? 'track' : mapping.event_type,
      event: mapping.event_name === '' ? 'Order Completed' : mapping.event_name,
      userId: 'user-123',
      properties: { order_id: 'o-4711', total: 59.9, currency: 'EUR' },
    },
    null,
    2,
  )

/**
 * The event for testing a mapping: the latest event that matches, a stored event by its resource name, or a pasted
 * event.
 */
type Choice = { kind: 'latest' } | { kind: 'stored'; name: string } | { kind: 'pasted'; text: string }

const trialOf = (mapping: EventMapping, choice: Choice): MappingTrial => ({
  event_mapping: sendable(mapping),
  ...(choice.kind === 'stored' ? { event: choice.name } : choice.kind === 'pasted' ? { payload: choice.text } : {}),
})

const EventChoice = ({
  destination,
  mapping,
  choice,
  onChoose,
}: {
  destination: Destination
  mapping: EventMapping
  choice: Choice
  onChoose: (choice: Choice) => void
}) => {
  const workspace = useWorkspace()
  const recent = useQuery(workspaceEventsQuery(workspace.name))
  const events = (recent.data ?? []).filter(({ status }) => status !== 'rejected')
  const audiences = useQuery(destinationAudiencesQuery(destination.name)).data ?? []
  return (
    <Select
      aria-label="Preview event"
      value={choice.kind === 'stored' ? choice.name : choice.kind}
      onChange={({ target: { value } }) => {
        if (value === 'latest') onChoose({ kind: 'latest' })
        else if (value === 'pasted') onChoose({ kind: 'pasted', text: sampleEvent(mapping) })
        else onChoose({ kind: 'stored', name: value })
      }}
    >
      <option value="latest">Latest matching event</option>
      <option value="pasted">Custom event (JSON)</option>
      {events.length > 0 && (
        <optgroup label="Recent events">
          {events.map(({ name, title, receive_time }) => (
            <option key={name} value={name}>
              {truncate(title)}, {localTime(receive_time)}
            </option>
          ))}
        </optgroup>
      )}
      {audiences.map(
        ({ name: audience, title: of, recent_events }) =>
          recent_events.length > 0 && (
            <optgroup key={audience} label={`Audience ${truncate(of)}`}>
              {recent_events.map(({ name, title, time }) => (
                <option key={name} value={name}>
                  {title}, {localTime(time)}
                </option>
              ))}
            </optgroup>
          ),
      )}
    </Select>
  )
}

const Result = ({ destination, preview }: { destination: Destination; preview: MappingPreview }) => {
  if (preview.payload === '')
    return (
      <p className="flex items-start gap-2 rounded-lg bg-warning-soft px-3 py-2.5 text-sm text-warning-ink">
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 break-words">
          {preview.event !== null && !preview.fits ? 'Nothing is sent: ' : ''}
          {preview.reason}.
        </span>
      </p>
    )
  return (
    <CodeBlock
      codes={[{ title: `Payload for ${destination.title}`, language: 'json', text: formatJson(preview.payload) }]}
      notice="Payload copied"
      className="max-h-96"
    />
  )
}

/** The event that a mapping was tried with, as it was received. */
const TestedEvent = ({ event }: { event: NonNullable<MappingPreview['event']> }) => (
  <details className="group">
    <summary className="w-fit rounded-sm text-sm text-ink-2 hover:text-ink">
      Event: <span className="font-medium text-ink">{event.title}</span>
      {event.receive_time !== null && (
        <>
          , received <RelativeTime time={event.receive_time} />
        </>
      )}
    </summary>
    <div className="mt-3">
      <CodeBlock
        codes={[{ title: 'As received', language: 'json', text: formatJson(event.payload) }]}
        notice="Event copied"
        className="max-h-96"
      />
    </div>
  </details>
)

/** The result of the edited mapping for a real event, and sending that event as a test. */
export const MappingPreviewPane = ({
  destination,
  mapping,
  onProblems,
}: {
  destination: Destination
  mapping: EventMapping
  /** Receives the errors and notes of single fields for the tested event, and names that were never received. */
  onProblems: (problems: MappingProblems, notes: MappingProblems, warnings: MappingPreview['warnings']) => void
}) => {
  const [choice, setChoice] = useState<Choice>({ kind: 'latest' })
  const [sends, setSends] = useState<MappingTrial | undefined>()
  const trial = useMemo(() => trialOf(mapping, choice), [mapping, choice])
  const { data, error, isPlaceholderData } = useQuery({
    ...mappingPreviewQuery(destination.name, trial),
    placeholderData: keepPreviousData,
  })
  const problems = data?.problems
  const warnings = data?.warnings
  useEffect(() => {
    const messagesOf = (wanted: 'error' | 'note'): MappingProblems =>
      Object.fromEntries(
        (problems ?? []).flatMap(({ field, message, severity }) => (severity === wanted ? [[field, message]] : [])),
      )
    onProblems(messagesOf('error'), messagesOf('note'), warnings ?? [])
  }, [problems, warnings, onProblems])
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="mr-auto text-base font-semibold">Preview</h3>
        <Button disabled={data === undefined || data.payload === ''} onClick={() => setSends(trial)}>
          <Send aria-hidden />
          Send test event
        </Button>
      </div>
      <EventChoice destination={destination} mapping={mapping} choice={choice} onChoose={setChoice} />
      {choice.kind === 'pasted' && (
        <CodeEditor
          language="json"
          label="Event as JSON"
          value={choice.text}
          onChange={(text) => setChoice({ kind: 'pasted', text })}
          invalid={error !== null}
          className="h-52"
        />
      )}
      <div aria-live="polite" aria-busy={isPlaceholderData} className="space-y-4">
        {error !== null ? (
          <Alert className="flex items-start gap-2 text-sm">
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span className="min-w-0 break-words">{error.message}</span>
          </Alert>
        ) : data === undefined ? (
          <Skeleton className="h-48 w-full" />
        ) : (
          <>
            <Result destination={destination} preview={data} />
            {choice.kind !== 'pasted' && data.event !== null && <TestedEvent event={data.event} />}
          </>
        )}
      </div>
      {sends !== undefined && (
        <SendTestDialog destination={destination} trial={sends} onClosed={() => setSends(undefined)} />
      )}
    </div>
  )
}
