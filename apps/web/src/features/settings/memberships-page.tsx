import { useQuery } from '@tanstack/react-query'
import type { Organization } from '@tributary/contract'
import { UserPlus } from 'lucide-react'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { openInvite } from '../../lib/people/invite.ts'
import { membersQuery } from '../../lib/queries/organization-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { TableSkeleton } from '../../ui/page/skeleton.tsx'
import { InvitationLinksCard } from './invitation-links-card.tsx'
import { InvitationsCard } from './invitations-card.tsx'
import { MembershipsTable } from './memberships-table.tsx'

const Content = ({ organization }: { organization: Organization }) => {
  const members = useQuery(membersQuery(organization.name))
  return (
    <>
      <PageHeader
        title="Members"
        description={`Manage who belongs to ${organization.display_name} and their roles.`}
        action={
          <Button variant="primary" onClick={openInvite}>
            <UserPlus aria-hidden />
            Invite
          </Button>
        }
      />
      <div className="space-y-6">
        <QueryView
          query={members}
          skeleton={<TableSkeleton rows={4} columns={4} />}
          errorTitle="Failed to load the members"
        >
          {(rows) => <MembershipsTable organization={organization} members={rows} />}
        </QueryView>
        <InvitationsCard organization={organization.name} />
        <InvitationLinksCard organization={organization.name} />
      </div>
    </>
  )
}

/** The members of the organization, its open invitations, and its invitation links. */
export const MembershipsPage = () => {
  const { organization } = useWorkspace()
  if (organization === null) return <ErrorScreen page error={new Error('No organization found')} />
  return <Content organization={organization} />
}
