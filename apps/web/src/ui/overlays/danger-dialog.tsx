import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'

/**
 * Asks for confirmation of a mutation that cannot be undone, shows its error if it is rejected, and closes when it has
 * succeeded. The parent removes the dialog in `onClosed`.
 */
export const DangerDialog = <Variables,>({
  title,
  confirmLabel,
  mutation,
  variables,
  onDone,
  onClosed,
  children,
}: {
  title: string
  confirmLabel: string
  mutation: Pick<UseMutationResult<unknown, Error, Variables, unknown>, 'mutate' | 'isPending' | 'isSuccess' | 'error'>
  variables: Variables
  onDone?: () => void
  onClosed: () => void
  children: ReactNode
}) => {
  const [open, setOpen] = useState(true)
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
      kind="danger"
      title={title}
      confirmLabel={confirmLabel}
      loading={mutation.isPending}
      done={mutation.isSuccess}
      error={mutation.error?.message}
      onConfirm={() => mutation.mutate(variables, { onSuccess: () => onDone?.() })}
    >
      {children}
    </ConfirmDialog>
  )
}
