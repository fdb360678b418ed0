import { methods, newPassword, oneTimeCode } from '@tributary/contract'
import { useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { NewPasswordField } from '../../components/password-field.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { ApiError } from '../../lib/api/errors.ts'
import { userIds } from '../../lib/format/names.ts'
import { sessionOfLogin, useSession } from '../../lib/people/session.ts'
import { useMailEnabled } from '../../lib/people/use-mail-enabled.ts'
import { useCurrentUser } from '../../lib/workspace.ts'
import { Card } from '../../ui/card.tsx'
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { useFirstField } from '../../ui/forms/form-state.ts'
import { CodeField, ResendCode } from '../../ui/forms/one-time-code.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { NoMailNote } from '../../ui/page/no-mail-note.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'

/** Validates the two fields: the new password follows the five rules, and both are equal. */
export const passwordForm = z
  .object({ password: newPassword, confirmation: z.string() })
  .superRefine(({ password, confirmation }, context) => {
    if (confirmation === password) return
    const message = confirmation === '' ? 'Re-enter the new password' : 'The passwords do not match'
    context.addIssue({ code: 'custom', path: ['confirmation'], message })
  })
type Passwords = z.infer<typeof passwordForm>

const codeForm = z.object({ otp_token: oneTimeCode })

const nothing = z.object({})

const setToken = (passwordOTPToken: string | null): void => {
  useSession.setState({ passwordOTPToken })
}

/** Sends a code and exchanges it for a one-time token, with which the password is then changed. */
const CodeStep = ({ email, again }: { email: string; again: boolean }) => {
  const [sentAt, setSentAt] = useState<number | undefined>()
  const mailEnabled = useMailEnabled()
  const form = useApiForm<z.infer<typeof nothing>>(nothing, {})
  const send = async (): Promise<void> => {
    await call(methods.users.sendOtp, { body: { email, action: 'login' } })
    setSentAt(Date.now())
  }
  return (
    <Card
      title="Confirm it's you"
      description={
        again
          ? 'The confirmation was used or has expired. Get a new code to continue.'
          : 'Before you change your password, confirm your email with a one-time code.'
      }
    >
      <p className="mb-4 text-sm text-ink-2">
        {sentAt === undefined ? 'The code is for ' : 'Enter the code for '}
        <strong className="font-medium wrap-anywhere text-ink">{email}</strong>.
      </p>
      {!mailEnabled && (
        <div className="mb-4">
          <NoMailNote>The code is in the outbox folder of the server.</NoMailNote>
        </div>
      )}
      {sentAt === undefined ? (
        <Form form={form} onSubmit={send} label="Send a code" className="space-y-4">
          <SubmitButton>Send me a code</SubmitButton>
        </Form>
      ) : (
        <>
          <CodeForm email={email} />
          <ResendCode sentAt={sentAt} send={send} />
        </>
      )}
    </Card>
  )
}

const CodeForm = ({ email }: { email: string }) => {
  const form = useApiForm<z.infer<typeof codeForm>>(codeForm, { otp_token: '' })
  useFirstField(form, 'otp_token')
  const submit = async ({ otp_token }: z.infer<typeof codeForm>): Promise<void> => {
    const answer = await call(methods.users.loginOtp, { body: { email, otp_token } })
    // The code allows the change only in the session that it started. The user continues in that session; the previous
    // session ends with the change.
    const { accessToken, passwordOTPToken, courierToken, intercomToken } = sessionOfLogin(answer)
    useSession.setState({ accessToken, passwordOTPToken, courierToken, intercomToken })
  }
  return (
    <Form form={form} onSubmit={submit} label="Enter the code" className="space-y-4">
      <CodeField label="One-time code" />
      <div className="flex justify-end">
        <SubmitButton>Continue</SubmitButton>
      </div>
    </Form>
  )
}

const PasswordStep = ({ user, token, onRefused }: { user: string; token: string; onRefused: () => void }) => {
  const form = useApiForm<Passwords>(passwordForm, { password: '', confirmation: '' })
  const submit = async ({ password }: Passwords): Promise<void> => {
    try {
      await call(methods.users.setPassword, { params: userIds(user), body: { name: user, otp_token: token, password } })
    } catch (error) {
      if (!(error instanceof ApiError && error.body.reason === 'INVALID_TOKEN')) throw error
      onRefused()
      return
    }
    setToken(null)
    notify('success', 'Password updated')
  }
  return (
    <Card title="New password" description="Changing it signs you out of all other sessions.">
      <Form form={form} onSubmit={submit} label="Change password" className="space-y-4">
        <NewPasswordField name="password" label="New password" />
        <TextField
          name="confirmation"
          label="Confirm new password"
          type="password"
          required
          autoComplete="new-password"
        />
        <div className="flex justify-end">
          <SubmitButton>Save Changes</SubmitButton>
        </div>
      </Form>
    </Card>
  )
}

/**
 * Sets a new password. Uses the one-time token of the login; if that token is used or expired, an emailed code provides
 * another one.
 */
export const ChangePasswordPage = () => {
  const { user } = useCurrentUser()
  const token = useSession((state) => state.passwordOTPToken)
  const [again, setAgain] = useState(false)
  return (
    <>
      <PageHeader title="Change password" description="Choose a password you don't use anywhere else." />
      <QueryView
        query={user}
        skeleton={
          <div className="max-w-2xl">
            <CardSkeleton lines={3} />
          </div>
        }
        errorTitle="Failed to load your account"
      >
        {({ name, email }) => (
          <div className="max-w-2xl">
            {token === null || token === '' ? (
              <CodeStep email={email} again={again} />
            ) : (
              <PasswordStep
                user={name}
                token={token}
                onRefused={() => {
                  setAgain(true)
                  setToken(null)
                }}
              />
            )}
          </div>
        )}
      </QueryView>
    </>
  )
}
