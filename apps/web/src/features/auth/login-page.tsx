import { useEffect, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { useConfig } from '../../lib/config.ts'
import { entryPaths } from '../../lib/entry-paths.ts'
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { useFirstField, useRuledForm } from '../../ui/forms/form-state.ts'
import { CodeField, resendAfterMs } from '../../ui/forms/one-time-code.tsx'
import { useDocumentTitle } from '../../ui/page/document-title.ts'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'
import { AuthLink } from './auth-link.tsx'
import { type Sent, useKnownEmail, useSent } from './handed-over.ts'
import { laterRules, signingIn, warmUp } from './load-signing-in.ts'
import { AddressStep, CodeHelp, CodesNotMailed, SentAddress } from './one-time-code.tsx'
import { ThirdPartyButton } from './third-party-button.tsx'
import { useEnter } from './use-enter.ts'

const credentialsRules = laterRules(({ credentials }) => credentials)
const codeRules = laterRules(({ code }) => code)

type Way = { email: string; onEmail: (email: string) => void }

const PasswordLogin = ({ email, onEmail }: Way) => {
  const enter = useEnter()
  const form = useRuledForm(credentialsRules, { email, password: '' })
  useFirstField(form, email === '' ? 'email' : 'password')
  useEffect(() => {
    let { values } = form.read()
    return form.subscribe(() => {
      const before = values
      values = form.read().values
      if (values === before) return
      warmUp()
      onEmail(values.email)
    })
  }, [form, onEmail])
  return (
    <Form
      form={form}
      onSubmit={async (values) => enter(await (await signingIn()).login(values))}
      label="Sign in"
      className="space-y-4"
    >
      <TextField name="email" label="Email" type="email" required autoComplete="username" inputMode="email" />
      <div>
        <TextField name="password" label="Password" type="password" required autoComplete="current-password" />
        <p className="mt-1.5 text-right text-xs">
          <AuthLink to={entryPaths.forgotPassword()} state={{ email }}>
            Forgot password?
          </AuthLink>
        </p>
      </div>
      <SubmitButton wide>Sign in</SubmitButton>
    </Form>
  )
}

const CodeLogin = ({ sent, otp, onSent, onChangeAddress }: CodeStep) => {
  const enter = useEnter()
  const form = useRuledForm(codeRules, { email: sent.email, otp_token: otp })
  useFirstField(form, 'otp_token')
  return (
    <>
      <Form
        form={form}
        onSubmit={async (values) => enter(await (await signingIn()).login(values))}
        label="Sign in"
        className="space-y-4"
      >
        <SentAddress label="Email" />
        <CodeField
          label="One-time passcode"
          hint="If this address has an account, it gets a passcode that works for 10 minutes."
        />
        <CodesNotMailed />
        <div className="pt-1">
          <SubmitButton wide>Login using one-time passcode</SubmitButton>
        </div>
      </Form>
      <CodeHelp sent={sent} action="login" onSent={onSent} onChangeAddress={onChangeAddress} />
    </>
  )
}

type CodeStep = { sent: Sent; otp: string; onSent: (sent: Sent) => void; onChangeAddress: () => void }

const OneTimeCodeLogin = ({ email, onEmail }: Way) => {
  const [query] = useSearchParams()
  const navigate = useNavigate()
  const [sent, setSent] = useSent()
  // The link in the email contains the code. It must not stay in the URL, because it works once and the history stores
  // it.
  const brought = query.get('otp') ?? ''
  const [otp, setOtp] = useState(brought)
  useEffect(() => {
    if (brought === '') return
    const state = email === '' ? null : { sent: { email, sentAt: Date.now() - resendAfterMs } }
    void navigate(entryPaths.login({ method: 'otp' }), { replace: true, state })
  }, [brought, email, navigate])
  const changeAddress = (): void => {
    setOtp('')
    setSent(undefined)
  }
  if (sent !== undefined) return <CodeLogin sent={sent} otp={otp} onSent={setSent} onChangeAddress={changeAddress} />
  return (
    <AddressStep
      name="Sign in"
      label="Email"
      action="login"
      button="Request temporary access"
      known={email}
      onSent={(next) => {
        onEmail(next.email)
        setSent(next)
      }}
    />
  )
}

/** Sign-in: with email address and password, by a one-time code (`?method=otp`), or with a third party. */
export const LoginPage = () => {
  useDocumentTitle('Sign in')
  const [query] = useSearchParams()
  const known = useKnownEmail()
  const [email, setEmail] = useState(known)
  const config = useConfig()
  const byCode = query.get('method') === 'otp'
  return (
    <EntryFrame
      title="Sign in"
      description={byCode ? 'Get a one-time passcode by email.' : 'Use your work email and password.'}
      footer={
        config?.sign_up_enabled === false ? undefined : (
          <p>
            New here?{' '}
            <AuthLink to={entryPaths.register()} state={{ email }}>
              Sign up
            </AuthLink>
          </p>
        )
      }
    >
      {byCode ? (
        <OneTimeCodeLogin email={email} onEmail={setEmail} />
      ) : (
        <PasswordLogin email={email} onEmail={setEmail} />
      )}
      <p className="mt-4 text-center text-sm">
        <AuthLink to={byCode ? entryPaths.login() : entryPaths.login({ method: 'otp' })}>
          {byCode ? 'Use your password instead' : 'Use a one-time code instead'}
        </AuthLink>
      </p>
      <ThirdPartyButton mode="login" />
    </EntryFrame>
  )
}
