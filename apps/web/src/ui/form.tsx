import { type ReactNode, useEffect, useId, useState } from 'react'
import {
  type DefaultValues,
  FormProvider,
  get,
  type Path,
  type Resolver,
  type UseFormReturn,
  useForm,
  useFormContext,
} from 'react-hook-form'
import { formFailure } from '../lib/errors.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { Input, type InputProps, PasswordInput, PriceInput, Select, type SelectProps } from './input.tsx'
import { WithCode } from './with-code.tsx'

type Values = Record<string, unknown>

/** True when the form has a field of this name; `settings.url` lies inside the group `settings`, which is none itself. */
const isField = (values: Values, name: string): boolean => {
  const [group = '', ...inner] = name.split('.')
  if (!(group in values)) return false
  const value = values[group]
  const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isGroup ? inner.length > 0 : inner.length === 0
}

/**
 * A form that validates by `rules` on submit, then again on every change, and puts the cursor in the first field in error.
 * `useApiForm` makes the rules of a schema.
 */
export const useRuledForm = <T extends Values>(
  rules: Resolver<T, unknown, T>,
  defaultValues: DefaultValues<T>,
): UseFormReturn<T, unknown, T> =>
  useForm<T, unknown, T>({
    resolver: rules,
    defaultValues,
    mode: 'onSubmit',
    reValidateMode: 'onChange',
    shouldFocusError: true,
  })

/**
 * Puts the cursor in a field when the form appears: for pages that are one form. Which field that is counts then only: a
 * name that changes while somebody types must not take the cursor away.
 */
export const useFirstField = <T extends Values>(form: UseFormReturn<T, unknown, T>, name: Path<T>): void => {
  const { setFocus } = form
  const [first] = useState(name)
  useEffect(() => setFocus(first), [setFocus, first])
}

/**
 * The form shell. `onSubmit` does the call; what it throws is shown here, never by the screen: messages for fields below
 * their fields, the rest as a small red pill under the form (or by `renderError`).
 */
export const Form = <T extends Values>({
  form,
  onSubmit,
  children,
  className,
  label,
  renderError,
}: {
  form: UseFormReturn<T, unknown, T>
  onSubmit: (values: T) => Promise<unknown>
  children: ReactNode
  className?: string
  label?: string
  renderError?: (error: { message: string; code: string }) => ReactNode
}) => {
  const submit = form.handleSubmit(async (values) => {
    try {
      await onSubmit(values)
    } catch (error) {
      const failure = formFailure(error)
      const known = failure.fields.filter(({ name }) => isField(values, name))
      for (const [index, { name, message, code }] of known.entries())
        form.setError(name as Path<T>, { type: String(code), message }, { shouldFocus: index === 0 })
      const lost = failure.fields.find(({ name }) => !isField(values, name))
      if (lost !== undefined) form.setError('root.server', { type: String(lost.code), message: lost.message })
      else if (known.length === 0 && failure.form !== undefined)
        form.setError('root.server', {
          type: `${failure.form.code} ${failure.form.reason}`.trim(),
          message: failure.form.message,
        })
    }
  })
  const error = form.formState.errors.root?.server
  return (
    <FormProvider {...form}>
      <form noValidate aria-label={label} className={className} onSubmit={(event) => void submit(event)}>
        {children}
        {error?.message !== undefined &&
          (renderError?.({ message: error.message, code: String(error.type ?? '') }) ?? (
            <p
              role="alert"
              className="mt-4 w-fit max-w-full rounded-full bg-danger-soft px-3 py-1 text-xs font-medium text-danger-ink max-sm:rounded-lg"
            >
              <WithCode text={error.message} />
            </p>
          ))}
      </form>
    </FormProvider>
  )
}

/** What every field of a Form is told. */
export type FieldProps = { name: string; label: string; required?: boolean; hint?: ReactNode }

/** What ties a control to the field `name` of its Form, and what is wrong with its value. */
export const useField = (name: string) => {
  const { register, formState } = useFormContext()
  const found: unknown = get(formState.errors, name)
  const message = typeof found === 'object' && found !== null && 'message' in found ? found.message : undefined
  return { bind: register(name), error: typeof message === 'string' ? message : undefined }
}

/** The control of a type of line: secrets can be revealed, prices stand behind a dollar sign. */
const LineInput = ({ type, ...rest }: InputProps) => {
  if (type === 'password') return <PasswordInput {...rest} />
  return type === 'price' ? <PriceInput {...rest} /> : <Input type={type} {...rest} />
}

/** A labelled line of text inside a Form; of the type `password` it can be revealed, of `price` it is in dollars. */
export const TextField = ({
  name,
  label,
  required = false,
  hint,
  type = 'text',
  ...rest
}: FieldProps & Omit<InputProps, 'name' | 'ref' | 'required'>) => {
  const { bind, error } = useField(name)
  return (
    <Field label={label} required={required} hint={hint} error={error}>
      {(control) => <LineInput type={type} {...rest} {...control} {...bind} />}
    </Field>
  )
}

/** A labelled choice inside a Form. */
export const SelectField = ({
  name,
  label,
  required = false,
  hint,
  children,
  ...rest
}: FieldProps & Omit<SelectProps, 'name' | 'ref' | 'required'>) => {
  const { bind, error } = useField(name)
  return (
    <Field label={label} required={required} hint={hint} error={error}>
      {(control) => (
        <Select {...rest} {...control} {...bind}>
          {children}
        </Select>
      )}
    </Field>
  )
}

/** A labelled checkbox inside a Form. */
export const CheckboxField = ({ name, label, hint }: { name: string; label: ReactNode; hint?: ReactNode }) => {
  const { bind, error } = useField(name)
  const id = useId()
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="flex items-start gap-2.5 text-sm">
        <input
          id={id}
          type="checkbox"
          aria-invalid={error === undefined ? undefined : true}
          className="mt-0.5 size-4 shrink-0 accent-accent"
          {...bind}
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

/** The form's one primary action; spins while the form is submitting. */
export const SubmitButton = ({
  children,
  disabled,
  wide = false,
}: {
  children: ReactNode
  disabled?: boolean
  wide?: boolean
}) => {
  const { formState } = useFormContext()
  return (
    <Button
      type="submit"
      variant="primary"
      loading={formState.isSubmitting}
      disabled={disabled}
      className={wide ? 'w-full' : undefined}
      size={wide ? 'lg' : 'md'}
    >
      {children}
    </Button>
  )
}
