import { useQuery } from '@tanstack/react-query'
import {
  type ComputedTraitDefinition,
  computedOperations,
  computedTraitLimits,
  computedWindows,
  type SelectedAttribute,
} from '@tributary/contract'
import { Plus } from 'lucide-react'
import { useId, useState } from 'react'
import { AttributeRow } from '../../../components/attribute-row.tsx'
import { WarningsAt, WarningsOf } from '../../../components/name-warnings.tsx'
import { suggestionsQuery } from '../../../lib/queries/audience-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { Field, FieldError } from '../../../ui/forms/field.tsx'
import { Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { SuggestInput } from '../../../ui/forms/suggest-input.tsx'
import { type DefinitionErrors, withCondition } from './builder-draft.ts'
import { operationHint, operationTitles, windowTitle } from './computed-words.ts'

type Part = {
  draft: ComputedTraitDefinition
  errors: DefinitionErrors | undefined
  onChange: (draft: ComputedTraitDefinition) => void
}

const EventField = ({ draft, errors, onChange }: Part) => {
  const workspace = useWorkspace().name
  const [asked, setAsked] = useState(false)
  const events = useQuery({ ...suggestionsQuery(workspace, { kind: 'event' }), enabled: asked }).data ?? []
  return (
    <div className="space-y-1.5">
      <Field
        label="Event"
        required
        error={errors?.fields.event}
        hint="The name of a track event, or the type of a call, such as page."
      >
        {(control) => (
          <SuggestInput
            {...control}
            placeholder="Order Completed"
            value={draft.event}
            suggestions={events.map(({ text }) => ({ value: text }))}
            onFocus={() => setAsked(true)}
            onChange={(event) => onChange({ ...draft, event })}
          />
        )}
      </Field>
      <WarningsAt field="event" />
    </div>
  )
}

const PropertyField = ({ draft, errors, onChange }: Part) => {
  const workspace = useWorkspace().name
  const [asked, setAsked] = useState(false)
  const properties = useQuery({
    ...suggestionsQuery(workspace, { kind: 'property', event: draft.event }),
    enabled: asked && draft.event !== '',
  }).data
  return (
    <div className="space-y-1.5">
      <Field
        label="Property"
        required
        error={errors?.fields.property}
        hint={
          draft.operation === 'sum' || draft.operation === 'average'
            ? 'Values that are no number do not count.'
            : 'Events without the property do not count.'
        }
      >
        {(control) => (
          <SuggestInput
            mono
            {...control}
            placeholder="total"
            value={draft.property}
            suggestions={(properties ?? []).map(({ text }) => ({ value: text }))}
            onFocus={() => setAsked(true)}
            onChange={(property) => onChange({ ...draft, property })}
          />
        )}
      </Field>
      <WarningsAt field="property" />
    </div>
  )
}

const Conditions = ({ draft, errors, onChange }: Part) => {
  const errorId = useId()
  const change = (id: string, part: Partial<SelectedAttribute>): void =>
    onChange({ ...draft, conditions: draft.conditions.map((each) => (each.id === id ? { ...each, ...part } : each)) })
  return (
    <fieldset className="space-y-2">
      <legend className="text-sm font-medium">Conditions</legend>
      <p className="text-xs text-ink-3">Only events that meet all of them count.</p>
      {draft.conditions.length > 0 && (
        <ul className="space-y-2 sm:space-y-4">
          {draft.conditions.map((attribute) => (
            <AttributeRow
              key={attribute.id}
              noun="property"
              event={draft.event}
              attribute={attribute}
              errors={errors?.conditions.get(attribute.id)}
              onChange={(part) => change(attribute.id, part)}
              onRemove={() =>
                onChange({ ...draft, conditions: draft.conditions.filter(({ id }) => id !== attribute.id) })
              }
            />
          ))}
        </ul>
      )}
      <WarningsOf ids={draft.conditions.map(({ id }) => id)} />
      <FieldError id={errorId} message={errors?.fields.conditions} live />
      <Button
        size="sm"
        disabled={draft.conditions.length >= computedTraitLimits.conditions}
        onClick={() => onChange(withCondition(draft))}
      >
        <Plus aria-hidden />
        Add condition
      </Button>
    </fieldset>
  )
}

/** The fields of a definition: event, operation, property, window, and conditions. */
export const DefinitionFields = (part: Part) => {
  const { draft, onChange } = part
  return (
    <>
      <EventField {...part} />
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Operation" required hint={operationHint(draft.operation)}>
          {(control) => (
            <Select
              {...control}
              value={draft.operation}
              onChange={({ target }) => {
                const operation = computedOperations.find((each) => each === target.value)
                if (operation !== undefined)
                  onChange({ ...draft, operation, property: operation === 'count' ? '' : draft.property })
              }}
            >
              <Options of={computedOperations} title={(operation) => operationTitles[operation]} />
            </Select>
          )}
        </Field>
        {draft.operation !== 'count' && <PropertyField {...part} />}
      </div>
      <Field
        label="Window"
        required
        hint="A window moves on with time: an event that leaves it stops counting within a minute."
      >
        {(control) => (
          <Select
            {...control}
            className="sm:w-60"
            value={String(draft.window_days ?? '')}
            onChange={({ target }) =>
              onChange({
                ...draft,
                window_days: computedWindows.find((days) => String(days) === target.value) ?? null,
              })
            }
          >
            <Options of={computedWindows} title={windowTitle} />
            <option value="">{windowTitle(null)}</option>
          </Select>
        )}
      </Field>
      <Conditions {...part} />
    </>
  )
}
