import {
  type DestinationMappings,
  type EventMapping,
  type FieldMapping,
  type MappingSource,
  type MappingSourceType,
  mappingSourceTypes,
  targetTypes,
} from '@tributary/contract'
import { ArrowRight, Pencil, X } from 'lucide-react'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import type { EventField } from '../../lib/events/event-fields.ts'
import { Badge } from '../../ui/badge.tsx'
import { cn } from '../../ui/cn.ts'
import { FieldError, FieldNote } from '../../ui/forms/field.tsx'
import { Input, Select } from '../../ui/forms/input.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { SuggestInput } from '../../ui/forms/suggest-input.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { fieldSuggestions } from '../condition-builder.tsx'
import { WarningsAt } from '../name-warnings.tsx'
import { emptySource, type FieldRow, type MappedDestination, profileFields } from './mapping-draft.ts'
import { targetTypeWords } from './target-words.ts'
import { TemplateDialog } from './template-dialog.tsx'

const sourceWords: Readonly<Record<MappingSourceType, string>> = {
  FIELD: 'Field',
  CONSTANT: 'Constant',
  VARIABLE: 'Variable',
  TEMPLATE: 'Template',
  PROFILE: 'Profile',
}

/** Converts typed text to the target's type: a number for numbers, otherwise the text. */
const constantOf = (text: string, type: string): string | number =>
  type === 'number' && /^-?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text.trim()) ? Number(text) : text

type InputProps = {
  source: MappingSource
  row: FieldRow
  label: string
  invalid: { 'aria-invalid'?: true; 'aria-describedby'?: string }
  disabled: boolean
  onSource: (source: MappingSource) => void
}

const ConstantInput = ({ source, row, label, invalid, disabled, onSource }: InputProps) => {
  const value = source.type === 'CONSTANT' ? source.value : ''
  // The typed text. A number would lose an unfinished input, such as `1.`.
  const [text, setText] = useState(String(value))
  if (row.target.type === 'boolean')
    return (
      <Select
        {...invalid}
        aria-label={label}
        disabled={disabled}
        value={String(value)}
        onChange={(event) =>
          onSource({ ...emptySource('CONSTANT'), type: 'CONSTANT', value: event.target.value === 'true' })
        }
      >
        {typeof value !== 'boolean' && <option value={String(value)}>Choose</option>}
        <option value="true">True</option>
        <option value="false">False</option>
      </Select>
    )
  return (
    <Input
      {...invalid}
      aria-label={label}
      placeholder="A fixed value"
      autoComplete="off"
      disabled={disabled}
      value={String(constantOf(text, row.target.type)) === String(value) ? text : String(value)}
      onChange={(event) => {
        setText(event.target.value)
        onSource({
          ...emptySource('CONSTANT'),
          type: 'CONSTANT',
          value: constantOf(event.target.value, row.target.type),
        })
      }}
    />
  )
}

const SourceInput = ({
  fields,
  variables,
  onTemplate,
  ...props
}: InputProps & {
  fields: readonly EventField[]
  variables: DestinationMappings['variables']
  onTemplate: () => void
}) => {
  const { source, label, invalid, disabled, onSource } = props
  const suggestions = useMemo(() => fieldSuggestions(fields), [fields])
  const ofProfile = useMemo(() => fieldSuggestions(profileFields(fields)), [fields])
  switch (source.type) {
    case 'FIELD':
      return (
        <SuggestInput
          mono
          {...invalid}
          aria-label={label}
          placeholder="Choose a field"
          value={source.name}
          disabled={disabled}
          suggestions={suggestions}
          onChange={(name) => {
            const known = fields.find((field) => field.name === name)
            const { display_name = '', kind = 'custom' } = known ?? {}
            onSource({ type: 'FIELD', name, display_name, kind, is_event_name_key: name === 'event' })
          }}
        />
      )
    case 'PROFILE':
      return (
        <SuggestInput
          mono
          {...invalid}
          aria-label={label}
          placeholder="traits.email"
          value={source.name}
          disabled={disabled}
          suggestions={ofProfile}
          onChange={(name) => onSource({ ...emptySource('PROFILE'), type: 'PROFILE', name })}
        />
      )
    case 'VARIABLE':
      return (
        <Select
          {...invalid}
          aria-label={label}
          value={source.name}
          disabled={disabled}
          onChange={(event) => {
            const name = event.target.value
            const display_name = variables.find((each) => each.name === name)?.display_name ?? ''
            onSource({ type: 'VARIABLE', name, display_name, kind: 'event', is_event_name_key: name === 'event_name' })
          }}
        >
          {source.name === '' && <option value="">Choose a variable</option>}
          {variables.map(({ name, display_name }) => (
            <option key={name} value={name}>
              {display_name}
            </option>
          ))}
        </Select>
      )
    case 'TEMPLATE':
      return (
        <button
          type="button"
          aria-label={`Edit template of ${label}`}
          title={source.value}
          {...invalid}
          disabled={disabled}
          className="flex h-8 w-full min-w-0 items-center gap-2 rounded-md border border-field-line bg-code px-2.5 text-left shadow-card hover:not-disabled:border-ink-3 aria-invalid:border-danger"
          onClick={onTemplate}
        >
          <span className={cn('min-w-0 flex-1 truncate font-mono text-xs', source.value === '' && 'text-ink-3')}>
            {source.value === '' ? 'Write a template' : source.value}
          </span>
          <Pencil aria-hidden className="size-3.5 shrink-0 text-ink-3" />
        </button>
      )
    default:
      return <ConstantInput {...props} />
  }
}

