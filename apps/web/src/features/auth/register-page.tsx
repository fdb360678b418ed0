import { oneTimeCode } from '@tributary/contract'
import { useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { useConfig } from '../../lib/config.ts'
import { entryPaths } from '../../lib/entry-paths.ts'
import { register } from '../../lib/people/ways-in.ts'
import { EmailAddress } from '../../ui/forms/email-address.tsx'
import { Form, SubmitButton } from '../../ui/forms/form.tsx'
import { useFirstField } from '../../ui/forms/form-state.ts'
import { CodeField } from '../../ui/forms/one-time-code.tsx'
import { useDocumentTitle } from '../../ui/page/document-title.ts'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'
import { AuthLink } from './auth-link.tsx'
import { type Sent, useKnownEmail } from './handed-over.ts'
import { AddressStep, CodeHelp, CodesNotMailed } from './one-time-code.tsx'
import { firstStep, forgetSignUp, readSignUp, type SignUpStep, saveSignUp } from './saved-sign-up.ts'
import { ThirdPartyButton } from './third-party-button.tsx'
import { useEnter } from './use-enter.ts'

const codeForm = z.object({ otp_token: oneTimeCode })

const BackToLogin = () => (
  <p>
    Already have an account? <AuthLink to={entryPaths.login()}>Sign in</AuthLink>
  </p>
)

const External = ({ href, children }: { href: string; children: string }) => (
  <a href={href} target="_blank" rel="noopener" className="rounded-sm underline underline-offset-3 hover:text-ink">
    {children}
  </a>
)

/** Links to the terms and the privacy policy, if their URLs are configured. */
const LegalLinks = () => {
  const config = useConfig()
  const terms = config?.links.terms ?? ''
  const privacy = config?.links.privacy ?? ''
  if (terms === '' && privacy === '') return null
  return (
    <p className="text-xs text-balance text-ink-3">
      By signing up you agree to our {terms !== '' && <External href={terms}>Terms of Service</External>}
      {terms !== '' && privacy !== '' && ' and '}
      {privacy !== '' && <External href={privacy}>Privacy Policy</External>}.
    </p>
  )
}

const EmailStep = ({ known, onSent }: { known: string; onSent: (sent: Sent) => void }) => {
  useDocumentTitle('Sign up')
  return (
    <EntryFrame
      title="Sign up"
      description="A code confirms that the address is yours."
      footer={
        <>
          <BackToLogin />
          <LegalLinks />
        </>
      }
    >
      <AddressStep
        name="Sign up"
        label="Work email"
        action="sign up"
        button="Verify Email"
        known={known}
        onSent={onSent}
      />
      <ThirdPartyButton mode="register" />
    </EntryFrame>
  )
}

const CodeStep = ({
  email,
  sentAt,
  otp,
  onSent,
  onChangeAddress,
}: Sent & { otp: string; onSent: (sent: Sent) => void; onChangeAddress: () => void }) => {
  useDocumentTitle('Verify your email')
  const enter = useEnter()
  const form = useApiForm(codeForm, { otp_token: otp })
  useFirstField(form, 'otp_token')
  const formElement = useRef<HTMLDivElement>(null)
  const sentByItself = useRef(false)
  useEffect(() => {
    if (sentByItself.current || !oneTimeCode.safeParse(otp).success) return
    sentByItself.current = true
    formElement.current?.querySelector('form')?.requestSubmit()
  }, [otp])
  return (
    <EntryFrame
      title="Verify your email"
      description={
        <>
          Enter the code for{' '}
          <strong className="font-medium text-ink">
            <EmailAddress email={email} />
          </strong>
          . It expires in 10 minutes.
        </>
      }
      footer={<BackToLogin />}
    >
      <div ref={formElement}>
        <Form
          form={form}
          onSubmit={async ({ otp_token }) => enter(await register({ email, otp_token }))}
          label="Verify your email"
          className="space-y-4"
        >
          <CodeField label="Verification code" />
          <CodesNotMailed />
          <div className="pt-1">
            <SubmitButton wide>Continue</SubmitButton>
          </div>
        </Form>
      </div>
      <CodeHelp sent={{ email, sentAt }} action="sign up" onSent={onSent} onChangeAddress={onChangeAddress} />
    </EntryFrame>
  )
}

/**
 * Sign-up: an email address, then the code that was sent to it. A link in the email contains both and continues
 * automatically.
 */
export const RegisterPage = () => {
  const [query] = useSearchParams()
  const navigate = useNavigate()
  const known = useKnownEmail()
  const [step, setStep] = useState<SignUpStep>(() => {
    const first = firstStep(query, readSignUp(), Date.now())
    return first.step === 'email' && first.email === '' ? { ...first, email: known } : first
  })
  const hasCode = query.has('otp')
  useEffect(() => {
    // A code must not stay in the URL, because it works once and the history stores it.
    if (hasCode) void navigate(entryPaths.register(), { replace: true })
  }, [hasCode, navigate])
  const sent = (next: Sent): void => {
    saveSignUp(next)
    setStep({ step: 'code', ...next, otp: '' })
  }
  if (step.step === 'email') return <EmailStep known={step.email} onSent={sent} />
  return (
    <CodeStep
      email={step.email}
      sentAt={step.sentAt}
      otp={step.otp}
      onSent={sent}
      onChangeAddress={() => {
        forgetSignUp()
        setStep({ step: 'email', email: step.email })
      }}
    />
  )
}
