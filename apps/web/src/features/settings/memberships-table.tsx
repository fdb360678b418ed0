import { type Member, type Organization, type Role, roles, toRole } from '@tributary/contract'
import { UserMinus } from 'lucide-react'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { personName } from '../../lib/people/person.ts'
import { hasOneAdministrator, isAdministrator, roleTitle } from '../../lib/people/roles.ts'
import { useSession } from '../../lib/people/session.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmailAddress } from '../../ui/forms/email-address.tsx'
import { Select } from '../../ui/forms/input.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import type { Column } from '../../ui/lists/data-table.tsx'
import type { ListFilter } from '../../ui/lists/list-bar.tsx'
import { ListView } from '../../ui/lists/list-view.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { DangerDialog } from '../../ui/overlays/danger-dialog.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { LeaveDialog } from './leave-dialog.tsx'
import { useChangeRole, useRemoveMember } from './membership-mutations.ts'

/** Number of members from which on a search box is shown. */
const searchFrom = 9

const noFilters: readonly ListFilter<never>[] = []
const idOf = ({ name }: Member): string => name
const titleOf = ({ profile }: Member): string => personName(profile)

/** The members whose name, address or role contains the text. */
export const findMembers = (members: readonly Member[], search: string): readonly Member[] => {
  const text = search.trim().toLowerCase()
  return members.filter(({ profile, role }) =>
    `${personName(profile)} ${profile.email} ${roleTitle(role.value)}`.toLowerCase().includes(text),
  )
}

const Who = ({ member, self, role }: { member: Member; self: boolean; role: ReactNode }) => {
  const name = personName(member.profile)
  return (
    <span className="flex min-w-0 items-center gap-3 py-1.5">
      <Avatar title={name} image={member.profile.photo_url} />
      <span className="min-w-0">
        <span className="flex items-center gap-2">
          <span className="min-w-0 font-medium break-words">{name}</span>
          {self && <Badge>You</Badge>}
        </span>
        <span className="block text-xs text-ink-3 lg:hidden">
          <EmailAddress email={member.profile.email} />
        </span>
        <span className="mt-1.5 block sm:hidden">{role}</span>
      </span>
    </span>
  )
}

/** A tooltip that explains why the last administrator cannot use the control. */
const NeededAdministrator = ({ when, children }: { when: boolean; children: ReactNode }) =>
  when ? (
    <Tooltip text="An organization needs at least one administrator">
      <span className="inline-block">{children}</span>
    </Tooltip>
  ) : (
    children
  )

const RoleSelect = ({
  member,
  locked,
  onChoose,
}: {
  member: Member
  locked: boolean
  onChoose: (role: Role) => void
}) => {
  const select = (
    <Select
      aria-label={`Role of ${personName(member.profile)}`}
      value={toRole(member.role.value)}
      disabled={locked}
      onChange={(event) => onChoose(toRole(event.target.value))}
      className="w-40"
    >
      <Options of={roles} title={roleTitle} />
    </Select>
  )
  return <NeededAdministrator when={locked}>{select}</NeededAdministrator>
}

type Request = { kind: 'remove' | 'leave'; member: Member } | { kind: 'demote'; member: Member; role: Role }

const RemoveDialog = ({
  member,
  organization,
  onClose,
}: {
  member: Member
  organization: Organization
  onClose: () => void
}) => {
  const remove = useRemoveMember(organization.name)
  return (
    <DangerDialog
      title="Remove member"
      confirmLabel="Remove"
      mutation={remove}
      variables={member.name}
      onDone={() => notify('success', 'Member removed')}
      onClosed={onClose}
    >
      {personName(member.profile)} loses access to {organization.display_name} and all of its workspaces immediately.
    </DangerDialog>
  )
}

/** Asks for confirmation, because an administrator who gives up the role cannot regain it alone. */
const DemoteDialog = ({ role, onConfirm, onClose }: { role: Role; onConfirm: () => void; onClose: () => void }) => {
  const [open, setOpen] = useState(true)
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={setOpen}
      onClosed={onClose}
      kind="danger"
      title="Change your own role"
      confirmLabel={`Become ${roleTitle(role)}`}
      onConfirm={() => {
        onConfirm()
        setOpen(false)
      }}
    >
      You will no longer be able to manage members, billing, and organization settings. Only another administrator can
      give the role back.
    </ConfirmDialog>
  )
}

