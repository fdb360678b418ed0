import { type Model, type SyncMode, syncModes } from '@tributary/contract'
import { Plus } from 'lucide-react'
import { ChoosePeopleList } from '../../../components/people-lists/choose-people-list.tsx'
import { ReviewFact as Fact } from '../../../components/step-form.tsx'
import { count, pluralise } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { ButtonLink } from '../../../ui/button.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { SearchSelect } from '../../../ui/forms/search-select.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { CursorChoice, useTakesCursor } from '../cursor-choice.tsx'
import { DryRun } from '../dry-run/dry-run.tsx'
import { MappingFields } from '../mapping-fields.tsx'
import { ModeChoice } from '../mode-choice.tsx'
import { OwnObject } from '../own-object.tsx'
import { manual } from '../schedule.ts'
import { ScheduleChoice } from '../schedule-choice.tsx'
import { eventFieldsText, eventModeSentences, modeSentences, syncScheduleTitle } from '../sync-words.ts'
import { TestRow } from '../test-row/test-row.tsx'
import { ToDestinations } from '../to-destinations.tsx'
import { useObjectDetail } from '../use-object-detail.ts'
import {
  dryRunInputOf,
  eventOf,
  ownsObjectOf,
  type StepProblem,
  type SyncDraft,
  titleOf,
  withDestination,
  withModel,
  withObject,
} from './draft.ts'
import type { RowDestination } from './use-row-destinations.ts'

type StepProps = { draft: SyncDraft; problem: StepProblem | undefined; onChange: (draft: SyncDraft) => void }

/** The step for choosing the model whose rows are sent. */
export const ModelStep = ({ draft, problem, onChange, models }: StepProps & { models: readonly Model[] }) => {
  const workspace = useWorkspace().name
  const add = (
    <ButtonLink to={paths.dataSources(workspace)}>
      <Plus aria-hidden />
      New model
    </ButtonLink>
  )
  if (models.length === 0)
    return (
      <EmptyState title="Create a model first" action={add}>
        A model is a table or a query of a data source. Open a data source to create one.
      </EmptyState>
    )
  return (
    <div className="space-y-4">
      <Field label="Model" required error={problem?.message}>
        {(control) => (
          <SearchSelect
            label="Model"
            control={control}
            placeholder="Choose a model"
            options={models.map(({ name, title, data_source }) => ({ value: name, title, note: data_source.title }))}
            value={draft.model?.name ?? ''}
            onChange={(name) => {
              const model = models.find((each) => each.name === name)
              if (model !== undefined) onChange(withModel(draft, model))
            }}
          />
        )}
      </Field>
      {draft.model !== undefined && (
        <p className="text-sm break-words text-ink-2">
          {draft.model.data_source.title} · {count(draft.model.columns.length)}{' '}
          {pluralise(draft.model.columns.length, 'column')} · primary key{' '}
          <span className="font-mono text-xs">{draft.model.primary_key.join(', ')}</span>
        </p>
      )}
      {add}
    </div>
  )
}

/** The input for the name of the object, or of the events that rows become. */
const ObjectName = ({ draft, problem, onChange }: StepProps) => {
  const event = eventOf(draft)
  return (
    <Field
      label={event === undefined ? `${draft.object?.title} name` : 'Event name'}
      required
      hint={event === undefined ? draft.object?.description : 'A column that is mapped to event comes first.'}
      error={problem?.message}
    >
      {(control) => (
        <Input
          {...control}
          value={draft.objectName}
          maxLength={300}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => onChange({ ...draft, objectName: target.value })}
        />
      )}
    </Field>
  )
}

/** The step for choosing the destination of the rows, and the object there. */
export const DestinationStep = ({
  draft,
  problem,
  onChange,
  destinations,
}: StepProps & { destinations: readonly RowDestination[] }) => {
  const workspace = useWorkspace().name
  const add = (
    <ButtonLink to={paths.catalogDestinations(workspace)}>
      <Plus aria-hidden />
      Add destination
    </ButtonLink>
  )
  if (destinations.length === 0)
    return (
      <EmptyState title="Add a destination first" action={add}>
        None of your destinations takes rows. Add one that does, such as PostgreSQL or Webhook.
      </EmptyState>
    )
  const objects = destinations.find(({ destination }) => destination.name === draft.destination?.name)?.objects ?? []
  const message = problem?.message
  return (
    <div className="space-y-5">
      <Field label="Destination" required error={draft.destination === undefined ? message : undefined}>
        {(control) => (
          <SearchSelect
            label="Destination"
            control={control}
            placeholder="Choose a destination"
            options={destinations.map(({ destination: { name, title }, note, icon }) => ({
              value: name,
              title,
              note,
              icon,
            }))}
            value={draft.destination?.name ?? ''}
            onChange={(name) => {
              const found = destinations.find(({ destination }) => destination.name === name)
              if (found !== undefined) onChange(withDestination(draft, found.destination, found.objects))
            }}
          />
        )}
      </Field>
      {objects.length > 1 && (
        <Field label="Object" required error={draft.object === undefined ? message : undefined}>
          {(control) => (
            <SearchSelect
              label="Object"
              control={control}
              placeholder="Choose an object"
              options={objects.map(({ name, title, description }) => ({ value: name, title, note: description }))}
              value={draft.object?.name ?? ''}
              onChange={(name) =>
                onChange(
                  withObject(
                    draft,
                    objects.find((each) => each.name === name),
                  ),
                )
              }
            />
          )}
        </Field>
      )}
      {draft.object?.named === true && <ObjectName draft={draft} problem={problem} onChange={onChange} />}
      {draft.object?.named === true && draft.destination !== undefined && eventOf(draft) === undefined && (
        <div className="empty:hidden">
          <ChoosePeopleList
            key={draft.destination.name}
            destination={draft.destination.name}
            name={draft.objectName}
            onChoose={(objectName) => onChange({ ...draft, objectName })}
          />
        </div>
      )}
      {add}
    </div>
  )
}

