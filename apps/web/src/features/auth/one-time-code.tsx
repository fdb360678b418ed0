import type { otpActions } from '@tributary/contract'
import { useMailEnabled } from '../../lib/people/use-mail-enabled.ts'
import { Button } from '../../ui/button.tsx'
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { useFirstField, useRuledForm } from '../../ui/forms/form-state.ts'
import { ResendCode } from '../../ui/forms/one-time-code.tsx'
import { NoMailNote } from '../../ui/page/no-mail-note.tsx'
import type { Sent } from './handed-over.ts'
import { laterRules, signingIn } from './load-signing-in.ts'

/** What the code is asked for. */
export type CodeAction = (typeof otpActions)[number]

const emailRules = laterRules(({ email }) => email)

const sendCode = async (address: string, action: CodeAction): Promise<Sent> => {
  const { sendCode } = await signingIn()
  return { email: address, sentAt: await sendCode(address, action) }
}

/** Where codes are when the server mails none; nothing where it does. */
export const CodesNotMailed = () =>
  useMailEnabled() ? null : <NoMailNote>Your server's operator can find the code in its outbox folder.</NoMailNote>

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
  const form = useRuledForm(emailRules, { email: known })
  useFirstField(form, 'email')
  return (
    <Form
      form={form}
      onSubmit={async (values) => onSent(await sendCode(values.email, action))}
      label={name}
      className="space-y-4"
    >
      <TextField name="email" label={label} type="email" required autoComplete="username" inputMode="email" />
      <CodesNotMailed />
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
}) => (
  <ResendCode sentAt={sent.sentAt} send={async () => onSent(await sendCode(sent.email, action))}>
    <Button variant="link" size="sm" onClick={onChangeAddress}>
      Use a different email
    </Button>
  </ResendCode>
)
