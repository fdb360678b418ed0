import type { ReactNode } from 'react'
import { Alert } from '../ui/alert.tsx'
import { Button } from '../ui/button.tsx'

/** The form of a page on which an object is built: its fields, why it was not saved, and the button that saves it. */
export const BuilderForm = ({
  label,
  saveLabel,
  saving,
  refusal,
  conflict,
  onSubmit,
  children,
}: {
  label: string
  saveLabel: string
  saving: boolean
  /** Why the object was not saved; undefined if there was no refusal. */
  refusal: ReactNode
  /** Shown if another user has changed the object in the meantime. */
  conflict?: ReactNode
  onSubmit: () => void
  children: ReactNode
}) => (
  <form
    noValidate
    aria-label={label}
    className="space-y-5"
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
    {refusal !== undefined && <Alert>{refusal}</Alert>}
    {conflict}
    <div className="flex justify-end">
      <Button type="submit" variant="primary" loading={saving}>
        {saveLabel}
      </Button>
    </div>
  </form>
)
