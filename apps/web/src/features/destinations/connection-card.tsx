import type { Destination, OAuthGrant } from '@tributary/contract'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { returnAddress } from '../../lib/browser/consent.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/code/copy-button.tsx'
import { WithCode } from '../../ui/code/with-code.tsx'
import { DangerDialog } from '../../ui/overlays/danger-dialog.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useDisconnect } from './mutations.ts'
import { type Connecting, useConnect } from './use-connect.ts'

const words = { none: 'Connect', expired: 'Reconnect', connected: 'Reconnect' } as const

const ConnectButton = ({ grant, connecting }: { grant: OAuthGrant; connecting: Connecting }) => (
  <Button
    variant={grant.status === 'connected' ? 'secondary' : 'primary'}
    loading={connecting.asking}
    disabled={grant.missing !== ''}
    onClick={connecting.begin}
  >
    {words[grant.status]}
  </Button>
)

const BlockedPopup = ({ link }: { link: string }) => (
  <p role="alert" className="mt-3 text-sm text-ink-2">
    Your browser blocked the sign-in window.{' '}
    <a href={link} className="rounded-sm font-medium text-accent-ink underline underline-offset-3">
      Continue in this window
    </a>
    . You return here afterward.
  </p>
)

const Status = ({ grant }: { grant: OAuthGrant }) => {
  const since = grant.connect_time !== null && <RelativeTime time={grant.connect_time} />
  const account = grant.account !== '' && <span className="font-medium text-ink">{grant.account}</span>
  if (grant.status === 'none') return <Badge>Not connected</Badge>
  if (grant.status === 'expired')
    return (
      <Badge tone="danger" dot>
        Expired
      </Badge>
    )
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-ink-2">
      <Badge tone="success" dot>
        Connected
      </Badge>
      <span>
        {account && <>as {account}, </>}
        {since}
      </span>
    </p>
  )
}

/** The OAuth grant of a destination: its state, account and date, and how to change it. */
export const ConnectionCard = ({ destination, grant }: { destination: Destination; grant: OAuthGrant }) => {
  const mayEdit = useMayEdit() === true
  const connecting = useConnect(destination)
  const disconnect = useDisconnect(destination)
  const [ending, setEnding] = useState(false)
  return (
    <Card
      title="Connection"
      description="Sign in to the destination's account to let Tributary send events there. Access renews automatically."
      action={
        mayEdit && (
          <div className="flex gap-2">
            {grant.status !== 'none' && (
              <Button
                onClick={() => {
                  disconnect.reset()
                  setEnding(true)
                }}
              >
                Disconnect
              </Button>
            )}
            <ConnectButton grant={grant} connecting={connecting} />
          </div>
        )
      }
    >
      <Status grant={grant} />
      {grant.error !== '' && (
        <p className="mt-2 flex gap-2 text-sm text-danger-ink">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <WithCode text={grant.error} />
        </p>
      )}
      {grant.missing !== '' && <p className="mt-2 text-sm text-ink-2">Fill in {grant.missing} below first.</p>}
      {connecting.link !== undefined && <BlockedPopup link={connecting.link} />}
      <div className="mt-4 text-xs text-ink-2">
        <p>Redirect URL to register with the provider's OAuth client:</p>
        <p className="mt-1 flex items-center gap-1">
          <code className="min-w-0 rounded-sm bg-hover px-1.5 py-0.5 font-mono break-all text-ink">
            {returnAddress()}
          </code>
          <CopyButton text={returnAddress()} name="Copy redirect URL" notice="Redirect URL copied" size="xs" />
        </p>
      </div>
      {ending && (
        <DangerDialog
          title="Disconnect"
          confirmLabel="Disconnect"
          mutation={disconnect}
          variables={undefined}
          onClosed={() => setEnding(false)}
        >
          Tributary forgets its access, and events for {destination.title} are held until you reconnect. You may also
          have to revoke access at the provider.
        </DangerDialog>
      )}
    </Card>
  )
}

/** Shows on every tab that a destination must be connected, with a button that does so. */
export const ConnectionNotice = ({ destination, grant }: { destination: Destination; grant: OAuthGrant }) => {
  const mayEdit = useMayEdit() === true
  const connecting = useConnect(destination)
  const expired = grant.status === 'expired'
  return (
    <section
      aria-label="Connection needed"
      className="mb-5 rounded-lg border border-warning/50 bg-warning-soft px-4 py-3 text-sm"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <TriangleAlert aria-hidden className="size-4 shrink-0 text-warning-ink" />
        <p className="min-w-0 flex-1 basis-60 text-ink">
          {expired
            ? `${grant.error || 'The connection has expired'}.`
            : 'This destination is not connected to an account.'}{' '}
          Its events are held until {expired ? 'you reconnect it' : 'you connect it'}.
          {grant.missing !== '' && ` Set ${grant.missing} first.`}
        </p>
        {mayEdit && <ConnectButton grant={grant} connecting={connecting} />}
      </div>
      {connecting.link !== undefined && <BlockedPopup link={connecting.link} />}
    </section>
  )
}
