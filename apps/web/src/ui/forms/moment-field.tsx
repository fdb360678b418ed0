import { Field } from './field.tsx'
import { Input } from './input.tsx'

/** Formats a time for the date input of the platform: in the time zone of the reader, to the minute. */
const inputTime = (time: string): string => {
  if (time === '') return ''
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/**
 * A labeled input for a time, shown and chosen in the time zone of the reader. The value is RFC 3339, or '' if none is
 * chosen.
 */
export const MomentField = ({
  label,
  value,
  required = false,
  error,
  onPick,
}: {
  label: string
  value: string
  required?: boolean
  error?: string | undefined
  onPick: (time: string) => void
}) => (
  <Field label={label} required={required} error={error}>
    {(control) => (
      <Input
        {...control}
        type="datetime-local"
        value={inputTime(value)}
        onChange={(event) => {
          const picked = event.target.value
          onPick(picked === '' ? '' : new Date(picked).toISOString())
        }}
      />
    )}
  </Field>
)
