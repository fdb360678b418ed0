import { useQuery } from '@tanstack/react-query'
import {
  type Destination,
  type DestinationAction,
  type DestinationMappings,
  type EventMapping,
  eventTypes,
  type MappingPreview,
} from '@tributary/contract'
import { type ReactNode, useCallback, useEffect, useId, useMemo, useState } from 'react'
import { ConditionBuilder } from '../../../components/condition-builder.tsx'
import { FieldTable } from '../../../components/mapping/field-table.tsx'
import { type ChangeMapping, conditionFields, type MappingProblems } from '../../../components/mapping/mapping-draft.ts'
import { NameWarnings, WarningsAt } from '../../../components/name-warnings.tsx'
import { type EventField, withCommonFields } from '../../../lib/events/event-fields.ts'
import { useFlag } from '../../../lib/integrations/flags.ts'
import { audiencesQuery } from '../../../lib/queries/audience-queries.ts'
import { mappingSuggestionsQuery } from '../../../lib/queries/mapping-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { cn } from '../../../ui/cn.ts'
import { preloadCodeEditor } from '../../../ui/code/code-editor.tsx'
import { Field, FieldError } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { SuggestInput } from '../../../ui/forms/suggest-input.tsx'
import { SlideOver } from '../../../ui/overlays/slide-over.tsx'
import { useOpened } from '../../../ui/overlays/use-opened.ts'
import { MappingPreviewPane } from './mapping-preview.tsx'
import { mappingTitle } from './mapping-words.ts'

