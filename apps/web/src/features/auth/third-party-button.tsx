import { LogIn } from 'lucide-react'
import { useEffect, useState } from 'react'
import { formFailure } from '../../lib/api/errors.ts'
import { useConfig } from '../../lib/config.ts'
import { Button } from '../../ui/button.tsx'
import type { Mode } from './third-party.ts'

/** A link to the configured third-party sign-in; nothing if none is configured. */
export const ThirdPartyButton = ({ mode }: { mode: Mode }) => {
  const config = useConfig()
  const [leaving, setLeaving] = useState(false)
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    // After the Back button, the browser may show this page as it was when the user left.
    const shown = (): void => setLeaving(false)
    window.addEventListener('pageshow', shown)
    return () => window.removeEventListener('pageshow', shown)
  }, [])
  if (config?.oauth === undefined || config.oauth === null) return null
  const { provider, display_name } = config.oauth
  const leave = async (): Promise<void> => {
    setLeaving(true)
    setFailure(undefined)
    try {
      const { leaveForProvider } = await import('./third-party.ts')
      await leaveForProvider(provider, mode)
    } catch (error) {
      const { fields, form } = formFailure(error)
      setFailure(form?.message ?? fields[0]?.message ?? 'Could not reach the sign-in page. Try again.')
      setLeaving(false)
    }
  }
  return (
    <div className="mt-5">
      <div aria-hidden className="mb-5 flex items-center gap-3 text-xs text-ink-3">
        <span className="h-px flex-1 bg-line" />
        or
        <span className="h-px flex-1 bg-line" />
      </div>
      <Button size="lg" className="w-full" loading={leaving} onClick={() => void leave()}>
        <LogIn aria-hidden />
        Continue with {display_name}
      </Button>
      {failure !== undefined && (
        <p role="alert" className="mt-2 text-xs text-danger-ink">
          {failure}
        </p>
      )}
    </div>
  )
}
