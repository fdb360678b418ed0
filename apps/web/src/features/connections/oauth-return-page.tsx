import { TriangleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { failureText } from '../../lib/api/errors.ts'
import { askForConsent, completeConsent, destinationOfState } from '../../lib/browser/consent.ts'
import { announceConnected } from '../../lib/browser/grant-channel.ts'
import { paths } from '../../lib/paths.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { useDocumentTitle } from '../../ui/page/document-title.ts'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'

type Area = 'sources' | 'destinations'

const Back = ({ area, destination }: { area: Area; destination?: string | undefined }) => (
  <ButtonLink
    to={destination === undefined ? paths.shortcut(area) : paths.destination(destination, 'settings')}
    variant={destination === undefined ? 'primary' : 'secondary'}
  >
    {destination !== undefined
      ? 'Back to the destination'
      : area === 'sources'
        ? 'Back to sources'
        : 'Back to destinations'}
  </ButtonLink>
)

/** Shows why the consent failed, and a button for trying again if the destination is known. */
const Failed = ({ area, destination, reason }: { area: Area; destination: string | undefined; reason: string }) => {
  const [asking, setAsking] = useState(false)
  const [failure, setFailure] = useState('')
  const again = async (name: string): Promise<void> => {
    setAsking(true)
    setFailure('')
    try {
      window.location.assign(await askForConsent(name))
    } catch (error) {
      setAsking(false)
      setFailure(failureText(error))
    }
  }
  return (
    <EntryFrame title="Access was not granted" description={`${reason} Nothing changed.`}>
      {failure !== '' && (
        <Alert className="mb-4 flex gap-2 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {failure}
        </Alert>
      )}
      <div className="flex flex-wrap gap-2">
        {destination !== undefined && (
          <Button variant="primary" loading={asking} onClick={() => void again(destination)}>
            Try again
          </Button>
        )}
        <Back area={area} destination={destination} />
      </div>
    </EntryFrame>
  )
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/**
 * Completes a consent with the returned code. Then a popup closes itself, and any other window opens the destination.
 */
const Completing = ({ destination, code, state }: { destination: string; code: string; state: string }) => {
  useDocumentTitle('Connecting')
  const navigate = useNavigate()
  const [outcome, setOutcome] = useState<{ failure: string } | 'connected'>()
  const started = useRef(false)
  useEffect(() => {
    if (started.current) return
    started.current = true
    const leave = (): void => {
      announceConnected(destination)
      if (window.opener === null) return void navigate(paths.destination(destination, 'settings'), { replace: true })
      setOutcome('connected')
      window.close()
    }
    completeConsent(destination, code, state).then(leave, (error: unknown) =>
      setOutcome({ failure: failureText(error) }),
    )
  }, [destination, code, state, navigate])
  if (outcome === 'connected')
    return (
      <EntryFrame title="Connected" description="You can close this window.">
        <Back area="destinations" destination={destination} />
      </EntryFrame>
    )
  if (outcome !== undefined)
    return <Failed area="destinations" destination={destination} reason={sentence(outcome.failure)} />
  return (
    <main className="grid min-h-dvh place-items-center text-ink-3">
      <h1 className="sr-only">Connecting</h1>
      <Spinner size="lg" label="Connecting" />
    </main>
  )
}

/** The page to which a vendor returns after the user granted or refused access. */
export const OauthReturnPage = ({ area }: { area: Area }) => {
  useDocumentTitle('Connection')
  const [search] = useSearchParams()
  const [code, state] = [search.get('code'), search.get('state')]
  const destination = destinationOfState(state)
  const refused = search.get('error_description') ?? search.get('error')
  if (refused !== null)
    return <Failed area={area} destination={destination} reason={`The provider answered: ${refused.slice(0, 300)}.`} />
  if (destination !== undefined && code !== null && state !== null)
    return <Completing destination={destination} code={code} state={state} />
  return (
    <EntryFrame
      title="No connection is waiting for this approval"
      description="It was started in another browser, or was used already. Nothing changed."
    >
      <Back area={area} />
    </EntryFrame>
  )
}

/** The page to which vendors return after a consent for a source. */
export const AppOauthReturnPage = () => <OauthReturnPage area="sources" />

/** The page to which vendors return after a consent for a destination. */
export const DestinationOauthReturnPage = () => <OauthReturnPage area="destinations" />
