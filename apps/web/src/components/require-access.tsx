import type { Role } from '@tributary/contract'
import type { ReactNode } from 'react'
import { useAccess } from '../lib/workspace.ts'
import { NoAccess } from './error-screen.tsx'

/**
 * Shows its content to users with one of the allowed roles (an empty list: platform admins). All other users see the
 * no-access message.
 */
export const RequireAccess = ({
  allowed,
  skeleton,
  children,
}: {
  allowed: readonly Role[]
  skeleton: ReactNode
  children: ReactNode
}) => {
  const may = useAccess(allowed)
  if (may === 'unknown') return skeleton
  return may ? children : <NoAccess />
}