/** Leaves the organization, or removes another member. */
const RowAction = ({
  member,
  self,
  locked,
  onRequest,
}: {
  member: Member
  self: boolean
  locked: boolean
  onRequest: (request: Request) => void
}) =>
  self ? (
    <NeededAdministrator when={locked}>
      <Button variant="none" size="sm" disabled={locked} onClick={() => onRequest({ kind: 'leave', member })}>
        Leave
      </Button>
    </NeededAdministrator>
  ) : (
    <IconButton
      size="sm"
      label={`Remove ${personName(member.profile)}`}
      icon={UserMinus}
      disabled={locked}
      onClick={() => onRequest({ kind: 'remove', member })}
    />
  )

/** The columns of the table; `self` is the resource name of the user. */
const columnsOf = (
  members: readonly Member[],
  self: string | null,
  changeRole: (change: { member: Member; role: Role }) => void,
  onRequest: (request: Request) => void,
): readonly Column<Member>[] => {
  const onlyAdministrator = hasOneAdministrator(members)
  const locked = (member: Member): boolean => onlyAdministrator && isAdministrator(member)
  const roleSelect = (member: Member): ReactNode => (
    <RoleSelect
      member={member}
      locked={locked(member)}
      onChoose={(role) =>
        member.user === self && isAdministrator(member)
          ? onRequest({ kind: 'demote', member, role })
          : changeRole({ member, role })
      }
    />
  )
  return [
    {
      id: 'name',
      header: 'Name',
      value: ({ profile }) => personName(profile).toLowerCase(),
      cell: (member) => <Who member={member} self={member.user === self} role={roleSelect(member)} />,
    },
    {
      id: 'email',
      header: 'Email',
      className: 'max-lg:hidden',
      value: ({ profile }) => profile.email.toLowerCase(),
      cell: ({ profile }) => (
        <span className="text-ink-2">
          <EmailAddress email={profile.email} />
        </span>
      ),
    },
    {
      id: 'role',
      header: 'Role',
      value: ({ role }) => roleTitle(role.value),
      wide: true,
      cell: roleSelect,
    },
    {
      id: 'joined',
      header: 'Joined',
      wide: 'lg',
      value: ({ create_time }) => create_time,
      cell: ({ create_time }) => <RelativeTime time={create_time} className="whitespace-nowrap text-ink-2" />,
    },
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      className: 'pl-0',
      cell: (member) => (
        <RowAction member={member} self={member.user === self} locked={locked(member)} onRequest={onRequest} />
      ),
    },
  ]
}

/** The members of an organization: role, removal and leaving; the last administrator can neither step down nor leave. */
export const MembershipsTable = ({
  organization,
  members,
}: {
  organization: Organization
  members: readonly Member[]
}) => {
  const self = useSession((state) => state.currentUserResourceName)
  const { mutate: changeRole } = useChangeRole(organization.name)
  const [requested, setRequested] = useState<Request | undefined>()
  const narrow = useCallback(({ search }: { search: string }) => findMembers(members, search), [members])
  const columns = useMemo(() => columnsOf(members, self, changeRole, setRequested), [members, self, changeRole])
  const close = (): void => setRequested(undefined)
  return (
    <section aria-label="Members" className="space-y-3">
      <ListView
        label="Members"
        noun="member"
        total={members.length}
        filters={noFilters}
        narrow={narrow}
        columns={columns}
        idOf={idOf}
        titleOf={titleOf}
        barFrom={searchFrom}
      />
      {requested?.kind === 'remove' && (
        <RemoveDialog member={requested.member} organization={organization} onClose={close} />
      )}
      {requested?.kind === 'demote' && (
        <DemoteDialog
          role={requested.role}
          onConfirm={() => changeRole({ member: requested.member, role: requested.role })}
          onClose={close}
        />
      )}
      {requested?.kind === 'leave' && (
        <LeaveDialog open onOpenChange={close} organization={organization} membership={requested.member.name} />
      )}
    </section>
  )
}
