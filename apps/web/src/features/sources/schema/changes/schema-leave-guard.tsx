import { LeaveGuard } from '../../../../components/leave-guard.tsx'
import { diffWords } from './schema-diff.ts'
import type { SchemaDraft } from './use-schema-draft.ts'

/** Asks for confirmation before the user leaves the page with unsaved schema changes; switching tabs keeps them. */
export const SchemaLeaveGuard = ({ draft }: { draft: SchemaDraft }) => (
  <LeaveGuard dirty={draft.dirty}>
    Your schema changes are not saved and will be lost: {diffWords(draft.changes)}.
  </LeaveGuard>
)
