import type { UseMutationResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../button.tsx'
import { Card } from '../card.tsx'
import { ConfirmDialog } from '../overlays/confirm-dialog.tsx'

/** The card of a page that deletes its object after a confirmation, and then leads to the list. */
export const DeleteCard = ({
  label,
  description,
  mutation,
  list,
  checking = false,
  children,
}: {
  /** The text of the card, the dialog and their buttons, such as "Delete source". */
  label: string
  description: string
  mutation: UseMutationResult<unknown, Error, void, unknown>
  /** Path of the list that opens after the deletion. */
  list: string
  /** Whether the effects of the deletion are still loading: until then, it cannot be confirmed. */
  checking?: boolean
  /** The question that asks for confirmation. */
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
