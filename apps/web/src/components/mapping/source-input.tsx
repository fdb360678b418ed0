import { useQuery } from '@tanstack/react-query'
import { type DestinationMappings, type MappingSource, type PersonDataKind, personKindOf } from '@tributary/contract'
import { Pencil } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import type { EventField } from '../../lib/events/event-fields.ts'
import { paths } from '../../lib/paths.ts'
import { personDataPlacesQuery } from '../../lib/queries/person-data-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { cn } from '../../ui/cn.ts'
import { Input, Select } from '../../ui/forms/input.tsx'
import { SuggestInput } from '../../ui/forms/suggest-input.tsx'
import { fieldSuggestions } from '../condition-builder.tsx'
import { type ActionTarget, emptySource, profileFields } from './mapping-draft.ts'

/** The properties of a target that decide how its constant is entered. */
export type ConstantTarget = Pick<ActionTarget, 'type'> & Partial<Pick<ActionTarget, 'choices'>>

/** The fields and variables that a source can name. */
export type SourceNames = { fields: readonly EventField[]; variables: DestinationMappings['variables'] }

/** The attributes of an input with a problem or a note. */
export type Invalid = { 'aria-invalid'?: true; 'aria-describedby'?: string }

/** Properties of an input for a source. */
export type SourceInputProps = {
  source: MappingSource
  target: ConstantTarget
  label: string
  invalid: Invalid
  disabled: boolean
  onSource: (source: MappingSource) => void
}

/** Converts typed text to the target's type: a number for numbers, otherwise the text. */
const constantOf = (text: string, type: string): string | number =>
  type === 'number' && /^-?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text.trim()) ? Number(text) : text

const constant = (value: string | number | boolean): MappingSource => ({
  type: 'CONSTANT',
  value,
  display_name: '',
  is_event_name_key: false,
  kind: 'custom',
})

const ConstantInput = ({ source, target, label, invalid, disabled, onSource }: SourceInputProps) => {
  const value = source.type === 'CONSTANT' ? source.value : ''
  // The typed text. A number would lose an unfinished input, such as `1.`.
  const [text, setText] = useState(String(value))
  const { choices = [] } = target
  if (choices.length > 0)
    return (
      <Select
        {...invalid}
        aria-label={label}
        disabled={disabled}
        value={String(value)}
        onChange={(event) => onSource(constant(event.target.value))}
      >
        {choices.every((choice) => choice.value !== value) && (
          <option value={String(value)}>{value === '' ? 'Choose' : String(value)}</option>
        )}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </Select>
    )
  if (target.type === 'boolean')
    return (
      <Select
        {...invalid}
        aria-label={label}
        disabled={disabled}
        value={String(value)}
        onChange={(event) => onSource(constant(event.target.value === 'true'))}
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
      value={String(constantOf(text, target.type)) === String(value) ? text : String(value)}
      onChange={(event) => {
        setText(event.target.value)
        onSource(constant(constantOf(event.target.value, target.type)))
      }}
    />
  )
}

const VariableInput = ({
  source,
  variables,
  label,
  invalid,
  disabled,
  onSource,
}: SourceInputProps & Pick<SourceNames, 'variables'>) => {
  const value = source.type === 'VARIABLE' ? source.name : ''
  return (
    <Select
      {...invalid}
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={(event) => {
        const name = event.target.value
        const display_name = variables.find((each) => each.name === name)?.display_name ?? ''
        onSource({ type: 'VARIABLE', name, display_name, kind: 'event', is_event_name_key: name === 'event_name' })
      }}
    >
      {value === '' && <option value="">Choose a variable</option>}
      {variables.map(({ name, display_name }) => (
        <option key={name} value={name}>
          {display_name}
        </option>
      ))}
    </Select>
  )
}

/** The paths that a variable of a user's data reads, and a link to change them. */
const PersonPaths = ({ kind }: { kind: PersonDataKind }) => {
  const workspace = useWorkspace().name
  const { data } = useQuery(personDataPlacesQuery(workspace))
  const list = data?.places[kind] ?? []
  return (
    <p className="text-xs break-words text-ink-3">
      {data === undefined ? '' : list.length === 0 ? 'Reads no path. ' : `Reads ${list.join(', then ')}. `}
      <Link to={paths.personalData(workspace, kind)} className="underline hover:text-ink">
        Change paths
      </Link>
    </p>
  )
}

/** Returns a FIELD source for a path, with the title and kind of the known field. */
export const fieldSource = (name: string, fields: readonly EventField[]): MappingSource => {
  const { display_name = '', kind = 'custom' } = fields.find((field) => field.name === name) ?? {}
  return { ...emptySource('FIELD'), type: 'FIELD', name, display_name, kind, is_event_name_key: name === 'event' }
}

/** The input for a source that is a path, a value of the profile, a variable, a constant, or a template. */
export const SourceInput = ({
  fields,
  variables,
  onTemplate,
  ...props
}: SourceInputProps & SourceNames & { onTemplate?: () => void }) => {
  const { source, label, invalid, disabled, onSource } = props
  const suggestions = useMemo(() => fieldSuggestions(fields), [fields])
  const ofProfile = useMemo(() => fieldSuggestions(profileFields(fields)), [fields])
  const kind = source.type === 'VARIABLE' ? personKindOf(source.name) : undefined
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
          onChange={(name) => onSource(fieldSource(name, fields))}
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
        <div className="min-w-0 space-y-1">
          <VariableInput {...props} variables={variables} />
          {kind !== undefined && <PersonPaths kind={kind} />}
        </div>
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
