import { CircleAlert, Info } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { WithCode } from '../code/with-code.tsx'
import { scrollable } from '../scrollable.ts'

/** The attributes that connect a control with its label, hint and error. */
export type FieldControl = {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  'aria-required': true | undefined
}

/** A note on a control with an icon. It does not prevent saving. */
export const FieldNote = ({ id, children }: { id?: string; children: string }) => (
  <p id={id} className="flex items-start gap-1.5 text-xs break-words text-ink-2">
    <Info aria-hidden className="mt-0.5 size-3.5 shrink-0" />
    <span className="min-w-0">
      <WithCode text={children} />
    </span>
  </p>
)

/**
 * The error of a control, with an icon. Shows nothing if there is no error. With `live`, screen readers announce it
 * immediately: for controls outside a form.
 */
export const FieldError = ({
  id,
  message,
  detail,
  live = false,
  asCode = false,
}: {
  id: string
  message: string | undefined
  /** The unchanged detail from another system, such as a database. Shown below the message. */
  detail?: string | undefined
  live?: boolean
  /** Shows the message as code, with its line breaks, as for the message of a parser. */
  asCode?: boolean
}) =>
  message !== undefined && (
    <p
      id={id}
      role={live ? 'alert' : undefined}
      className="flex items-start gap-1.5 text-xs break-words text-danger-ink"
    >
      <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      {asCode ? (
        <code {...scrollable} className="min-w-0 overflow-x-auto scroll-thin font-mono whitespace-pre">
          {message}
        </code>
      ) : (
        <span className="min-w-0">
          <span>
            <WithCode text={message} />
          </span>
          {detail !== undefined && (
            <code className="mt-0.5 block font-mono wrap-anywhere whitespace-pre-wrap">{detail}</code>
          )}
        </span>
      )}
    </p>
  )

type FieldProps = {
  label: string
  required?: boolean
  hint?: ReactNode
  error?: string | undefined
  errorAsCode?: boolean
  errorDetail?: string | undefined
  /** Whether the error is already shown next to the control: it is then rendered only for screen readers. */
  errorIsShown?: boolean
  children: (control: FieldControl) => ReactNode
}

/**
 * A label (with a red asterisk if the field is required), a control and a hint. The error is shown below, with an icon.
 */
export const Field = ({
  label,
  required = false,
  hint,
  error,
  errorAsCode = false,
  errorDetail,
  errorIsShown = false,
  children,
}: FieldProps) => {
  const id = useId()
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .filter((part) => part !== '')
    .join(' ')
  return (
    <div className="space-y-1.5">
      <label id={`${id}-label`} htmlFor={id} className="block text-sm font-medium text-ink">
        {label}
        {required && (
          <span aria-hidden className="ml-0.5 text-danger-ink">
            *
          </span>
        )}
      </label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error === undefined ? undefined : true,
        'aria-required': required || undefined,
      })}
      {hint !== undefined && (
        <div id={`${id}-hint`} className="text-xs text-ink-3">
          {hint}
        </div>
      )}
      {errorIsShown ? (
        <span id={`${id}-error`} className="sr-only">
          {error}
        </span>
      ) : (
        <FieldError id={`${id}-error`} message={error} detail={errorDetail} asCode={errorAsCode} />
      )}
    </div>
  )
}
