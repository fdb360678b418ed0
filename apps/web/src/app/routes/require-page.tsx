import type { FlagKey, Role } from '@tributary/contract'
import { Outlet } from 'react-router'
import { PageNotFound } from '../../components/error-screen.tsx'
import { RequireAccess } from '../../components/require-access.tsx'
import { useFlag } from '../../lib/integrations/flags.ts'
import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'

/** A layout whose pages require one of the allowed roles (an empty list: platform admins only). */
export const requirePage = (allowed: readonly Role[]) => () => (
  <RequireAccess allowed={allowed} skeleton={<CardSkeleton />}>
    <Outlet />
  </RequireAccess>
)

/** A layout whose pages exist only if a flag is on. */
export const requireFlag = (key: FlagKey) => () => {
  const workspace = useWorkspace()
  return useFlag(key) ? <Outlet /> : <PageNotFound home={paths.workspace(workspace.name)} />
}
