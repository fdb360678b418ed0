import type { otpActions } from '@tributary/contract'
import { useMailEnabled } from '../../lib/people/use-mail-enabled.ts'
import { Button } from '../../ui/button.tsx'
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { useFirstField, useRuledForm } from '../../ui/forms/form-state.ts'
import { ResendCode } from '../../ui/forms/one-time-code.tsx'
import { NoMailNote } from '../../ui/page/no-mail-note.tsx'
import type { Sent } from './handed-over.ts'
import { laterRules, signingIn } from './load-signing-in.ts'

/** The purpose of a code. */
export type CodeAction = (typeof otpActions)[number]

const emailRules = laterRules(({ email }) => email)

const sendCode = async (address: string, action: CodeAction): Promise<Sent> => {
  const { sendCode } = await signingIn()
  return { email: address, sentAt: await sendCode(address, action) }
}

/** Shows where to find codes if the server sends no email; nothing otherwise. */
export const CodesNotMailed = () =>
  useMailEnabled() ? null : <NoMailNote>Your server's operator can find the code in its outbox folder.</NoMailNote>

/**
 * The first step: the email address to which a one-time code is sent. If that fails, the step stays and shows the
 * error.
 */
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
  /** A known address. */
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

/** The address that the code was sent to, read-only. Stands inside a Form. */
export const SentAddress = ({ label }: { label: string }) => (
  <TextField name="email" label={label} type="email" readOnly autoComplete="username" />
)

/** Help if no code arrives: send it again, 30 seconds after the last time, or enter another address. */
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
