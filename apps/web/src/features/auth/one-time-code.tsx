import { email, methods, type otpActions } from '@tributary/contract'
import { useEffect, useState } from 'react'
import { z } from 'zod'
import { call } from '../../lib/client.ts'
import { formFailure } from '../../lib/errors.ts'
import { Button } from '../../ui/button.tsx'
import { Form, SubmitButton, TextField, useApiForm, useFirstField } from '../../ui/form.tsx'
import { notify } from '../../ui/toast.tsx'
import type { Sent } from './handed-over.ts'

/** What the code is asked for. */
export type CodeAction = (typeof otpActions)[number]

/** Milliseconds after which a code may be asked for again. */
export const resendAfterMs = 30_000

const emailForm = z.object({ email })

const sendCode = async (address: string, action: CodeAction): Promise<Sent> => {
  await call(methods.users.sendOtp, { body: { email: address, action } })
  return { email: address, sentAt: Date.now() }
}

/** The first step: an address that a one-time code is sent to. The step stays, with the error, when that fails. */
export const AddressStep = ({
  name,
  label,
  action,
  button,
  known,
  onSent,
}: {
  /** Accessible name of the form. */
  name: string
  label: string
  action: CodeAction
  button: string
  /** An address that is known already. */
  known: string
  onSent: (sent: Sent) => void
}) => {
  const form = useApiForm(emailForm, { email: known })
  useFirstField(form, 'email')
  return (
    <Form
      form={form}
      onSubmit={async (values) => onSent(await sendCode(values.email, action))}
      label={name}
      className="space-y-4"
    >
      <TextField name="email" label={label} type="email" required autoComplete="username" inputMode="email" />
      <div className="pt-1">
        <SubmitButton wide>{button}</SubmitButton>
      </div>
    </Form>
  )
}

/** The address the code went to, which is no longer edited here. Stands inside a Form. */
export const SentAddress = ({ label }: { label: string }) => (
  <TextField name="email" label={label} type="email" readOnly autoComplete="username" />
)

/** The field of the code. Stands inside a Form. */
export const CodeField = ({ label, hint }: { label: string; hint?: string }) => (
  <TextField
    name="otp_token"
    label={label}
    hint={hint}
    required
    autoComplete="one-time-code"
    autoCapitalize="characters"
    autoCorrect="off"
    spellCheck={false}
    className="font-mono tracking-wider"
  />
)

/** Whole seconds until a code that was sent at `sentAt` may be asked for again. */
const useSecondsLeft = (sentAt: number): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  // The clock here ticks after the code was sent.
  return Math.ceil(Math.min(resendAfterMs, Math.max(0, sentAt + resendAfterMs - now)) / 1000)
}

/** What can be done when no code arrives: have it sent again, 30 seconds after the last time, or take another address. */
export const CodeHelp = ({
  sent,
  action,
  onSent,
  onChangeAddress,
}: {
  sent: Sent
  action: CodeAction
  onSent: (sent: Sent) => void
  onChangeAddress: () => void
}) => {
  const left = useSecondsLeft(sent.sentAt)
  const [sending, setSending] = useState(false)
  const [failure, setFailure] = useState<string>()
  const resend = async (): Promise<void> => {
    setSending(true)
    setFailure(undefined)
    try {
      onSent(await sendCode(sent.email, action))
      notify('success', 'A new code is on its way')
    } catch (error) {
      const { fields, form } = formFailure(error)
      setFailure(form?.message ?? fields[0]?.message ?? 'The code could not be sent.')
    }
    setSending(false)
  }
  return (
    <div className="mt-4 space-y-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm">
        <Button variant="link" size="sm" disabled={left > 0} loading={sending} onClick={() => void resend()}>
          {left > 0 ? `Resend code in ${left} s` : 'Resend code'}
        </Button>
        <Button variant="link" size="sm" onClick={onChangeAddress}>
          Use another address
        </Button>
      </div>
      {failure !== undefined && (
        <p role="alert" className="text-xs text-danger-ink">
          {failure}
        </p>
      )}
    </div>
  )
}
