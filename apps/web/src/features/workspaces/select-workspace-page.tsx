import { useQuery } from '@tanstack/react-query'
import { administrators, type Workspace } from '@tributary/contract'
import { Building2, ChevronRight, Plus } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { Link, Navigate, useLocation } from 'react-router'
import { PlansOffer } from '../../components/billing/upgrade-offer.tsx'
import { CreateWorkspaceDialog } from '../../components/create-workspace-dialog.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { onlyWorkspace } from '../../lib/arrival.ts'
import { useUi } from '../../lib/browser/ui-store.ts'
import { paths } from '../../lib/paths.ts'
import { useSession, workspacesLoaded } from '../../lib/people/session.ts'
import { workspacesQuery } from '../../lib/queries/account-queries.ts'
import { useAccessCheck, useCurrentUser } from '../../lib/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { SearchInput } from '../../ui/forms/input.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { LoadingNote } from '../../ui/page/loading-note.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { Skeleton } from '../../ui/page/skeleton.tsx'
import { groupWorkspaces, type WorkspaceGroup } from './group-workspaces.ts'
import { JoinOffers } from './join-offers.tsx'

const searchFrom = 9

const NoOrganization = ({ offers }: { offers: ReactNode }) => (
  <div className="space-y-6">
    <PageHeader title="Welcome" description="One more step before you can collect events." />
    <EmptyState
      icon={<Building2 />}
      title="No organization found"
      action={
        <ButtonLink to={paths.onboarding()} variant="primary">
          Create
        </ButtonLink>
      }
    >
      An organization owns your workspaces, members, and plan. Create one to get started, or ask an administrator to
      invite you.
    </EmptyState>
    {offers}
  </div>
)

const ListSkeleton = () => (
  <div aria-busy className="space-y-2">
    <LoadingNote />
    {[0, 1, 2].map((row) => (
      <div key={row} className="flex h-16 items-center gap-3 rounded-lg border border-line bg-surface px-4">
        <Skeleton className="size-9 rounded-md" />
        <Skeleton className="h-3 w-40" />
      </div>
    ))}
  </div>
)

const WorkspaceLink = ({ workspace, last }: { workspace: Workspace; last: boolean }) => (
  <Link
    to={paths.workspace(workspace.name)}
    className="flex items-center gap-3 px-4 py-3 transition-colors first:rounded-t-lg last:rounded-b-lg hover:bg-hover focus-visible:-outline-offset-2"
  >
    <Avatar title={workspace.title} size="md" round="md" />
    <span className="min-w-0 flex-1 truncate text-base font-medium">{workspace.title}</span>
    {last && <Badge>Last used</Badge>}
    <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-3" />
  </Link>
)

const Group = ({ group, last, mayCreate }: { group: WorkspaceGroup; last: string | null; mayCreate: boolean }) => {
  const [creating, setCreating] = useState(false)
  return (
    <section aria-label={group.title}>
      <div className="mb-2 flex min-h-7 items-center gap-2">
        <Avatar title={group.title} image={group.logo} size="xs" round="md" />
        <h2 className="min-w-0 flex-1 truncate text-sm font-medium text-ink-2">{group.title}</h2>
        {mayCreate && (
          <Button size="sm" variant="none" onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            Create workspace
          </Button>
        )}
      </div>
      <div className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
        {group.workspaces.map((workspace) => (
          <WorkspaceLink key={workspace.name} workspace={workspace} last={workspace.name === last} />
        ))}
      </div>
      {mayCreate && (
        <PlansOffer organization={group.name}>
          <CreateWorkspaceDialog open={creating} onClose={() => setCreating(false)} organization={group.name} />
        </PlansOffer>
      )}
    </section>
  )
}

const Choice = ({ workspaces, offers }: { workspaces: readonly Workspace[]; offers: ReactNode }) => {
  const [search, setSearch] = useState('')
  const lastWorkspace = useUi((state) => state.lastWorkspace)
  const { user } = useCurrentUser()
  const check = useAccessCheck()
  const groups = useMemo(() => groupWorkspaces(workspaces, lastWorkspace, search), [workspaces, lastWorkspace, search])
  const name = user.data?.first_name ?? ''
  return (
    <>
      <PageHeader
        title={
          name === '' ? 'Choose a workspace' : lastWorkspace === null ? `Welcome, ${name}` : `Welcome back, ${name}`
        }
        documentTitle="Workspaces"
        description="A workspace holds sources, destinations, and events."
      />
      {workspaces.length >= searchFrom && (
        <SearchInput
          label="Search workspaces"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="mb-5 sm:w-full"
        />
      )}
      <div className="space-y-6">
        {groups.map((group) => (
          <Group
            key={group.name}
            group={group}
            last={lastWorkspace}
            mayCreate={group.name !== '' && check(group.name, administrators) === true}
          />
        ))}
        {groups.length === 0 && <p className="py-8 text-center text-ink-3">No workspaces match.</p>}
        {offers}
      </div>
    </>
  )
}

/**
 * Decides once, on arrival, whether a single workspace opens immediately. A user who joins a first organization on this
 * page stays and sees it.
 */
const Arrival = ({ workspaces, user }: { workspaces: readonly Workspace[]; user: string }) => {
  const { state } = useLocation()
  const [only] = useState(() => onlyWorkspace(workspaces, state))
  if (only !== undefined) return <Navigate to={paths.workspace(only.name)} replace />
  return workspaces[0] === undefined || workspaces[0].organization === null ? (
    <NoOrganization offers={<JoinOffers user={user} />} />
  ) : (
    <Choice workspaces={workspaces} offers={<JoinOffers user={user} />} />
  )
}

/**
 * The page on which a signed-in user chooses a workspace. Right after a sign-in, a single workspace opens immediately.
 * While acting on behalf, the page shows only the acted-on workspace.
 */
export const SelectWorkspacePage = () => {
  const name = useSession((state) => state.currentUserResourceName) ?? ''
  const acting = useSession((state) => state.actOnBehalfOf)
  const query = useQuery(workspacesQuery(name))
  useEffect(() => {
    if (query.data !== undefined) workspacesLoaded(query.data)
  }, [query.data])
  return (
    <>
      {acting === null ? (
        <QueryView page query={query} skeleton={<ListSkeleton />} errorTitle="Failed to load the workspaces">
          {(workspaces) => <Arrival workspaces={workspaces} user={name} />}
        </QueryView>
      ) : (
        <Choice workspaces={[acting.workspace]} offers={null} />
      )}
    </>
  )
}