const Target = ({
  row,
  disabled,
  invalid,
  isNew,
  onChange,
}: {
  row: FieldRow
  disabled: boolean
  invalid: { 'aria-invalid'?: true; 'aria-describedby'?: string }
  isNew: boolean
  onChange: ((edit: (field: FieldMapping) => FieldMapping) => void) | undefined
}) => {
  const { known, target } = row
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isNew) input.current?.focus()
  }, [isNew])
  if (known !== undefined)
    return (
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="min-w-0 text-sm font-medium break-words">{known.display_name}</span>
          {known.is_required ? (
            <Badge tone="accent">Required</Badge>
          ) : (
            known.is_recommended && <Badge tone="outline">Recommended</Badge>
          )}
          {known.pii !== '' && (
            <Tooltip text="Personal data. Sent as a hash (values that are already hashed are sent as they are).">
              <button type="button" className="rounded-full">
                <Badge>Hashed</Badge>
              </button>
            </Tooltip>
          )}
        </p>
        <p className="text-xs break-words text-ink-3">
          <code className="font-mono">{known.name}</code>
          {known.help_text === '' ? '' : ` · ${known.help_text}`}
        </p>
      </div>
    )
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)_7rem] max-sm:grid-cols-[minmax(0,1fr)_7.5rem] gap-2">
      <Input
        ref={input}
        {...(target.name.trim() === '' ? invalid : {})}
        aria-label="Target field"
        placeholder="Field name in the destination"
        autoComplete="off"
        spellCheck={false}
        className={cn(target.name !== '' && 'font-mono text-xs max-sm:text-lg')}
        value={target.name}
        disabled={disabled}
        onChange={(event) =>
          onChange?.((field) => ({ ...field, target: { ...field.target, name: event.target.value } }))
        }
      />
      <Select
        aria-label={`Type of ${target.name === '' ? 'the target field' : target.name}`}
        value={target.type}
        disabled={disabled}
        onChange={(event) => {
          const type = targetTypes.find((each) => each === event.target.value) ?? 'any'
          onChange?.((field) => ({ ...field, target: { ...field.target, type } }))
        }}
      >
        <Options of={targetTypes} title={(type) => targetTypeWords[type]} />
      </Select>
    </div>
  )
}

