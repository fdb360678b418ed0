import type { FlagKey, Role } from '@tributary/contract'
import { Outlet } from 'react-router'
import { PageNotFound } from '../../components/error-screen.tsx'
import { RequireAccess } from '../../components/require-access.tsx'
import { useFlag } from '../../lib/integrations/flags.ts'
import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'

/** A layout that opens its pages to the allowed roles only (an empty list: to platform admins). */
export const requirePage = (allowed: readonly Role[]) => () => (
  <RequireAccess allowed={allowed} skeleton={<CardSkeleton />}>
    <Outlet />
  </RequireAccess>
)

/** A layout whose pages exist only while a flag is on. */
export const requireFlag = (key: FlagKey) => () => {
  const workspace = useWorkspace()
  return useFlag(key) ? <Outlet /> : <PageNotFound home={paths.workspace(workspace.name)} />
}