const Part = ({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) => (
  <section aria-label={title} className="space-y-3">
    <div>
      <h3 className="text-base font-semibold">{title}</h3>
      {note !== undefined && <p className="mt-0.5 text-sm text-ink-2">{note}</p>}
    </div>
    {children}
  </section>
)

const ActionChoice = ({
  mapping,
  actions,
  problem,
  onChange,
}: {
  mapping: EventMapping
  actions: readonly DestinationAction[]
  problem: string | undefined
  onChange: ChangeMapping | undefined
}) => {
  const id = useId()
  const chosen = actions.find(({ name }) => name === mapping.destination)
  return (
    <Part title="Action" {...(chosen === undefined ? {} : { note: chosen.description })}>
      {(actions.length > 1 || chosen === undefined) && (
        <Select
          aria-label="Action"
          aria-describedby={id}
          className="max-w-sm"
          value={mapping.destination}
          disabled={onChange === undefined}
          onChange={(event) =>
            onChange?.((before) => ({ ...before, destination: event.target.value }), `action ${mapping.id}`)
          }
        >
          {chosen === undefined && <option value={mapping.destination}>{mapping.destination}</option>}
          {actions.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </Select>
      )}
      <FieldError id={id} message={problem} live />
    </Part>
  )
}

const Which = ({
  mapping,
  events,
  fields,
  problems,
  onChange,
}: {
  mapping: EventMapping
  events: readonly { event_name: string; event_type: string }[]
  fields: readonly EventField[]
  problems: MappingProblems
  onChange: ChangeMapping | undefined
}) => {
  const readOnly = onChange === undefined
  const audiences = useQuery({ ...audiencesQuery(useWorkspace().name), enabled: useFlag('audiences') }).data
  const compared = useMemo(() => conditionFields(fields, audiences), [fields, audiences])
  const names = useMemo(() => {
    const byName = Map.groupBy(
      events.filter(({ event_name }) => event_name !== ''),
      ({ event_name }) => event_name,
    )
    return [...byName].map(([value, group]) => ({ value, note: group.map(({ event_type }) => event_type).join(', ') }))
  }, [events])
  return (
    <Part title="Trigger">
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_12rem]">
        <div className="space-y-1.5">
          <Field label="Event name" hint="Leave empty to match any name.">
            {(control) => (
              <SuggestInput
                {...control}
                placeholder="Any event"
                value={mapping.event_name}
                disabled={readOnly}
                suggestions={names}
                onChange={(event_name) =>
                  onChange?.((before) => ({ ...before, event_name }), `event_name ${mapping.id}`)
                }
              />
            )}
          </Field>
          <WarningsAt field="event_name" />
        </div>
        <Field label="Type">
          {(control) => (
            <Select
              {...control}
              value={mapping.event_type}
              disabled={readOnly}
              onChange={(event) => {
                const event_type = eventTypes.find((type) => type === event.target.value) ?? ''
                onChange?.((before) => ({ ...before, event_type }))
              }}
            >
              <option value="">Any type</option>
              <Options of={eventTypes} />
            </Select>
          )}
        </Field>
      </div>
      <ConditionBuilder
        label="Conditions"
        fields={compared}
        value={{ match: mapping.filter_match, conditions: mapping.filters }}
        problems={problems}
        disabled={readOnly}
        emptyText="No conditions. All of these events match."
        onChange={({ match, conditions }) =>
          onChange?.(
            (before) => ({ ...before, filter_match: match, filters: conditions }),
            conditions.length === mapping.filters.length ? `filters ${mapping.id}` : undefined,
          )
        }
      />
    </Part>
  )
}

/** The buttons below the editor of a mapping; readers can only close it. */
const EditorButtons = ({
  mayChange,
  canSave,
  saving,
  onSave,
  onClose,
}: {
  mayChange: boolean
  canSave: boolean
  saving: boolean
  /** Resolves to false if the change was rejected. */
  onSave: () => Promise<boolean>
  onClose: () => void
}) =>
  mayChange ? (
    <>
      <Button onClick={onClose}>Done</Button>
      <Button
        variant="primary"
        disabled={!canSave}
        loading={saving}
        onClick={() =>
          void onSave().then((done) => {
            if (done) onClose()
          })
        }
      >
        Save mappings
      </Button>
    </>
  ) : (
    <Button onClick={onClose}>Close</Button>
  )

const noFields: readonly EventField[] = []
const noEvents: readonly { event_name: string; event_type: string }[] = []

type Props = {
  destination: Destination
  mapping: EventMapping
  actions: readonly DestinationAction[]
  variables: DestinationMappings['variables']
  /** The problems that prevent saving, shown after the first attempt. */
  problems: MappingProblems
  /** False for readers, who cannot test a mapping either. */
  mayEdit: boolean
  canSave: boolean
  saving: boolean
  /** Undefined if the mapping cannot be changed. */
  onChange: ChangeMapping | undefined
  /** Saves all mappings; resolves to false if they were rejected. */
  onSave: () => Promise<boolean>
  onClosed: () => void
}

type Findings = { problems: MappingProblems; notes: MappingProblems; warnings: MappingPreview['warnings'] }

/** Stores the findings of the preview by the ID of the field: problems, and notes that do not prevent saving. */
const useFindings = () => {
  const [findings, setFindings] = useState<Findings>({ problems: {}, notes: {}, warnings: [] })
  const show = useCallback(
    (problems: MappingProblems, notes: MappingProblems, warnings: MappingPreview['warnings']) =>
      setFindings({ problems, notes, warnings }),
    [],
  )
  return { ...findings, show }
}

/** The events, fields and proposed sources for a mapping, from received events. */
const useSuggestions = (
  destination: string,
  { destination: action, event_name, event_type }: EventMapping,
  on: boolean,
) => {
  const { data } = useQuery({
    ...mappingSuggestionsQuery(destination, { destination: action, event_name: event_name.trim(), event_type }),
    enabled: on,
    placeholderData: (before) => before,
  })
  const known = data?.fields ?? noFields
  const fields = useMemo(() => withCommonFields(known), [known])
  return { events: data?.events ?? noEvents, fields, proposed: data?.field_mappings }
}

/**
 * The editor of one event mapping: its trigger, its action and its payload, with the result for a real event beside it.
 * Its changes join the other unsaved changes of the mappings.
 */
export const MappingEditor = ({
  destination,
  mapping,
  actions,
  variables,
  problems,
  mayEdit,
  canSave,
  saving,
  onChange,
  onSave,
  onClosed,
}: Props) => {
  const { close, dialog } = useOpened(onClosed)
  useEffect(preloadCodeEditor, [])
  const found = useFindings()
  const action = actions.find(({ name }) => name === mapping.destination)
  const triable = action !== undefined && mayEdit
  const { events, fields, proposed } = useSuggestions(destination.name, mapping, action !== undefined)
  return (
    <SlideOver
      size="full"
      {...dialog}
      title={
        <span className="flex flex-wrap items-baseline gap-x-2">
          {mappingTitle(mapping)}
          <span className="text-sm font-normal text-ink-3">
            to {destination.title}
            {action === undefined ? '' : ` · ${action.title}`}
          </span>
        </span>
      }
      footer={
        <EditorButtons
          mayChange={onChange !== undefined}
          canSave={canSave}
          saving={saving}
          onSave={onSave}
          onClose={close}
        />
      }
    >
      <div
        className={cn(
          'grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-8',
          triable ? 'lg:grid-cols-[minmax(0,3fr)_minmax(22rem,2fr)]' : 'mx-auto max-w-4xl',
        )}
      >
        <div className="min-w-0 space-y-8">
          <NameWarnings value={found.warnings}>
            <Which mapping={mapping} events={events} fields={fields} problems={problems} onChange={onChange} />
            <ActionChoice mapping={mapping} actions={actions} problem={problems.action} onChange={onChange} />
            {action !== undefined && (
              <Part title="Payload">
                <FieldTable
                  destination={destination}
                  mapping={mapping}
                  action={action}
                  fields={fields}
                  variables={variables}
                  proposed={proposed}
                  problems={{ ...found.problems, ...problems }}
                  notes={found.notes}
                  onChange={onChange}
                />
              </Part>
            )}
          </NameWarnings>
        </div>
        {triable && (
          <aside aria-label="Preview" className="min-w-0 lg:sticky lg:top-0 lg:self-start">
            <MappingPreviewPane destination={destination} mapping={mapping} onProblems={found.show} />
          </aside>
        )}
      </div>
    </SlideOver>
  )
}
