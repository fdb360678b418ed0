import { useQuery } from '@tanstack/react-query'
import type { Workspace } from '@tributary/contract'
import { useEffect } from 'react'
import { Outlet, useParams } from 'react-router'
import { UpgradeOffer } from '../../components/billing/upgrade-offer.tsx'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { useInboxArrivals } from '../../features/notifications/use-inbox.ts'
import { DebugWorkspace } from '../../features/staff/debug-workspace.tsx'
import { useUi } from '../../lib/browser/ui-store.ts'
import { useSession, workspaceEntered, workspacesLoaded } from '../../lib/people/session.ts'
import { workspacesQuery } from '../../lib/queries/account-queries.ts'
import { workspaceQuery } from '../../lib/queries/workspace-queries.ts'
import { resolveWorkspace, useCurrentUser, WorkspaceProvider } from '../../lib/workspace.ts'
import { TooltipProvider } from '../../ui/overlays/tooltip.tsx'
import { Commands } from '../commands/commands.tsx'
import { useLiveAccess } from '../use-live-access.ts'
import { Invite } from './invite.tsx'
import { ShellSkeleton } from './shell-skeleton.tsx'

const Failure = ({ error, workspaceId, onRetry }: { error: unknown; workspaceId: string; onRetry?: () => void }) => (
  <main>
    <ErrorScreen
      page
      error={error}
      {...(onRetry === undefined ? {} : { onRetry })}
      onMissingWorkspace={<DebugWorkspace workspaceId={workspaceId} />}
    />
  </main>
)

/** Wraps every page of a workspace. It loads the workspace, shows errors, and provides it to the pages. */
export const WorkspaceShell = () => {
  const { workspaceId } = useParams()
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  const actOnBehalfOf = useSession((state) => state.actOnBehalfOf)
  const name = actOnBehalfOf?.workspace.name ?? `workspaces/${workspaceId ?? ''}`
  const list = useQuery(workspacesQuery(user))
  const own = useQuery({ ...workspaceQuery(name), enabled: workspaceId !== undefined })
  const { user: person, memberships } = useCurrentUser()
  useLiveAccess()
  useInboxArrivals()
  useEffect(() => {
    if (list.data !== undefined) workspacesLoaded(list.data)
    if (own.data === undefined || list.data === undefined) return
    workspaceEntered(own.data)
    if (list.data.some((each) => each.name === own.data.name)) useUi.setState({ lastWorkspace: own.data.name })
  }, [list.data, own.data])

  const failed = own.isError ? own : list.isError ? list : undefined
  if (failed !== undefined && failed.data === undefined)
    return <Failure error={failed.error} workspaceId={workspaceId ?? ''} onRetry={() => void failed.refetch()} />
  // Waits for the roles, so that buttons appear with the page: a later button would move what a user clicks.
  const rolesLoad = person.isLoading || memberships.isLoading
  if (list.data === undefined || own.data === undefined || rolesLoad) return <ShellSkeleton />
  let workspace: Workspace
  try {
    workspace = resolveWorkspace(workspaceId, list.data, actOnBehalfOf)
  } catch (error) {
    return <Failure error={error} workspaceId={workspaceId ?? ''} />
  }
  const { organization } = workspace
  return (
    // The loaded workspace is newer than the copy of the acted-on workspace in the session.
    <WorkspaceProvider value={own.data.name === workspace.name ? own.data : workspace}>
      <TooltipProvider>
        <UpgradeOffer>
          <Outlet key={workspace.name} />
          <Commands />
          {organization !== null && <Invite organization={organization.name} />}
        </UpgradeOffer>
      </TooltipProvider>
    </WorkspaceProvider>
  )
}
