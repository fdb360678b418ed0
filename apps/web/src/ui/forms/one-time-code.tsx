import { type ReactNode, useEffect, useState } from 'react'
import { failureText } from '../../lib/api/errors.ts'
import { Button } from '../button.tsx'
import { notify } from '../overlays/toast.tsx'
import { TextField } from './form.tsx'

/** Time in ms after which a code can be requested again. */
export const resendAfterMs = 30_000

/** The input for a code. Must be inside a Form. */
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

/** Returns the whole seconds until a code that was sent at `sentAt` can be requested again. */
const useSecondsLeft = (sentAt: number): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  // The clock of this component can be slightly behind `sentAt`, so the time is limited.
  return Math.ceil(Math.min(resendAfterMs, Math.max(0, sentAt + resendAfterMs - now)) / 1000)
}

/**
 * Offers help if no code arrives: sending it again 30 seconds after the last time (`sentAt`, Unix time in ms), or the
 * action beside it. Shows errors of `send`.
 */
export const ResendCode = ({
  sentAt,
  send,
  children,
}: {
  sentAt: number
  send: () => Promise<void>
  children?: ReactNode
}) => {
  const left = useSecondsLeft(sentAt)
  const [sending, setSending] = useState(false)
  const [failure, setFailure] = useState<string>()
  const resend = async (): Promise<void> => {
    setSending(true)
    setFailure(undefined)
    try {
      await send()
      notify('success', 'New code requested')
    } catch (error) {
      setFailure(failureText(error))
    }
    setSending(false)
  }
  return (
    <div className="mt-4 space-y-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm">
        <Button variant="link" size="sm" disabled={left > 0} loading={sending} onClick={() => void resend()}>
          {left > 0 ? `Resend code in ${left} s` : 'Resend code'}
        </Button>
        {children}
      </div>
      {failure !== undefined && (
        <p role="alert" className="text-xs text-danger-ink">
          {failure}
        </p>
      )}
    </div>
  )
}
