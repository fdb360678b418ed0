import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../button.tsx'
import { Card } from '../card.tsx'
import { ConfirmDialog } from '../overlays/confirm-dialog.tsx'

/** The danger zone of a page: deletes what it is about after a question, and then leads to the list. */
export const DeleteCard = ({
  label,
  description,
  mutation,
  list,
  checking = false,
  children,
}: {
  /** Words of the card, the dialog and their buttons, such as "Delete source". */
  label: string
  description: string
  mutation: UseMutationResult<unknown, Error, void, unknown>
  /** Path of the list it leaves. */
  list: string
  /** Whether it is not known yet what the question says is deleted, too: nothing can be confirmed until then. */
  checking?: boolean
  /** The question. */
  children: ReactNode
}) => {
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Card
        tone="danger"
        title={label}
        description={description}
        action={
          <Button
            variant="danger"
            onClick={() => {
              mutation.reset()
              setOpen(true)
            }}
          >
            {label}
          </Button>
        }
        className="pb-4"
      />
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        kind="danger"
        title={label}
        confirmLabel={label}
        loading={checking || mutation.isPending}
        error={mutation.error?.message}
        onConfirm={() => mutation.mutate(undefined, { onSuccess: () => void navigate(list, { replace: true }) })}
      >
        {checking ? 'Checking what depends on it…' : children}
      </ConfirmDialog>
    </>
  )
}
