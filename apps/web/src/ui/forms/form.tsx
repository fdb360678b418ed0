import { createContext, type ReactNode, useCallback, useContext, useEffect, useId, useRef, useState } from 'react'
import { formFailure } from '../../lib/api/errors.ts'
import { Button } from '../button.tsx'
import { WithCode } from '../code/with-code.tsx'
import { Field } from './field.tsx'
import { type FormHandle, isField, type Refusal, useFormState, type Values, valueOf } from './form-state.ts'
import { Input, type InputProps, PasswordInput, PriceInput, Select, type SelectProps } from './input.tsx'
import { RefusalOffers } from './refusal-offers.ts'

const FormContext = createContext<FormHandle<Values> | undefined>(undefined)

/** Returns the Form around a component. Throws if there is none. */
export const useForm = (): FormHandle<Values> => {
  const form = useContext(FormContext)
  if (form === undefined) throw new Error('a field stands in a Form')
  return form
}

/** Divides the problems of a rejected call into those of fields in the form, and one of the whole form. */
const refusalOf = (error: unknown, values: Values): Refusal => {
  const failure = formFailure(error)
  const known = failure.fields.filter(({ name }) => isField(values, name))
  const problems = Object.fromEntries(
    known.map(({ name, message, code }) => [name, { message, code: String(code) }] as const),
  )
  const lost = failure.fields.find(({ name }) => !isField(values, name))
  if (lost !== undefined) return { problems, failure: { message: lost.message, code: String(lost.code) } }
  if (known.length > 0 || failure.form === undefined) return { problems }
  const { message, code, reason } = failure.form
  return { problems, failure: { message, code: `${code} ${reason}`.trim() } }
}

/**
 * The frame of a form. `onSubmit` makes the call, and the form shows its errors. Messages for fields appear below their
 * fields; all others appear as a small red pill below the form, or through `renderError`. Offers for the code of an
 * error (`RefusalOffers`) are added.
 */
export const Form = <T extends Values>({
  form,
  onSubmit,
  children,
  className,
  label,
  renderError,
}: {
  form: FormHandle<T>
  onSubmit: (values: T) => Promise<unknown>
  children: ReactNode
  className?: string
  label?: string
  renderError?: (error: { message: string; code: string }) => ReactNode
}) => {
  const submit = (): Promise<void> =>
    form.submit(async (values) => {
      try {
        await onSubmit(values)
        return undefined
      } catch (error) {
        return refusalOf(error, values)
      }
    })
  const failure = useFormState(form, (state) => state.failure)
  const offers = useContext(RefusalOffers)
  return (
    <FormContext value={form}>
      <form
        noValidate
        aria-label={label}
        className={className}
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {children}
        {failure !== undefined &&
          (renderError?.(failure) ?? (
            <>
              <p
                role="alert"
                className="w-fit max-w-full rounded-full bg-danger-soft px-3 py-1 text-xs font-medium text-danger-ink max-sm:rounded-lg"
              >
                <WithCode text={failure.message} />
              </p>
              {offers[failure.code]}
            </>
          ))}
      </form>
    </FormContext>
  )
}

/** The properties that all fields of a Form have. */
export type FieldProps = { name: string; label: string; required?: boolean; hint?: ReactNode }

/** Returns the value of the field `name` of the surrounding Form, its error, and the attributes of its control. */
export const useField = (name: string) => {
  const form = useForm()
  return {
    value: useFormState(form, ({ values }) => valueOf(values, name)),
    error: useFormState(form, ({ problems }) => problems[name]?.message),
    change: (value: unknown) => form.change(name, value),
    ref: useCallback((control: HTMLElement | null) => form.place(name, control), [form, name]),
  }
}

/**
 * Holds the text of a line of input. A password manager can fill in a text without sending an event, so the text is
 * read again when the field is left.
 */
const useLine = (name: string) => {
  const { value, error, change, ref: place } = useField(name)
  const text = typeof value === 'string' ? value : ''
  const [first] = useState(text)
  const line = useRef<HTMLInputElement>(null)
  const ref = useCallback(
    (control: HTMLInputElement | null) => {
      line.current = control
      place(control)
    },
    [place],
  )
  useEffect(() => {
    if (line.current !== null && line.current.value !== text) line.current.value = text
  }, [text])
  const read = ({ target }: { target: { value: string } }): void => {
    if (target.value !== text) change(target.value)
  }
  return { error, bind: { name, defaultValue: first, onChange: read, onBlur: read, ref } }
}

/** The control for a type of line: secrets can be revealed, prices have a dollar sign. */
const LineInput = ({ type, ...rest }: InputProps) => {
  if (type === 'password') return <PasswordInput {...rest} />
  return type === 'price' ? <PriceInput {...rest} /> : <Input type={type} {...rest} />
}

/**
 * A labeled line of text inside a Form. The type `password` can be revealed, `price` is in dollars. With
 * `errorIsShown`, its error is only announced to screen readers.
 */
export const TextField = ({
  name,
  label,
  required = false,
  hint,
  type = 'text',
  errorIsShown = false,
  ...rest
}: FieldProps & { errorIsShown?: boolean } & Omit<InputProps, 'name' | 'ref' | 'required'>) => {
  const { bind, error } = useLine(name)
  return (
    <Field label={label} required={required} hint={hint} error={error} errorIsShown={errorIsShown}>
      {(control) => <LineInput type={type} {...rest} {...control} {...bind} />}
    </Field>
  )
}

/** A labeled select box inside a Form. */
export const SelectField = ({
  name,
  label,
  required = false,
  hint,
  children,
  ...rest
}: FieldProps & Omit<SelectProps, 'name' | 'ref' | 'required'>) => {
  const { value, error, change, ref } = useField(name)
  return (
    <Field label={label} required={required} hint={hint} error={error}>
      {(control) => (
        <Select
          {...rest}
          {...control}
          name={name}
          value={typeof value === 'string' ? value : ''}
          onChange={({ target }) => change(target.value)}
          ref={ref}
        >
          {children}
        </Select>
      )}
    </Field>
  )
}

/** A labeled checkbox inside a Form. */
export const CheckboxField = ({ name, label, hint }: { name: string; label: ReactNode; hint?: ReactNode }) => {
  const { value, error, change, ref } = useField(name)
  const id = useId()
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="flex items-start gap-2.5 text-sm">
        <input
          id={id}
          type="checkbox"
          aria-invalid={error === undefined ? undefined : true}
          className="mt-0.5 size-4 shrink-0 accent-accent"
          name={name}
          checked={value === true}
          onChange={(event) => change(event.target.checked)}
          ref={ref}
        />
        <span>
          {label}
          {hint !== undefined && <span className="block text-xs text-ink-3">{hint}</span>}
        </span>
      </label>
      {error !== undefined && <p className="text-xs text-danger-ink">{error}</p>}
    </div>
  )
}

/** The primary action of a Form. Shows a spinner while the form is submitting. */
export const SubmitButton = ({
  children,
  disabled,
  wide = false,
}: {
  children: ReactNode
  disabled?: boolean
  wide?: boolean
}) => {
  const submitting = useFormState(useForm(), (state) => state.submitting)
  return (
    <Button
      type="submit"
      variant="primary"
      loading={submitting}
      disabled={disabled}
      className={wide ? 'w-full' : undefined}
      size={wide ? 'lg' : 'md'}
    >
      {children}
    </Button>
  )
}
