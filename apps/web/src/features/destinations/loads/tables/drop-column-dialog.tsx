import { DangerDialog } from '../../../../ui/overlays/danger-dialog.tsx'
import { useChangeColumn } from '../load-mutations.ts'
import type { ChangedColumn } from './change-type-dialog.tsx'

/** Asks for confirmation before a column and its values are removed. */
export const DropColumnDialog = ({ destination, table, column, onChanging, onClosed }: ChangedColumn) => (
  <DangerDialog
    title={`Drop the column ${column}?`}
    confirmLabel="Drop column"
    mutation={useChangeColumn(destination)}
    variables={{ kind: 'drop_column', table, column }}
    onDone={onChanging}
    onClosed={onClosed}
  >
    The values of {column} in {table} are deleted from the warehouse. New events that have it make the column again.
  </DangerDialog>
)
