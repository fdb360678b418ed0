import type { Role } from '@tributary/contract'
import { Outlet } from 'react-router'
import { RequireAccess } from '../ui/require-access.tsx'
import { CardSkeleton } from '../ui/skeleton.tsx'

/** A layout that opens its pages to the allowed roles only (an empty list: to platform admins). */
export const requirePage = (allowed: readonly Role[]) => () => (
  <RequireAccess allowed={allowed} skeleton={<CardSkeleton />}>
    <Outlet />
  </RequireAccess>
)
