import { type LoginResponse, methods, newPassword, oneTimeCode } from '@tributary/contract'
import { useRef, useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { NewPasswordField } from '../../components/password-field.tsx'
import { call } from '../../lib/api/client.ts'
import { entryPaths } from '../../lib/entry-paths.ts'
import { userIds } from '../../lib/format/names.ts'
import { useSession } from '../../lib/people/session.ts'
import { login } from '../../lib/people/ways-in.ts'
import { EmailAddress } from '../../ui/forms/email-address.tsx'
import { Form, SubmitButton } from '../../ui/forms/form.tsx'
import { useFirstField } from '../../ui/forms/form-state.ts'
import { CodeField } from '../../ui/forms/one-time-code.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { useDocumentTitle } from '../../ui/page/document-title.ts'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'
import { AuthLink } from './auth-link.tsx'
import { type Sent, useKnownEmail, useSent } from './handed-over.ts'
import { AddressStep, CodeHelp, CodesNotMailed } from './one-time-code.tsx'
import { useEnter } from './use-enter.ts'

const resetForm = z.object({ otp_token: oneTimeCode, password: newPassword })

const ResetStep = ({
  sent,
  onSent,
  onChangeAddress,
}: {
  sent: Sent
  onSent: (sent: Sent) => void
  onChangeAddress: () => void
}) => {
  const enter = useEnter()
  const form = useApiForm(resetForm, { otp_token: '', password: '' })
  useFirstField(form, 'otp_token')
  // The code works once. If the server accepts the code and rejects the password, the next attempt sends only the
  // password.
  const entered = useRef<LoginResponse>(undefined)
  const submit = async ({ otp_token, password }: z.infer<typeof resetForm>): Promise<void> => {
    const answer = entered.current ?? (await login({ email: sent.email, otp_token }))
    entered.current = answer
    const { user, set_password_otp_token } = answer
    await call(methods.users.setPassword, {
      params: userIds(user.name),
      body: { name: user.name, otp_token: set_password_otp_token, password },
    })
    useSession.setState({ passwordOTPToken: null })
    notify('success', 'Password updated')
    await enter(answer)
  }
  return (
    <>
      <Form form={form} onSubmit={submit} label="Reset password" className="space-y-4">
        <CodeField label="One-time code" />
        <NewPasswordField name="password" label="New password" />
        <CodesNotMailed />
        <div className="pt-1">
          <SubmitButton wide>Set new password</SubmitButton>
        </div>
      </Form>
      <CodeHelp sent={sent} action="login" onSent={onSent} onChangeAddress={onChangeAddress} />
    </>
  )
}

/** Lets a user who forgot their password set a new one: a one-time code signs the user in. */
export const ForgotPasswordPage = () => {
  useDocumentTitle('Reset password')
  const known = useKnownEmail()
  const [email, setEmail] = useState(known)
  const [sent, setSent] = useSent()
  return (
    <EntryFrame
      title="Reset your password"
      description={
        sent === undefined ? (
          'Get a code by email to set a new one.'
        ) : (
          <>
            If there is an account for{' '}
            <strong className="font-medium text-ink">
              <EmailAddress email={sent.email} />
            </strong>
            , it gets a code that works for 10 minutes.
          </>
        )
      }
      footer={
        <p>
          <AuthLink to={entryPaths.login()} state={{ email: sent?.email ?? email }}>
            Back to sign-in
          </AuthLink>
        </p>
      }
    >
      {sent === undefined ? (
        <AddressStep
          name="Reset password"
          label="Email"
          action="login"
          button="Send reset code"
          known={email}
          onSent={setSent}
        />
      ) : (
        <ResetStep
          sent={sent}
          onSent={setSent}
          onChangeAddress={() => {
            setEmail(sent.email)
            setSent(undefined)
          }}
        />
      )}
    </EntryFrame>
  )
}
