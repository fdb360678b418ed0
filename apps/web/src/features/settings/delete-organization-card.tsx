import { useQuery } from '@tanstack/react-query'
import { methods, type Organization } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { organizationIds } from '../../lib/format/names.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { usageQuery } from '../../lib/queries/organization-queries.ts'
import { DeleteByTitle, DeleteCard } from './delete-by-title.tsx'

/** The dialog, with the data that is deleted and known numbers. */
const DeleteDialog = ({
  onClose,
  organization: { name, display_name: title },
}: {
  onClose: () => void
  organization: Pick<Organization, 'name' | 'display_name'>
}) => {
  const { data: usage } = useQuery(usageQuery(name))
  const many = (number: number | undefined, noun: string): string =>
    number === undefined ? `${noun}s` : `${count(number)} ${pluralise(number, noun)}`
  return (
    <DeleteByTitle
      onClose={onClose}
      what="organization"
      title={title}
      remove={(typed) => call(methods.organizations.delete, { params: organizationIds(name), body: { title: typed } })}
    >
      <li>
        {many(usage?.workspaces, 'workspace')}, with {many(usage?.sources, 'source')},{' '}
        {many(usage?.destinations, 'destination')}, {many(usage?.syncs, 'sync')}, and{' '}
        {many(usage?.audiences, 'audience')}
      </li>
      <li>All events, deliveries, and profiles</li>
      <li>Access of all members, invitations, API keys, and custom domains</li>
      <li>
        The subscription: it is canceled immediately, and nothing is refunded. Additional profiles used so far are
        billed
      </li>
    </DeleteByTitle>
  )
}

/** Deletes the organization after its name was typed. */
export const DeleteOrganizationCard = ({
  organization,
}: {
  organization: Pick<Organization, 'name' | 'display_name'>
}) => (
  <DeleteCard
    what="organization"
    description="Deletes this organization with its workspaces and all their data, and cancels its subscription."
    dialog={(onClose) => <DeleteDialog onClose={onClose} organization={organization} />}
  />
)
