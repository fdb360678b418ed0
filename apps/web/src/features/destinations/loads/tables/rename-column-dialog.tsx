import { useMemo } from 'react'
import type { z } from 'zod'
import { useApiForm } from '../../../../components/api-form.ts'
import { KeyFormDialog } from '../../../../components/keys/key-form-dialog.tsx'
import { TextField } from '../../../../ui/forms/form.tsx'
import { useChangeColumn } from '../load-mutations.ts'
import type { ChangedColumn } from './change-type-dialog.tsx'
import { newNameRule } from './new-name.ts'

/** Renames a column. New values of its property make a column with the old name again. */
export const RenameColumnDialog = ({
  destination,
  table,
  column,
  taken,
  onChanging,
  onClosed,
}: ChangedColumn & { taken: readonly string[] }) => {
  const rule = useMemo(() => newNameRule(taken), [taken])
  const form = useApiForm<z.infer<typeof rule>>(rule, { name: '' })
  const change = useChangeColumn(destination)
  return (
    <KeyFormDialog
      title={`Rename ${column}`}
      form={form}
      submit="Rename"
      onSubmit={async ({ name }) => {
        await change.mutateAsync({ kind: 'rename_column', table, column, name })
        onChanging()
      }}
      onClosed={onClosed}
    >
      <p className="text-sm text-ink-2">
        The values of the table {table} stay. New events that have {column} make a column with the old name again.
      </p>
      <TextField name="name" label="New name" required autoComplete="off" spellCheck={false} autoCapitalize="none" />
    </KeyFormDialog>
  )
}
