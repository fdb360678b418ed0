import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Form, SubmitButton } from '../../ui/forms/form.tsx'
import type { FormHandle, Values } from '../../ui/forms/form-state.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'

/** A dialog with a form that creates or changes a key or token. It closes after `onSubmit` has succeeded. */
export const KeyFormDialog = <T extends Values>({
  title,
  form,
  submit,
  onSubmit,
  onClosed,
  children,
}: {
  title: string
  form: FormHandle<T>
  submit: string
  onSubmit: (values: T) => Promise<unknown>
  onClosed: () => void
  children: ReactNode
}) => {
  const [open, setOpen] = useState(true)
  const close = (): void => setOpen(false)
  return (
    <Dialog open={open} onClose={close} onClosed={onClosed} title={title}>
      <Form
        form={form}
        label={title}
        className="space-y-5"
        onSubmit={async (values) => {
          await onSubmit(values)
          close()
        }}
      >
        {children}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <SubmitButton>{submit}</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}
