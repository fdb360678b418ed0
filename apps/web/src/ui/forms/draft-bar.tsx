import { Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { failureText } from '../../lib/api/errors.ts'
import { Button } from '../button.tsx'
import { ConfirmDialog } from '../overlays/confirm-dialog.tsx'

/** Unsaved changes that are collected in a draft and saved together. */
type GatheredChanges = {
  /** The unsaved changes, as text. */
  words: string
  canUndo: boolean
  undo: () => void
}

/** A bar at the bottom while there are unsaved changes. It describes them, and saves, undoes or discards them. */
export const DraftBar = ({
  of,
  draft,
  saving,
  blocked,
  error,
  onSave,
  onDiscard,
  children,
}: {
  /** The kind of the edited object, as in "Save {of}" and "The {of} …". */
  of: 'mappings' | 'schema' | 'paths'
  draft: GatheredChanges
  saving: boolean
  /** Whether another user has saved in the meantime: the user must first decide about that version. */
  blocked: boolean
  error: Error | null
  onSave: () => void
  onDiscard: () => void
  /** Further actions on the changes. */
  children?: ReactNode
}) => {
  const [asks, setAsks] = useState(false)
  return (
    <section
      aria-label="Unsaved changes"
      data-draft-bar
      className="sticky bottom-3 z-20 mt-4 rounded-lg border border-line-strong bg-raised px-4 py-3 shadow-pop"
    >
      <div className="flex flex-wrap items-center gap-2 max-sm:gap-1">
        {/* Notices appear at the right, so there are no buttons below them. */}
        <p
          className="min-w-0 text-sm break-words max-sm:basis-full sm:order-last sm:mr-auto sm:pl-2"
          aria-live="polite"
        >
          <span className="font-medium">Not saved:</span> {draft.words}
        </p>
        <Button variant="primary" loading={saving} disabled={blocked} onClick={onSave}>
          Save {of}
        </Button>
        <Button disabled={saving} onClick={() => setAsks(true)}>
          Discard
        </Button>
        <Button
          variant="none"
          disabled={saving || !draft.canUndo}
          onClick={draft.undo}
          className="max-sm:ml-auto max-sm:px-2"
        >
          <Undo2 aria-hidden className="max-sm:hidden" />
          Undo
        </Button>
        {children}
      </div>
      {error !== null && (
        <p role="alert" className="mt-2 text-xs break-words text-danger-ink">
          {`The ${of} ${of === 'schema' ? 'was' : 'were'} not saved: ${failureText(error)}`}
        </p>
      )}
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        kind="danger"
        title="Discard your changes?"
        confirmLabel="Discard"
        cancelLabel="Keep editing"
        onConfirm={() => {
          setAsks(false)
          onDiscard()
        }}
      >
        You will lose: {draft.words}.
      </ConfirmDialog>
    </section>
  )
}
