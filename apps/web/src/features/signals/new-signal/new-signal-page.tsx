import { useQuery } from '@tanstack/react-query'
import { conversionTitle, editors, methods, signalPlatformTitles } from '@tributary/contract'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { NameWarnings } from '../../../components/name-warnings.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { RequireAccess } from '../../../components/require-access.tsx'
import { ReviewFact as Fact, StepForm } from '../../../components/step-form.tsx'
import { useStepDraft } from '../../../components/use-draft-autosave.ts'
import { filterWords } from '../../../lib/events/condition-words.ts'
import { workspaceIds } from '../../../lib/format/names.ts'
import { listed } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { audiencesQuery } from '../../../lib/queries/audience-queries.ts'
import { query } from '../../../lib/queries/query.ts'
import { signalPlatformsQuery } from '../../../lib/queries/signal-queries.ts'
import { allSourcesQuery } from '../../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
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
import { useCreateSignal, useDiscardDraft, useSaveDraft } from '../mutations.ts'
import { valueWords } from '../signal-words.ts'
import { useNameWarnings } from '../use-name-warnings.ts'
import { Preview } from './preview.tsx'
import { restored, savedOf } from './saved-draft.ts'

/** Reads the draft of a signal that the user has saved in a workspace, as it was when the page was opened. */
const signalDraftQuery = (workspace: string) =>
  query(
    methods.signalDrafts.get,
    { params: workspaceIds(workspace) },
    { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 },
  )

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

/** The form of a new signal in steps. Earlier steps can be opened again. */
const Wizard = ({ initial }: { initial: { draft: SignalDraft; step: Step } }) => {
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const create = useCreateSignal(workspace)
  const [problems, setProblems] = useState<Problems>({})
  const [enabled, setEnabled] = useState(true)
  // With this ID, a call that is repeated after a failure creates the signal only once.
  const [request_id] = useState(() => crypto.randomUUID())
  const { mutate: save } = useSaveDraft(workspace)
  const { mutate: forget } = useDiscardDraft(workspace)
  const { draft, setDraft, step, go, discard, started } = useStepDraft(
    initial,
    'trigger',
    { empty: emptyDraft, savedOf, save, discard: forget },
    () => {
      setProblems({})
      create.reset()
      // Shows the top of the next step.
      window.scrollTo(0, 0)
    },
  )
  const warnings = useNameWarnings(draft)
  const change = (next: SignalDraft): void => {
    setDraft(next)
    // After each change, errors that are already shown are updated. New errors are shown on the next Continue.
    if (Object.keys(problems).length > 0) setProblems(problemsOf(next, step))
  }
  const goOn = async (): Promise<void> => {
    const found = problemsOf(draft, step)
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const next = steps[steps.indexOf(step) + 1]
    if (next !== undefined) return go(next)
    const open = firstOpen(draft)
    if (open !== undefined) return go(open)
    const body = { ...definitionOf(draft), title: titleOf(draft).trim(), enabled, request_id }
    // The error of a rejection is shown beside the button.
    const made = await create.mutateAsync(body).catch(() => undefined)
    if (made === undefined) return
    discard()
    await navigate(paths.signal(made.name))
  }
  const Fields = step === 'review' ? Review : fieldsOf[step]
  return (
    <StepForm
      label="New signal"
      heading={headings[step]}
      steps={steps}
      titles={stepTitles}
      step={step}
      open={firstOpen(draft)}
      onChoose={go}
      draft={started}
      error={create.error}
      besides={
        step === 'review' && (
          <span className="mr-auto flex items-center gap-2 text-sm">
            <Switch label="Enable the signal" checked={enabled} onChange={setEnabled} />
            <span aria-hidden>Enable it now</span>
          </span>
        )
      }
      submit="Create signal"
      pending={create.isPending}
      onSubmit={goOn}
    >
      <NameWarnings value={warnings}>
        <Fields draft={draft} problems={problems} disabled={false} onChange={change} />
      </NameWarnings>
    </StepForm>
  )
}

const skeleton = <CardSkeleton lines={6} />

const Loaded = () => {
  const saved = useQuery(signalDraftQuery(useWorkspace().name))
  return (
    <QueryView query={saved} skeleton={skeleton} errorTitle="Failed to load your draft">
      {(draft) => <Wizard initial={restored(draft)} />}
    </QueryView>
  )
}

/** The steps to a new signal: events, conversion, value, event ID, platforms, and a preview before anything is sent. */
export const NewSignalPage = () => (
  <RequireAccess allowed={editors} skeleton={skeleton}>
    <PageHeader
      title="New signal"
      description="Send conversions to advertising platforms from the server."
      crumbs={[{ label: 'Signals', to: paths.signals(useWorkspace().name) }]}
    />
    <Loaded />
  </RequireAccess>
)
