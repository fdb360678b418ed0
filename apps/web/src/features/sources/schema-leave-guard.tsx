import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { diffWords } from './schema-diff.ts'
import { type SchemaDraft, useLeaveGuard } from './use-schema-draft.ts'

/** Asks before the page is left while changes of the schema are not saved; other tabs of it keep them. */
export const SchemaLeaveGuard = ({ draft }: { draft: SchemaDraft }) => {
  const blocker = useLeaveGuard(draft.dirty)
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
      Your changes of the schema are not saved and would be lost: {diffWords(draft.changes)}.
    </ConfirmDialog>
  )
}
