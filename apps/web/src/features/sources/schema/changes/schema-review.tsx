import { useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/overlays/dialog.tsx'
import { diffWords } from './schema-diff.ts'
import { SchemaDiff } from './schema-diff-view.tsx'
import type { SchemaDraft } from './use-schema-draft.ts'

/** A button that shows each change of the draft. */
export const SchemaReview = ({ draft }: { draft: SchemaDraft }) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button variant="none" onClick={() => setOpen(true)} className="max-sm:px-2">
        Review
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        size="lg"
        title="Unsaved changes"
        description={diffWords(draft.changes)}
        footer={<Button onClick={() => setOpen(false)}>Close</Button>}
      >
        <SchemaDiff label="Unsaved changes" changes={draft.changes} />
      </Dialog>
    </>
  )
}
