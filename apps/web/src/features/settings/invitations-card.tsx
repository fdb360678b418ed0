import { useQuery } from '@tanstack/react-query'
import type { Invitation } from '@tributary/contract'
import { useState } from 'react'
import { QueryView } from '../../components/query-view.tsx'
import { roleTitle } from '../../lib/people/roles.ts'
import { useMailEnabled } from '../../lib/people/use-mail-enabled.ts'
import { invitationsQuery } from '../../lib/queries/organization-queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmailAddress } from '../../ui/forms/email-address.tsx'
import { CardList, CardRow } from '../../ui/lists/card-list.tsx'
import { DangerDialog } from '../../ui/overlays/danger-dialog.tsx'
import { NoMailNote } from '../../ui/page/no-mail-note.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useResendInvitation, useRevokeInvitation } from './membership-mutations.ts'

const isExpired = ({ expire_time }: Invitation): boolean => Date.parse(expire_time) <= Date.now()

const RevokeDialog = ({
  invitation,
  organization,
  onClose,
}: {
  invitation: Invitation
  organization: string
  onClose: () => void
}) => {
  const revoke = useRevokeInvitation(organization)
  return (
    <DangerDialog
      title="Revoke invitation"
      confirmLabel="Revoke"
      mutation={revoke}
      variables={invitation}
      onClosed={onClose}
    >
      The invitation of {invitation.invitee_email} stops working immediately.
    </DangerDialog>
  )
}

const Row = ({
  invitation,
  organization,
  onRevoke,
}: {
  invitation: Invitation
  organization: string
  onRevoke: () => void
}) => {
  const resend = useResendInvitation(organization)
  const expired = isExpired(invitation)
  return (
    <CardRow label={invitation.invitee_email}>
      <span className="min-w-0 flex-1 basis-56">
        <span className="flex flex-wrap items-center gap-2 text-sm">
          <EmailAddress email={invitation.invitee_email} />
          <Badge>{roleTitle(invitation.role.value)}</Badge>
          {expired && <Badge tone="warning">Expired</Badge>}
        </span>
        <span className="text-xs text-ink-3">
          Invited by {invitation.inviter} <RelativeTime time={invitation.send_time} /> ·{' '}
          {expired ? 'expired' : 'expires'} <RelativeTime time={invitation.expire_time} upcoming />
        </span>
      </span>
      <span className="flex items-center gap-1">
        <Button size="sm" loading={resend.isPending} onClick={() => resend.mutate(invitation)}>
          Resend
        </Button>
        <Button variant="none" size="sm" onClick={onRevoke}>
          Revoke
        </Button>
      </span>
    </CardRow>
  )
}

/** Open invitations, which can be sent again or revoked. */
export const InvitationsCard = ({ organization }: { organization: string }) => {
  const query = useQuery(invitationsQuery(organization))
  const [revoking, setRevoking] = useState<Invitation | undefined>()
  const mailEnabled = useMailEnabled()
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={2} />} errorTitle="Failed to load the invitations">
      {(invitations) => (
        <Card
          title={
            <span className="flex items-center gap-2">
              Pending invitations <Badge>{invitations.length}</Badge>
            </span>
          }
          description="An invitation works for 7 days and only for its address."
        >
          {!mailEnabled && invitations.length > 0 && (
            <div className="mb-3">
              <NoMailNote>These were not emailed. Share an invitation link instead.</NoMailNote>
            </div>
          )}
          {invitations.length === 0 ? (
            <p className="text-sm text-ink-2">No pending invitations. Use Invite to add people by email.</p>
          ) : (
            <CardList>
              {invitations.map((invitation) => (
                <Row
                  key={invitation.name}
                  invitation={invitation}
                  organization={organization}
                  onRevoke={() => setRevoking(invitation)}
                />
              ))}
            </CardList>
          )}
          {revoking !== undefined && (
            <RevokeDialog invitation={revoking} organization={organization} onClose={() => setRevoking(undefined)} />
          )}
        </Card>
      )}
    </QueryView>
  )
}
