import type { DestinationAction, DestinationMappings, EventMapping, FieldMapping } from '@tributary/contract'
import { ArrowRight, Plus, Sparkles } from 'lucide-react'
import { useRef, useState } from 'react'
import type { EventField } from '../../lib/events/event-fields.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlays/menu.tsx'
import { FieldLine } from './field-line.tsx'
import {
  type ChangeMapping,
  customTarget,
  type FieldRow,
  fieldRows,
  freeTargets,
  isEmptySource,
  type MappedDestination,
  type MappingProblems,
  newField,
} from './mapping-draft.ts'

const AddField = ({
  mapping,
  action,
  onAdd,
}: {
  mapping: EventMapping
  action: DestinationAction
  onAdd: (field: FieldMapping) => void
}) => {
  const free = freeTargets(mapping, action)
  const custom = (): void => onAdd(newField(customTarget(''), mapping.field_mappings))
  const label = (
    <>
      <Plus aria-hidden />
      Add field
    </>
  )
  if (free.length === 0) return action.custom_targets ? <Button onClick={custom}>{label}</Button> : null
  return (
    <Menu trigger={<Button>{label}</Button>}>
      {free.map((target) => (
        <MenuItem key={target.name} onSelect={() => onAdd(newField(target, mapping.field_mappings))}>
          <span className="min-w-0">
            <span className="block">{target.display_name}</span>
            <span className="block font-mono text-xs text-ink-3">{target.name}</span>
          </span>
        </MenuItem>
      ))}
      {action.custom_targets && (
        <>
          <MenuSeparator />
          <MenuItem icon={<Plus />} onSelect={custom}>
            Custom field
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

/** Adds the proposed sources to the mapping for targets that have no source. Existing sources stay. */
const withProposals = (mapping: EventMapping, proposed: readonly FieldMapping[]): EventMapping => {
  const filled = mapping.field_mappings.filter(({ source }) => !isEmptySource(source))
  const taken = new Set(filled.map(({ target }) => target.name))
  const added: FieldMapping[] = []
  for (const { source, target, enabled } of proposed)
    if (!taken.has(target.name)) added.push({ ...newField(target, [...filled, ...added], source), enabled })
  return { ...mapping, field_mappings: [...filled, ...added] }
}

const contents = [
  { whole: true, title: 'The whole event', text: 'The full event, as received.' },
  { whole: false, title: 'Selected fields', text: 'An object with the fields below.' },
] as const

const ContentChoice = ({
  whole,
  disabled,
  onWhole,
}: {
  whole: boolean
  disabled: boolean
  onWhole: (whole: boolean) => void
}) => (
  <fieldset className="grid min-w-0 gap-2 sm:grid-cols-2" disabled={disabled}>
    <legend className="sr-only">Content</legend>
    {contents.map((each) => (
      <label
        key={each.title}
        className="flex cursor-pointer items-start gap-2.5 rounded-lg border border-line bg-surface px-3 py-2.5 text-sm has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent/35"
      >
        <input
          type="radio"
          name="content"
          className="mt-0.5 accent-accent"
          checked={whole === each.whole}
          onChange={() => onWhole(each.whole)}
        />
        <span className="font-medium">
          {each.title}
          <span className="block text-xs font-normal text-ink-2">{each.text}</span>
        </span>
      </label>
    ))}
  </fieldset>
)

const SuggestButton = ({
  proposed,
  onSuggest,
}: {
  proposed: readonly FieldMapping[] | undefined
  onSuggest: () => void
}) => (
  <Button
    disabled={proposed === undefined || proposed.length === 0}
    title={proposed?.length === 0 ? 'No suggestions yet. Connect a source and send an event' : undefined}
    onClick={onSuggest}
  >
    <Sparkles aria-hidden />
    Suggest
  </Button>
)

const noFields = (
  <div className="rounded-lg border border-dashed border-line-strong px-4 py-6 text-center text-sm text-ink-2">
    <p>No fields yet. Suggest fields from your events, or add them one by one.</p>
  </div>
)

const Head = ({ to }: { to: string }) => (
  <div
    aria-hidden
    className="grid grid-cols-[2.25rem_minmax(0,6fr)_1rem_minmax(0,5fr)_4rem] items-center gap-x-3 border-b border-line bg-canvas px-3 py-1.5 text-xs font-medium text-ink-3 max-sm:hidden"
  >
    <span />
    <span>Event field</span>
    <ArrowRight className="size-3.5" />
    <span>To {to}</span>
  </div>
)

/**
 * Returns the mapping after an edit of the field of a row. The row may not have a field yet; an edit to undefined
 * removes the field.
 */
const withField = (
  mapping: EventMapping,
  { field, target }: FieldRow,
  edit: (field: FieldMapping) => FieldMapping | undefined,
): EventMapping => {
  const fields = mapping.field_mappings
  const current = fields.find(({ id }) => id === field?.id) ?? newField(target, fields)
  return {
    ...mapping,
    field_mappings: (fields.includes(current) ? fields : [...fields, current]).flatMap((each) =>
      each === current ? (edit(each) ?? []) : [each],
    ),
  }
}

type Props = {
  destination: MappedDestination
  mapping: EventMapping
  action: DestinationAction
  fields: readonly EventField[]
  variables: DestinationMappings['variables']
  /** Undefined until the proposals are loaded. */
  proposed: readonly FieldMapping[] | undefined
  problems: MappingProblems
  /** Notes by field ID; they do not prevent saving. */
  notes: MappingProblems
  onChange: ChangeMapping | undefined
}

/** The field mappings: a line for each field, its source at the left and its target at the right. */
export const FieldTable = ({
  destination,
  mapping,
  action,
  fields,
  variables,
  proposed,
  problems,
  notes,
  onChange,
}: Props) => {
  const [chooses, setChooses] = useState(false)
  // The field mappings, stored while the user sends the whole event, so that switching back loses nothing.
  const kept = useRef<readonly FieldMapping[]>([])
  const [added, setAdded] = useState<string | undefined>()
  const readOnly = onChange === undefined
  const whole = action.whole_event && mapping.field_mappings.length === 0 && !chooses
  const setWhole = (next: boolean): void => {
    setChooses(!next)
    if (next) kept.current = mapping.field_mappings
    onChange?.((before) => ({ ...before, field_mappings: next ? [] : [...kept.current] }))
  }
  const rows = whole ? [] : fieldRows(mapping, action)
  const change = (row: FieldRow, edit: (field: FieldMapping) => FieldMapping | undefined, step?: string): void =>
    onChange?.((before) => withField(before, row, edit), step)
  const add = (field: FieldMapping): void => {
    setAdded(field.id)
    onChange?.((before) => ({ ...before, field_mappings: [...before.field_mappings, field] }))
  }
  return (
    <div className="space-y-3">
      {action.whole_event && <ContentChoice whole={whole} disabled={readOnly} onWhole={setWhole} />}
      {!whole && (
        <>
          {rows.length === 0 ? (
            noFields
          ) : (
            <div className="@container overflow-hidden rounded-lg border border-line bg-surface">
              <Head to={destination.app.display_name} />
              <ul aria-label="Fields" className="divide-y divide-line">
                {rows.map((row) => (
                  <FieldLine
                    key={row.key}
                    destination={destination}
                    mapping={mapping}
                    row={row}
                    fields={fields}
                    variables={variables}
                    problem={problems[row.field?.id ?? row.key] ?? problems[row.target.name]}
                    note={notes[row.field?.id ?? row.key]}
                    isNew={row.field !== undefined && row.field.id === added}
                    onChange={onChange && ((edit) => change(row, edit, `field ${mapping.id} ${row.key}`))}
                    onRemove={onChange && row.field && (() => change(row, () => undefined))}
                  />
                ))}
              </ul>
            </div>
          )}
          {problems[''] !== undefined && <Alert className="text-xs">{problems['']}</Alert>}
          {!readOnly && (
            <div className="flex flex-wrap gap-2">
              <AddField mapping={mapping} action={action} onAdd={add} />
              <SuggestButton
                proposed={proposed}
                onSuggest={() => onChange?.((before) => withProposals(before, proposed ?? []))}
              />
            </div>
          )}
        </>
      )}
    </div>
  )
}
