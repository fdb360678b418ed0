import { Field } from './field.tsx'
import { type FieldProps, useField } from './form.tsx'
import { TagInput } from './tag-input.tsx'

/** A labeled list of texts inside a Form. */
export const TagField = ({
  name,
  label,
  required = false,
  hint,
  ...rest
}: FieldProps & { placeholder?: string; disabled?: boolean }) => {
  const { value, error, change, ref } = useField(name)
  return (
    <Field label={label} required={required} hint={hint} error={error}>
      {(control) => (
        <TagInput {...rest} control={control} ref={ref} value={Array.isArray(value) ? value : []} onChange={change} />
      )}
    </Field>
  )
}