/** The step for choosing the sync mode, and the rows that a run reads. */
export const ModeStep = ({ draft, onChange }: StepProps) => {
  const { model } = draft
  const takesCursor = useTakesCursor(model)
  return (
    <div className="space-y-5">
      <ModeChoice
        modes={draft.object?.sync_modes ?? []}
        value={draft.mode}
        ofEvents={eventOf(draft) !== undefined}
        ofFull={
          draft.object?.listable === true && (
            <OwnObject
              object={`the ${draft.object.title.toLowerCase()} ${draft.objectName}`.trim()}
              checked={draft.ownsObject}
              onChange={(ownsObject) => onChange({ ...draft, ownsObject })}
            />
          )
        }
        onChange={(mode) => onChange({ ...draft, mode })}
      />
      {takesCursor && model !== undefined && (
        <CursorChoice
          model={model}
          mode={draft.mode}
          value={draft.cursor}
          onChange={(cursor) => onChange({ ...draft, cursor })}
        />
      )}
    </div>
  )
}

/** The step for mapping columns to fields. */
export const MappingStep = ({ draft, problem, onChange }: StepProps) => {
  const event = eventOf(draft)
  const detail = useObjectDetail({
    destination: draft.destination?.name ?? '',
    object: draft.object?.name ?? '',
    objectName: draft.objectName,
  })
  return (
    <div className="space-y-3">
      <p className="text-sm text-ink-2">
        {event === undefined
          ? "Each column goes to the field beside it. The identifier tells rows apart at the destination. It can't be changed later."
          : eventFieldsText(event)}
      </p>
      <MappingFields
        rows={draft.rows}
        identifier={event === undefined ? draft.identifier : -1}
        locked={event !== undefined}
        disabled={false}
        problems={problem?.mapping}
        known={detail?.fields ?? []}
        onChange={(rows) => onChange({ ...draft, rows })}
        onIdentifier={(identifier) => onChange({ ...draft, identifier })}
      />
    </div>
  )
}

/** The step for choosing when the sync runs. */
export const ScheduleStep = ({ draft, problem, onChange }: StepProps) => (
  <div className="space-y-2">
    <ScheduleChoice
      value={draft.schedule}
      problem={problem?.message}
      onChange={(schedule) => onChange({ ...draft, schedule })}
    />
    <p className="text-sm text-ink-2">
      {JSON.stringify(draft.schedule) === JSON.stringify(manual)
        ? 'The sync runs only when someone runs it.'
        : 'The sync runs automatically. Runs never overlap, and a missed run is made up for once.'}
    </p>
  </div>
)

const ModeText = ({ draft, mode }: { draft: SyncDraft; mode: SyncMode }) => (
  <>
    {syncModes[mode].title}
    <span className="block text-ink-2">
      {(eventOf(draft) === undefined ? modeSentences : eventModeSentences)[mode]}
    </span>
    {ownsObjectOf(draft) && (
      <span className="block text-danger-ink">
        This sync owns the {draft.object?.title.toLowerCase()}: rows that it did not send are removed, too.
      </span>
    )}
  </>
)

/** The step that shows all choices before the sync is created. */
export const ReviewStep = ({ draft, problem, onChange }: StepProps) => {
  const { model, destination, object, objectName, mode, rows, identifier, schedule } = draft
  const fields = rows.filter(({ included }) => included).length
  const event = eventOf(draft)
  const workspace = useWorkspace().name
  const input = dryRunInputOf(draft)
  return (
    <div className="space-y-4">
      <Field label="Title" required error={problem?.message}>
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
        <Fact title="Model">{model?.title}</Fact>
        <Fact title={event === undefined ? 'Destination' : 'Source'}>
          {destination?.title} · {object?.title}{' '}
          {object?.named === true && <span className="font-mono text-xs">{objectName}</span>}
        </Fact>
        <Fact title="Mode">{mode !== undefined && <ModeText draft={draft} mode={mode} />}</Fact>
        {input?.cursor !== undefined && input.cursor !== null && (
          <Fact title="Rows to read">
            New and changed rows by <span className="font-mono text-xs">{input.cursor.column}</span>
          </Fact>
        )}
        <Fact title="Mapping">
          {count(fields)} {pluralise(fields, 'field')}
          {event === undefined && (
            <>
              , identified by <span className="font-mono text-xs">{rows[identifier]?.target}</span>
            </>
          )}
        </Fact>
        <Fact title="Schedule">{syncScheduleTitle(schedule)}</Fact>
      </dl>
      {event !== undefined && (
        <ToDestinations
          checked={draft.toDestinations}
          onChange={(toDestinations) => onChange({ ...draft, toDestinations })}
        />
      )}
      {input !== undefined && (
        <div className="border-b border-line pb-4">
          <DryRun of={{ workspace, input }} ofEvents={event !== undefined} />
        </div>
      )}
      {input !== undefined && model !== undefined && destination !== undefined && (
        <div className="border-b border-line pb-4">
          <TestRow
            of={input}
            primaryKey={model.primary_key}
            destination={destination.title}
            ofEvents={event !== undefined}
          />
        </div>
      )}
      <p className="text-sm text-ink-2">
        Nothing is sent until the first run. A run that would change or remove more than 20% of the rows waits for
        approval.
      </p>
    </div>
  )
}
