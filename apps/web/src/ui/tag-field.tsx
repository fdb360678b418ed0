import { Controller, useFormContext } from 'react-hook-form'
import { Field } from './field.tsx'
import { type FieldProps, useField } from './form.tsx'
import { TagInput } from './tag-input.tsx'

/** A labelled list of texts inside a Form. */
export const TagField = ({
  name,
  label,
  required = false,
  hint,
  ...rest
}: FieldProps & { placeholder?: string; disabled?: boolean }) => {
  const { control: form } = useFormContext<Record<string, readonly string[]>>()
  const { error } = useField(name)
  return (
    <Field label={label} required={required} hint={hint} error={error}>
      {(control) => (
        <Controller
          control={form}
          name={name}
          render={({ field }) => (
            <TagInput {...rest} control={control} ref={field.ref} value={field.value} onChange={field.onChange} />
          )}
        />
      )}
    </Field>
  )
}
