import type { ReactNode } from 'react'
import { useMayEdit } from '../lib/workspace.ts'
import { NoAccess } from './error-screen.tsx'

/** Shows its content to administrators and collaborators, the no-access message to everybody else. */
export const RequireEditor = ({ skeleton, children }: { skeleton: ReactNode; children: ReactNode }) => {
  const may = useMayEdit()
  if (may === 'unknown') return skeleton
  return may ? children : <NoAccess />
}
