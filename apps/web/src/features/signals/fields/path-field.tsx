import { useMemo } from 'react'
import type { EventField } from '../../../lib/events/event-fields.ts'
import { fieldSuggestions } from '../../../parts/condition-builder.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { SuggestInput } from '../../../ui/forms/suggest-input.tsx'

/** A labelled place of an event, with the places that are known below it. */
export const PathField = ({
  label,
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
  )
}
