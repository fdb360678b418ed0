import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Industry, methods, type Organization, type Workspace } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { organizationIds, workspaceIds } from '../../lib/format/names.ts'
import { useSession } from '../../lib/people/session.ts'
import { workspacesQuery } from '../../lib/queries/account-queries.ts'
import { organizationQuery } from '../../lib/queries/organization-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { workspaceQuery } from '../../lib/queries/workspace-queries.ts'
import { notify } from '../../ui/overlays/toast.tsx'

const useUserName = (): string => useSession((state) => state.currentUserResourceName) ?? ''

/** Updates a changed organization everywhere: in the cache, the session, and the lists that contain it. */
const useOrganizationChanged = () => {
  const cache = useQueryClient()
  return (organization: Organization): void => {
    cache.setQueryData(organizationQuery(organization.name).queryKey, organization)
    if (useSession.getState().session.organization?.name === organization.name)
      useSession.setState({ session: { organization } })
    refresh(cache, ['workspaces', 'memberships'])
  }
}

/** Changes title and industry, or the domain whose users can join. */
export const useUpdateOrganization = (organization: string) => {
  const changed = useOrganizationChanged()
  return useMutation({
    mutationFn: (change: { title: string; industry: Industry } | { auto_join_domain: string }) =>
      call(methods.organizations.update, {
        params: organizationIds(organization),
        query: { update_mask: Object.keys(change).join(',') },
        body: change,
      }),
    onSuccess: (updated) => {
      changed(updated)
      notify('success', 'Organization updated')
    },
  })
}

/** Replaces the logo by an image (base64), or removes it with null. */
export const useChangeLogo = (organization: string) => {
  const changed = useOrganizationChanged()
  return useMutation({
    mutationFn: (content: string | null) => {
      const params = organizationIds(organization)
      return content === null
        ? call(methods.organizations.removeLogo, { params, body: {} })
        : call(methods.organizations.uploadLogo, { params, body: { content } })
    },
    onSuccess: (updated) => {
      changed(updated)
      notify('success', 'Organization updated')
    },
  })
}

const useWorkspaceChanged = () => {
  const cache = useQueryClient()
  const user = useUserName()
  return (workspace: Workspace): void => {
    cache.setQueryData(workspaceQuery(workspace.name).queryKey, workspace)
    void cache.invalidateQueries({ queryKey: workspacesQuery(user).queryKey })
  }
}

/** Changes the title of a workspace. */
export const useUpdateWorkspace = (workspace: string) => {
  const changed = useWorkspaceChanged()
  return useMutation({
    mutationFn: (change: { title: string }) =>
      call(methods.workspaces.update, {
        params: workspaceIds(workspace),
        query: { update_mask: 'title' },
        body: change,
      }),
    onSuccess: (updated) => {
      changed(updated)
      notify('success', 'Workspace updated')
    },
  })
}
