import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { failureText } from '../../lib/api/errors.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { useOrganizationGone } from './use-organization-gone.ts'

/** Deletes an organization or a workspace after the user has typed its title. `children` list what is deleted. */
export const DeleteByTitle = ({
  onClose,
  what,
  title,
  remove,
  stays,
  children,
}: {
  onClose: () => void
  what: 'organization' | 'workspace'
  title: string
  remove: (typed: string) => Promise<unknown>
  /** Describes the data that is kept, as a sentence. */
  stays?: string
  children: ReactNode
}) => {
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState(false)
  const gone = useOrganizationGone()
  const deletion = useMutation({ mutationFn: () => remove(typed.trim()) })
  const done = what === 'organization' ? 'Organization deleted' : 'Workspace deleted'
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      kind="danger"
      title={`Delete ${what}`}
      confirmLabel={`Delete ${what}`}
      loading={deletion.isPending}
      error={deletion.isError ? failureText(deletion.error) : undefined}
      onConfirm={() => {
        if (typed.trim() !== title) setWrong(true)
        else deletion.mutate(undefined, { onSuccess: () => void gone(done) })
      }}
    >
      <p>
        <strong className="font-medium text-ink">{title}</strong> is deleted for all members. This can&apos;t be undone.
      </p>
      <ul className="mt-3 list-disc space-y-1 pl-5">{children}</ul>
      {stays !== undefined && <p className="mt-3">{stays}</p>}
      <div className="mt-4">
        <Field label={`Type "${title}" to confirm`} error={wrong ? `Type ${title}` : undefined}>
          {(control) => (
            <Input
              {...control}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              disabled={deletion.isPending}
              onChange={(event) => {
                setTyped(event.target.value)
                setWrong(false)
              }}
            />
          )}
        </Field>
      </div>
    </ConfirmDialog>
  )
}

/** A card with a button that opens the dialog for the deletion. The dialog is rendered only while it is open. */
export const DeleteCard = ({
  what,
  description,
  dialog,
}: {
  what: 'organization' | 'workspace'
  description: string
  dialog: (onClose: () => void) => ReactNode
}) => {
  const [open, setOpen] = useState(false)
  return (
    <Card
      tone="danger"
      title={`Delete ${what}`}
      description={description}
      className="pb-4"
      action={
        <Button size="sm" variant="danger" onClick={() => setOpen(true)}>
          {`Delete ${what}`}
        </Button>
      }
    >
      {open ? dialog(() => setOpen(false)) : undefined}
    </Card>
  )
}
