import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { administrators, type InvitationLink, methods, type Role, roles, toRole } from '@tributary/contract'
import { Link2, Plus } from 'lucide-react'
import { useState } from 'react'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { invitationLinkIds, organizationIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { roleIndex, roleTitle } from '../../lib/people/roles.ts'
import { rowsQuery } from '../../lib/queries/query.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/code/copy-button.tsx'
import { Select } from '../../ui/forms/input.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { CardList, CardRow } from '../../ui/lists/card-list.tsx'
import { DangerDialog } from '../../ui/overlays/danger-dialog.tsx'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** Reads the invitation links that are still valid. */
const invitationLinksQuery = (organization: string) =>
  rowsQuery(
    methods.invitationLinks.list,
    { params: organizationIds(organization) },
    ({ invitation_links }) => invitation_links,
  )

/** Creates a link with which any user can join. */
const useCreateInvitationLink = (organization: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (role: Role) =>
      call(methods.invitationLinks.create, {
        params: organizationIds(organization),
        body: { role: roleIndex(role) },
      }),
    onError: (error) => notifyRefusal('Could not create the link', error),
    onSuccess: () => notify('success', 'Invitation link created'),
    onSettled: () => cache.invalidateQueries({ queryKey: invitationLinksQuery(organization).queryKey }),
  })
}

/** Ends an invitation link immediately. */
const useRevokeInvitationLink = (organization: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ name }: InvitationLink) => call(methods.invitationLinks.delete, { params: invitationLinkIds(name) }),
    onSuccess: () => notify('success', 'Invitation link revoked'),
    onSettled: () => cache.invalidateQueries({ queryKey: invitationLinksQuery(organization).queryKey }),
  })
}

/**
 * Roles that an invitation link can give. Every user who has the link gets its role, so the roles of administrators are
 * excluded.
 */
const linkRoles = roles.filter((role) => !administrators.includes(role))

const Create = ({ organization }: { organization: string }) => {
  const create = useCreateInvitationLink(organization)
  const [role, setRole] = useState<Role>('ORG_COLLABORATOR')
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="Role of the new link"
        value={role}
        onChange={(event) => setRole(toRole(event.target.value))}
        className="w-40"
      >
        <Options of={linkRoles} title={roleTitle} />
      </Select>
      <Button loading={create.isPending} onClick={() => create.mutate(role)}>
        <Plus aria-hidden />
        Create link
      </Button>
    </span>
  )
}

const RevokeDialog = ({
  link,
  organization,
  onClose,
}: {
  link: InvitationLink
  organization: string
  onClose: () => void
}) => {
  const revoke = useRevokeInvitationLink(organization)
  return (
    <DangerDialog
      title="Revoke invitation link"
      confirmLabel="Revoke link"
      mutation={revoke}
      variables={link}
      onClosed={onClose}
    >
      No one can join with this link anymore. People who already joined stay members.
    </DangerDialog>
  )
}

const Row = ({ link, onRevoke }: { link: InvitationLink; onRevoke: () => void }) => {
  const address = `${window.location.origin}${paths.invitationLink(link.name)}`
  return (
    <CardRow>
      <Link2 aria-hidden className="size-4 shrink-0 text-ink-3 max-sm:hidden" />
      <span className="min-w-0 flex-1 basis-56">
        <code className="block truncate font-mono text-xs" title={address}>
          {address}
        </code>
        <span className="mt-1 flex items-center gap-2 text-xs text-ink-3">
          <Badge>{roleTitle(link.role.value)}</Badge>
          <span>
            expires <RelativeTime time={link.expire_time} upcoming />
          </span>
        </span>
      </span>
      <span className="flex items-center gap-1">
        <CopyButton text={address} name="Copy link" label="Copy link" notice="Invitation link copied" />
        <Button variant="none" size="sm" onClick={onRevoke}>
          Revoke
        </Button>
      </span>
    </CardRow>
  )
}

/**
 * The invitation links of an organization, with buttons that create, copy and revoke them. Every user who has a link
 * can join.
 */
export const InvitationLinksCard = ({ organization }: { organization: string }) => {
  const query = useQuery(invitationLinksQuery(organization))
  const [revoking, setRevoking] = useState<InvitationLink | undefined>()
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={2} />} errorTitle="Failed to load the invitation links">
      {(links) => (
        <Card
          title="Invitation links"
          description="Anyone with the link can join for 7 days. Share it only with people you trust."
          action={<Create organization={organization} />}
        >
          {links.length === 0 ? (
            <p className="text-sm text-ink-2">No links yet. Create one to share in a chat or on an internal page.</p>
          ) : (
            <CardList>
              {links.map((link) => (
                <Row key={link.name} link={link} onRevoke={() => setRevoking(link)} />
              ))}
            </CardList>
          )}
          {revoking !== undefined && (
            <RevokeDialog link={revoking} organization={organization} onClose={() => setRevoking(undefined)} />
          )}
        </Card>
      )}
    </QueryView>
  )
}
