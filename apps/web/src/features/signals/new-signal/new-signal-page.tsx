import { useQuery } from '@tanstack/react-query'
import { conversionTitle, editors, signalPlatformTitles } from '@tributary/contract'
import { type ReactNode, useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { failureText } from '../../../lib/api/errors.ts'
import { filterWords } from '../../../lib/events/condition-words.ts'
import { listed } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { audiencesQuery } from '../../../lib/queries/audience-queries.ts'
import { signalPlatformsQuery } from '../../../lib/queries/signal-queries.ts'
import { allSourcesQuery } from '../../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { RequireAccess } from '../../../parts/require-access.tsx'
import { StepList } from '../../../parts/step-list.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { Switch } from '../../../ui/forms/switch.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import {
  definitionOf,
  emptyDraft,
  firstOpen,
  type Problems,
  problemsOf,
  type SignalDraft,
  type Step,
  steps,
  stepTitles,
  titleOf,
} from '../draft.ts'
import { ConversionFields } from '../fields/conversion-fields.tsx'
import { EventIdFields } from '../fields/event-id-fields.tsx'
import type { FieldsProps } from '../fields/fields-props.ts'
import { PlatformFields } from '../fields/platform-fields.tsx'
import { TriggerFields } from '../fields/trigger-fields.tsx'
import { ValueFields } from '../fields/value-fields.tsx'
import { useCreateSignal } from '../mutations.ts'
import { valueWords } from '../signal-words.ts'
import { Preview } from './preview.tsx'
import { forgetDraft, keepDraft, keptDraft } from './saved-draft.ts'

const headings: Readonly<Record<Step, string>> = {
  trigger: 'What makes a conversion?',
  conversion: 'Which conversion is it?',
  value: 'What is it worth?',
  event_id: 'How is it counted once?',
  platforms: 'Where is it sent?',
  review: 'Review',
}

const fieldsOf: Readonly<Record<Exclude<Step, 'review'>, (props: FieldsProps) => ReactNode>> = {
  trigger: TriggerFields,
  conversion: ConversionFields,
  value: ValueFields,
  event_id: EventIdFields,
  platforms: PlatformFields,
}

const Fact = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="grid gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[8rem_minmax(0,1fr)]">
    <dt className="text-sm text-ink-3">{title}</dt>
    <dd className="text-sm break-words">{children}</dd>
  </div>
)

const useFeed = (draft: SignalDraft): string => {
  const workspace = useWorkspace().name
  const sources = useQuery(allSourcesQuery(workspace)).data ?? []
  const audiences = useQuery({ ...audiencesQuery(workspace), enabled: draft.trigger === 'audience' }).data ?? []
  if (draft.trigger === 'audience')
    return `Entry into ${audiences.find(({ name }) => name === draft.audience)?.title ?? 'an audience'}`
  const events = draft.events.map(({ event_name, event_type }) =>
    event_name === '' ? `any ${event_type} event` : event_name,
  )
  const names = sources.filter(({ name }) => draft.sources.includes(name)).map(({ title }) => title)
  return `${listed(events)} of ${listed(names)}`
}

const Review = ({ draft, problems, onChange }: FieldsProps) => {
  const workspace = useWorkspace().name
  const options = useQuery(signalPlatformsQuery(workspace, draft.conversion)).data ?? []
  const feed = useFeed(draft)
  const definition = definitionOf(draft)
  const { filters, refunds, eventId } = draft
  return (
    <div className="space-y-5">
      <Field label="Title" required error={problems['title']}>
        {(control) => (
          <Input
            {...control}
            value={titleOf(draft)}
            maxLength={100}
            autoComplete="off"
            onChange={({ target }) => onChange({ ...draft, title: target.value })}
          />
        )}
      </Field>
      <dl className="divide-y divide-line border-y border-line">
        <Fact title="Events">
          {feed}
          {draft.trigger === 'events' && filters.conditions.length > 0 && (
            <span className="block text-ink-2">where {filterWords(filters)}</span>
          )}
        </Fact>
        <Fact title="Conversion">{conversionTitle(definition.conversion)}</Fact>
        <Fact title="Value">{valueWords(definition.value)}</Fact>
        <Fact title="Event ID">
          {eventId.type === 'path' ? <span className="font-mono text-xs">{eventId.path}</span> : 'Message ID'}
          {refunds.on && draft.trigger === 'events' && <span className="block text-ink-2">Refunds are sent</span>}
        </Fact>
        <Fact title="Platforms">
          {draft.platforms.map(({ destination, test_event_code }) => {
            const option = options.find((each) => each.destination === destination)
            return (
              <span key={destination} className="block">
                {option?.title ?? 'Deleted destination'}
                {option !== undefined && <span className="text-ink-3"> {signalPlatformTitles[option.platform]}</span>}
                {test_event_code !== '' && <span className="text-ink-3"> · test conversions</span>}
              </span>
            )
          })}
        </Fact>
      </dl>
      <Preview definition={definition} />
    </div>
  )
}

