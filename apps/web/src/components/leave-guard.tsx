import type { ReactNode } from 'react'
import { useLeaveGuard } from '../lib/browser/use-leave-guard.ts'
import { ConfirmDialog } from '../ui/overlays/confirm-dialog.tsx'

/**
 * Asks for confirmation before the user leaves a page with unsaved changes; switching between tabs of the page does not
 * ask.
 */
export const LeaveGuard = ({ dirty, children }: { dirty: boolean; children: ReactNode }) => {
  const blocker = useLeaveGuard(dirty)
  return (
    <ConfirmDialog
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => {
        if (!open) blocker.reset?.()
      }}
      kind="danger"
      title="Leave without saving?"
      confirmLabel="Leave"
      cancelLabel="Stay"
      onConfirm={() => blocker.proceed?.()}
    >
      {children}
    </ConfirmDialog>
  )
}
