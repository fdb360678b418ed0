import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { failureText } from '../../lib/errors.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { diffWords } from './schema-diff.ts'
import { SchemaDiff } from './schema-diff-view.tsx'
import type { SchemaDraft } from './use-schema-draft.ts'

/** Stays at the bottom while something is not saved: what, and saving, undoing or discarding it. */
export const SchemaDraftBar = ({
  draft,
  saving,
  error,
  onSave,
}: {
  draft: SchemaDraft
  saving: boolean
  error: Error | null
  onSave: () => void
}) => {
  const [reviews, setReviews] = useState(false)
  const [asks, setAsks] = useState(false)
  return (
    <section
      aria-label="Unsaved changes"
      className="sticky bottom-3 z-20 mt-4 rounded-lg border border-line-strong bg-raised px-4 py-3 shadow-pop"
    >
      <div className="flex flex-wrap items-center gap-2 max-sm:gap-1">
        {/* Where notices come up, at the right, no button lies under them. */}
        <p className="min-w-0 text-sm max-sm:basis-full sm:order-last sm:mr-auto sm:pl-2" aria-live="polite">
          <span className="font-medium">Not saved:</span> {diffWords(draft.changes)}
        </p>
        <Button variant="primary" loading={saving} disabled={draft.theirs !== undefined} onClick={onSave}>
          Save schema
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
        <Button variant="none" onClick={() => setReviews(true)} className="max-sm:px-2">
          Review
        </Button>
      </div>
      {error !== null && (
        <p role="alert" className="mt-2 text-xs break-words text-danger-ink">
          The schema was not saved: {failureText(error)}
        </p>
      )}
      <Dialog
        open={reviews}
        onClose={() => setReviews(false)}
        size="lg"
        title="Changes that are not saved"
        description={diffWords(draft.changes)}
        footer={<Button onClick={() => setReviews(false)}>Close</Button>}
      >
        <SchemaDiff label="Unsaved changes" changes={draft.changes} />
      </Dialog>
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        kind="danger"
        title="Discard your changes?"
        confirmLabel="Discard"
        cancelLabel="Keep editing"
        onConfirm={() => {
          setAsks(false)
          draft.discard()
        }}
      >
        {diffWords(draft.changes)}. The schema becomes again what is saved.
      </ConfirmDialog>
    </section>
  )
}
