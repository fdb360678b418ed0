import {
  type EventMapping,
  type FieldMapping,
  type MappingSource,
  type MappingSourceType,
  mappingSourceTypes,
  targetTypes,
} from '@tributary/contract'
import { ArrowRight, ListFilter, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { cn } from '../../ui/cn.ts'
import { FieldError, FieldNote } from '../../ui/forms/field.tsx'
import { Input, Select } from '../../ui/forms/input.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { WarningsAt } from '../name-warnings.tsx'
import { ChoosePeopleList } from '../people-lists/choose-people-list.tsx'
import { FieldConditions } from './field-conditions.tsx'
import { FirstSources } from './first-sources.tsx'
import { ListSourceEditor } from './list-source.tsx'
import { firstOf, listOf } from './listed-sources.ts'
import { emptySource, type FieldRow, type MappedDestination } from './mapping-draft.ts'
import { type Invalid, SourceInput, type SourceInputProps, type SourceNames } from './source-input.tsx'
import { sourceTypeWords, targetTypeWords } from './target-words.ts'
import { TemplateDialog } from './template-dialog.tsx'

const Target = ({
  row,
  disabled,
  invalid,
  isNew,
  onChange,
}: {
  row: FieldRow
  disabled: boolean
  invalid: Invalid
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
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)_7rem] max-sm:grid-cols-[minmax(0,1fr)] gap-2">
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

type WideSource = Extract<MappingSource, { type: 'FIRST' | 'LIST' }>

/** Whether a source is shown below its line, in the whole width. */
const isWide = (source: MappingSource): source is WideSource => source.type === 'FIRST' || source.type === 'LIST'

/** Returns the types of sources of a field: only a field that takes a list can have a list of objects. */
const sourceTypesFor = ({ known, target }: FieldRow, source: MappingSource): readonly MappingSourceType[] => {
  const type = (known ?? target).type
  return mappingSourceTypes.filter(
    (each) => each !== 'LIST' || source.type === 'LIST' || type === 'array' || type === 'any',
  )
}

/** Returns a source of another type that keeps what it can of the former one. */
const sourceOfType = (type: MappingSourceType, source: MappingSource, { known }: FieldRow): MappingSource => {
  if (type === 'FIRST') return firstOf(source)
  return type === 'LIST' ? listOf(source, known?.fields ?? []) : emptySource(type)
}

/** The parts of a source that need the whole width of the table. */
const WideSourceInput = ({
  source,
  row,
  name,
  ...props
}: Omit<SourceInputProps, 'label' | 'source' | 'target'> &
  SourceNames & { source: WideSource; row: FieldRow; name: string }) =>
  source.type === 'FIRST' ? (
    <FirstSources {...props} target={row.known ?? row.target} source={source} label={`Source of ${name}`} />
  ) : (
    <ListSourceEditor {...props} target={row.known ?? {}} source={source} label={name} />
  )

/** The choice of the type of a field's source, and the source itself. */
const SourceChoice = ({
  destination,
  mapping,
  row,
  name,
  ...props
}: Omit<SourceInputProps, 'label' | 'source' | 'target'> &
  SourceNames & {
    destination: MappedDestination
    mapping: EventMapping
    row: FieldRow
    name: string
  }) => {
  const { disabled, fields, variables, onSource } = props
  const source = row.field?.source ?? emptySource('FIELD')
  const [writes, setWrites] = useState(false)
  const label = `Source of ${name}`
  const types = sourceTypesFor(row, source)
  return (
    <div
      className={cn(
        'grid min-w-0 grid-cols-[6.75rem_minmax(0,1fr)] items-start gap-2 max-sm:col-span-full max-sm:grid-cols-[minmax(0,1fr)]',
        // The text of a selected list entry cannot be scrolled like typed text, so the select box has the whole width.
        source.type === 'VARIABLE' && '@max-3xl:grid-cols-[minmax(0,1fr)]',
        isWide(source) && 'grid-cols-[minmax(0,1fr)]',
      )}
    >
      <Select
        aria-label={`Source type for ${name}`}
        value={source.type}
        disabled={disabled}
        onChange={(event) => {
          const type = types.find((each) => each === event.target.value) ?? 'FIELD'
          onSource(sourceOfType(type, source, row))
          if (type === 'TEMPLATE') setWrites(true)
        }}
      >
        <Options of={types} title={(type) => sourceTypeWords[type]} />
      </Select>
      {!isWide(source) && (
        <div className="grid min-w-0 gap-2">
          <SourceInput
            {...props}
            target={row.known ?? row.target}
            source={source}
            label={label}
            onTemplate={() => setWrites(true)}
          />
          {source.type === 'CONSTANT' && row.known?.is_people_list === true && !disabled && (
            <ChoosePeopleList
              destination={destination.name}
              name={String(source.value)}
              staysOpen
              onChoose={(id) => onSource({ ...source, value: id })}
            />
          )}
        </div>
      )}
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
  fields: SourceNames['fields']
  variables: SourceNames['variables']
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
  const source = {
    row,
    name,
    invalid: target.name.trim() === '' ? {} : invalid,
    disabled,
    fields,
    variables,
    onSource: (next: MappingSource) => onChange?.((before) => ({ ...before, source: next })),
  }
  const count = field?.conditions?.length ?? 0
  const [opens, setOpens] = useState(false)
  const canHaveConditions = count > 0 || known?.is_required !== true
  const showsConditions = field !== undefined && (opens || count > 0) && canHaveConditions
  return (
    <li
      aria-label={name}
      className={cn(
        'grid grid-cols-[2.25rem_minmax(0,1fr)_4rem] items-start gap-x-3 gap-y-2 px-3 py-2.5 sm:grid-cols-[2.25rem_minmax(0,6fr)_1rem_minmax(0,5fr)_4rem]',
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
      <SourceChoice {...source} destination={destination} mapping={mapping} />
      <ArrowRight aria-label="to" className="mt-2 size-4 shrink-0 text-ink-3 max-sm:hidden" />
      <div className="min-w-0 max-sm:col-start-2 max-sm:row-start-1">
        <Target row={row} disabled={disabled} invalid={invalid} isNew={isNew} onChange={onChange} />
      </div>
      <span className="flex justify-end max-sm:col-start-3 max-sm:row-start-1">
        {field !== undefined && canHaveConditions && !disabled && (
          <IconButton
            label={`Conditions of ${name}`}
            icon={ListFilter}
            aria-expanded={showsConditions}
            className={cn(count > 0 && 'text-accent-ink')}
            onClick={() => setOpens(!opens)}
          />
        )}
        {onRemove !== undefined && known?.is_required !== true && (
          <IconButton label={`Remove ${name}`} icon={X} onClick={onRemove} />
        )}
      </span>
      {field !== undefined && isWide(field.source) && (
        <div className="col-span-full sm:pl-12">
          <WideSourceInput {...source} source={field.source} />
        </div>
      )}
      {showsConditions && (
        <div className="col-span-full sm:pl-12">
          <FieldConditions
            field={field}
            name={name}
            fields={fields}
            shows={problem !== undefined}
            onChange={onChange}
          />
        </div>
      )}
      <FieldMessages id={id} field={field} problem={problem} note={note} />
    </li>
  )
}