/** The choice of the type of a field's source, and the source itself. */
const SourceChoice = ({
  destination,
  mapping,
  ...props
}: Omit<InputProps, 'label' | 'source'> & {
  destination: MappedDestination
  mapping: EventMapping
  name: string
  fields: readonly EventField[]
  variables: DestinationMappings['variables']
}) => {
  const { row, name, disabled, fields, variables, onSource } = props
  const source = row.field?.source ?? emptySource('FIELD')
  const [writes, setWrites] = useState(false)
  return (
    <div
      className={cn(
        'grid min-w-0 grid-cols-[6.75rem_minmax(0,1fr)] gap-2 max-sm:col-span-2 max-sm:grid-cols-[minmax(0,1fr)]',
        // The text of a selected list entry cannot be scrolled like typed text, so the select box has the whole width.
        source.type === 'VARIABLE' && '@max-3xl:grid-cols-[minmax(0,1fr)]',
      )}
    >
      <Select
        aria-label={`Source type for ${name}`}
        value={source.type}
        disabled={disabled}
        onChange={(event) => {
          const type = mappingSourceTypes.find((each) => each === event.target.value) ?? 'FIELD'
          onSource(emptySource(type))
          if (type === 'TEMPLATE') setWrites(true)
        }}
      >
        <Options of={mappingSourceTypes} title={(type) => sourceWords[type]} />
      </Select>
      <SourceInput {...props} source={source} label={`Source of ${name}`} onTemplate={() => setWrites(true)} />
      {writes && source.type === 'TEMPLATE' && (
        <TemplateDialog
          destination={destination}
          mapping={mapping}
          row={row}
          value={source.value}
          fields={fields}
          variables={variables}
          onApply={(value) => onSource({ ...source, value })}
          onClosed={() => setWrites(false)}
        />
      )}
    </div>
  )
}

/** The error of a field, otherwise its note; and the warnings about its source. */
const FieldMessages = ({
  id,
  field,
  problem,
  note,
}: {
  id: string
  field: FieldMapping | undefined
  problem: string | undefined
  note: string | undefined
}) => (
  <>
    {(problem ?? note) !== undefined && (
      <div className="col-span-full sm:pl-12">
        {problem === undefined ? <FieldNote id={id}>{note ?? ''}</FieldNote> : <FieldError id={id} message={problem} />}
      </div>
    )}
    {field !== undefined && (
      <div className="col-span-full empty:hidden sm:pl-12">
        <WarningsAt id={field.id} field="source.name" />
      </div>
    )}
  </>
)

/** The line of one field: a switch, its source, and its target. */
export const FieldLine = ({
  destination,
  mapping,
  row,
  fields,
  variables,
  problem,
  note,
  isNew,
  onChange,
  onRemove,
}: {
  destination: MappedDestination
  mapping: EventMapping
  row: FieldRow
  fields: readonly EventField[]
  variables: DestinationMappings['variables']
  problem: string | undefined
  /** Shown if the field has no problem. */
  note: string | undefined
  /** Whether the user has just added the field: its name then gets the focus. */
  isNew: boolean
  onChange: ((edit: (field: FieldMapping) => FieldMapping) => void) | undefined
  onRemove: (() => void) | undefined
}) => {
  const id = useId()
  const { field, known, target } = row
  const enabled = field?.enabled ?? true
  const disabled = onChange === undefined
  const name = target.display_name || target.name || 'the new field'
  const invalid = {
    ...(problem !== undefined && ({ 'aria-invalid': true } as const)),
    ...((problem ?? note) !== undefined && { 'aria-describedby': id }),
  }
  return (
    <li
      aria-label={name}
      className={cn(
        'grid grid-cols-[2.25rem_minmax(0,1fr)_2rem] items-start gap-x-3 gap-y-2 px-3 py-2.5 sm:grid-cols-[2.25rem_minmax(0,6fr)_1rem_minmax(0,5fr)_2rem]',
        !enabled && 'bg-sunken',
      )}
    >
      <span className="flex h-8 items-center">
        <Switch
          checked={enabled}
          label={`Send ${name}`}
          disabled={disabled || field === undefined}
          onChange={(next) => onChange?.((before) => ({ ...before, enabled: next }))}
        />
      </span>
      <SourceChoice
        destination={destination}
        mapping={mapping}
        name={name}
        row={row}
        invalid={target.name.trim() === '' ? {} : invalid}
        disabled={disabled}
        fields={fields}
        variables={variables}
        onSource={(next) => onChange?.((before) => ({ ...before, source: next }))}
      />
      <ArrowRight aria-label="to" className="mt-2 size-4 shrink-0 text-ink-3 max-sm:hidden" />
      <div className="min-w-0 max-sm:col-start-2 max-sm:row-start-1">
        <Target row={row} disabled={disabled} invalid={invalid} isNew={isNew} onChange={onChange} />
      </div>
      <span className="max-sm:col-start-3 max-sm:row-start-1">
        {onRemove !== undefined && known?.is_required !== true && (
          <IconButton label={`Remove ${name}`} icon={X} onClick={onRemove} />
        )}
      </span>
      <FieldMessages id={id} field={field} problem={problem} note={note} />
    </li>
  )
}
