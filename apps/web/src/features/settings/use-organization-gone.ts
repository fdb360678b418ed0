import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { useUi } from '../../lib/browser/ui-store.ts'
import { paths } from '../../lib/paths.ts'
import { stopActing, useSession } from '../../lib/people/session.ts'
import { workspacesQuery } from '../../lib/queries/account-queries.ts'
import { notify } from '../../ui/overlays/toast.tsx'

/**
 * Returns a function that opens the choice of workspaces with a notice, for an organization that can no longer be read.
 */
export const useOrganizationGone = (): ((notice: string) => Promise<void>) => {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const user = useSession((state) => state.currentUserResourceName) ?? ''
  return async (notice) => {
    useUi.setState({ lastWorkspace: null })
    if (useSession.getState().actOnBehalfOf !== null) stopActing()
    notify('success', notice)
    await navigate(paths.root(), { replace: true })
    cache.removeQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'users' && kind !== 'config' })
    await cache.invalidateQueries({ queryKey: workspacesQuery(user).queryKey })
  }
}
