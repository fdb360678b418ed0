import { LeaveGuard } from '../../../../components/leave-guard.tsx'
import { diffWords } from './schema-diff.ts'
import type { SchemaDraft } from './use-schema-draft.ts'

/** Asks before the page is left while changes of the schema are not saved; other tabs of it keep them. */
export const SchemaLeaveGuard = ({ draft }: { draft: SchemaDraft }) => (
  <LeaveGuard dirty={draft.dirty}>
    Your schema changes are not saved and will be lost: {diffWords(draft.changes)}.
  </LeaveGuard>
)
