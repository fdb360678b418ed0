import { Field } from './field.tsx'
import { Input } from './input.tsx'

/** A moment as the platform's date input has it: the reader's time, to the minute. */
const inputTime = (time: string): string => {
  if (time === '') return ''
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** A labelled moment, RFC 3339, '' while none is chosen; shown and chosen in the reader's time. */
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
