import { useMemo } from 'react'
import { fieldSuggestions } from '../../../components/condition-builder.tsx'
import { WarningsAt } from '../../../components/name-warnings.tsx'
import type { EventField } from '../../../lib/events/event-fields.ts'
import { Field } from '../../../ui/forms/field.tsx'
import { SuggestInput } from '../../../ui/forms/suggest-input.tsx'

/** A labeled input for a path of an event, with suggestions of known paths. */
export const PathField = ({
  label,
  name,
  hint,
  required = false,
  value,
  placeholder,
  fields,
  error,
  disabled,
  onChange,
}: {
  label: string
  /** The name of the field in the request, for warnings. */
  name?: string
  hint?: string
  required?: boolean
  value: string
  placeholder: string
  fields: readonly EventField[]
  error: string | undefined
  disabled: boolean
  onChange: (path: string) => void
}) => {
  const suggestions = useMemo(() => fieldSuggestions(fields), [fields])
  return (
    <div className="space-y-1.5">
      <Field label={label} required={required} hint={hint} error={error}>
        {(control) => (
          <SuggestInput
            mono
            {...control}
            value={value}
            placeholder={placeholder}
            maxLength={300}
            disabled={disabled}
            suggestions={suggestions}
            onChange={onChange}
          />
        )}
      </Field>
      {name !== undefined && <WarningsAt field={name} />}
    </div>
  )
}