/** The steps, of which each can be gone back to. */
const Wizard = () => {
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const create = useCreateSignal(workspace)
  const [initial] = useState(() => keptDraft(workspace))
  const [draft, setDraft] = useState(initial?.draft ?? emptyDraft)
  const [step, setStep] = useState<Step>(initial?.step ?? 'trigger')
  const [problems, setProblems] = useState<Problems>({})
  const [enabled, setEnabled] = useState(true)
  // Asked again after a failure, the signal is made once.
  const [request_id] = useState(() => crypto.randomUUID())
  useEffect(() => {
    if (draft !== emptyDraft) keepDraft(workspace, draft, step)
  }, [workspace, draft, step])
  const at = steps.indexOf(step)
  const go = (next: Step): void => {
    setProblems({})
    create.reset()
    setStep(next)
    // Whoever went on at the end of a long step begins at the head of the next.
    window.scrollTo(0, 0)
  }
  const change = (next: SignalDraft): void => {
    setDraft(next)
    // Mistakes that are shown follow each change; new ones are shown with the next Continue.
    if (Object.keys(problems).length > 0) setProblems(problemsOf(next, step))
  }
  const goOn = async (): Promise<void> => {
    const found = problemsOf(draft, step)
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const next = steps[at + 1]
    if (next !== undefined) return go(next)
    const open = firstOpen(draft)
    if (open !== undefined) return go(open)
    const body = { ...definitionOf(draft), title: titleOf(draft).trim(), enabled, request_id }
    // The refusal is shown beside the button.
    const made = await create.mutateAsync(body).catch(() => undefined)
    if (made === undefined) return
    forgetDraft()
    await navigate(paths.signal(made.name))
  }
  const Fields = step === 'review' ? Review : fieldsOf[step]
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[11rem_minmax(0,46rem)]">
      <div className="space-y-3">
        <StepList steps={steps} titles={stepTitles} step={step} open={firstOpen(draft)} onChoose={go} />
        {draft !== emptyDraft && (
          <p className="px-2 text-xs text-ink-3">
            <Button
              variant="link"
              size="xs"
              onClick={() => {
                forgetDraft()
                setDraft(emptyDraft)
                go('trigger')
              }}
            >
              Start over
            </Button>
          </p>
        )}
      </div>
      <form
        noValidate
        aria-label="New signal"
        onSubmit={(event) => {
          event.preventDefault()
          void goOn()
        }}
      >
        <Card
          title={headings[step]}
          footer={
            <>
              {create.isError && (
                <p role="alert" className="mr-auto min-w-0 text-xs break-words text-danger-ink">
                  {failureText(create.error)}
                </p>
              )}
              {step === 'review' && (
                <span className="mr-auto flex items-center gap-2 text-sm">
                  <Switch label="Enable the signal" checked={enabled} onChange={setEnabled} />
                  <span aria-hidden>Enable it now</span>
                </span>
              )}
              {at > 0 && <Button onClick={() => go(steps[at - 1] ?? step)}>Back</Button>}
              <Button type="submit" variant="primary" loading={create.isPending}>
                {step === 'review' ? 'Create signal' : 'Continue'}
              </Button>
            </>
          }
        >
          <Fields draft={draft} problems={problems} disabled={false} onChange={change} />
        </Card>
      </form>
    </div>
  )
}

/** The steps to a new signal: events, conversion, value, event ID, platforms, and a preview before anything is sent. */
export const NewSignalPage = () => (
  <RequireAccess allowed={editors} skeleton={<CardSkeleton lines={6} />}>
    <PageHeader
      title="New signal"
      documentTitle="New signal"
      description="Send conversions to advertising platforms from the server."
      crumbs={[{ label: 'Signals', to: paths.signals(useWorkspace().name) }]}
    />
    <Wizard />
  </RequireAccess>
)
