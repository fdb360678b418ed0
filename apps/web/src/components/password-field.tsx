import { passwordRules } from '@tributary/contract'
import { Check, Circle, X } from 'lucide-react'
import { cn } from '../ui/cn.ts'
import { TextField, useField, useForm } from '../ui/forms/form.tsx'
import { useFormState } from '../ui/forms/form-state.ts'

/** The rules of a password, each with a mark for met or unmet. */
const Checklist = ({ password }: { password: string }) => (
  <ul aria-label="Password rules" className="mt-2 space-y-1">
    {passwordRules.map(({ message, test }) => {
      const met = test(password)
      const Icon = met ? Check : password === '' ? Circle : X
      return (
        <li
          key={message}
          className={cn('flex items-center gap-1.5 text-xs', met ? 'text-success-ink' : 'text-danger-ink')}
        >
          <Icon aria-hidden className="size-3.5 shrink-0" />
          <span>{message}</span>
          <span className="sr-only">{met ? '(met)' : '(not met)'}</span>
        </li>
      )
    })}
  </ul>
)

/**
 * The field for a new password, inside a Form. After the user begins to type, or a submit failed, all five rules are
 * shown below it, unmet ones in red.
 */
export const NewPasswordField = ({ name, label }: { name: string; label: string }) => {
  const submits = useFormState(useForm(), (state) => state.submits)
  const { value, error } = useField(name)
  const password = typeof value === 'string' ? value : ''
  const isListed = password !== '' || submits > 0
  return (
    <div>
      <TextField
        name={name}
        label={label}
        type="password"
        required
        autoComplete="new-password"
        errorIsShown={isListed && passwordRules.some(({ message }) => message === error)}
      />
      {isListed && <Checklist password={password} />}
    </div>
  )
}
