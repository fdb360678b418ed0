import { useQuery } from '@tanstack/react-query'
import type { Workspace } from '@tributary/contract'
import { Building2, ChevronRight } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { workspacesQuery } from '../../lib/queries.ts'
import { useSession, workspacesLoaded } from '../../lib/session.ts'
import { useUi } from '../../lib/ui-store.ts'
import { useCurrentUser } from '../../lib/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SearchInput } from '../../ui/input.tsx'
import { LoadingNote } from '../../ui/loading-note.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { groupWorkspaces } from './group-workspaces.ts'
import { PageFrame } from './page-frame.tsx'

const searchFrom = 9

const NoOrganization = () => (
  <>
    <PageHeader title="Welcome" documentTitle="Welcome" description="One step is left before you can collect events." />
    <EmptyState
      icon={<Building2 />}
      title="No organization found"
      action={
        <ButtonLink to={paths.onboarding()} variant="primary">
          Create
        </ButtonLink>
      }
    >
      An organisation owns your workspaces, members and plan. Create one to begin, or ask an administrator to invite
      you.
    </EmptyState>
  </>
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

const Choice = ({ workspaces }: { workspaces: Workspace[] }) => {
  const [search, setSearch] = useState('')
  const lastWorkspace = useUi((state) => state.lastWorkspace)
  const { user } = useCurrentUser()
  const groups = useMemo(() => groupWorkspaces(workspaces, lastWorkspace, search), [workspaces, lastWorkspace, search])
  const first = workspaces[0]
  if (first === undefined || first.organization === null) return <NoOrganization />
  const name = user.data?.first_name ?? ''
  return (
    <>
      <PageHeader
        title={name === '' ? 'Choose a workspace' : `Welcome back, ${name}`}
        documentTitle="Workspaces"
        description="Sources, destinations and events live inside a workspace."
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
          <section key={group.name} aria-label={group.title}>
            <h2 className="mb-2 text-xs font-medium text-ink-3">{group.title}</h2>
            <div className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
              {group.workspaces.map((workspace) => (
                <WorkspaceLink key={workspace.name} workspace={workspace} last={workspace.name === lastWorkspace} />
              ))}
            </div>
          </section>
        ))}
        {groups.length === 0 && <p className="py-8 text-center text-ink-3">No workspace is called like this.</p>}
      </div>
    </>
  )
}

/** Where a signed-in user chooses the workspace to go to. */
export const SelectWorkspacePage = () => {
  const name = useSession((state) => state.currentUserResourceName) ?? ''
  const query = useQuery(workspacesQuery(name))
  useEffect(() => {
    if (query.data !== undefined) workspacesLoaded(query.data)
  }, [query.data])
  return (
    <PageFrame>
      <QueryView page query={query} skeleton={<ListSkeleton />} errorTitle="Failed to load the workspaces">
        {(workspaces) => <Choice workspaces={workspaces} />}
      </QueryView>
    </PageFrame>
  )
}
