import type { DestinationMappings } from '@tributary/contract'
import { TriangleAlert } from 'lucide-react'
import { changeWords } from '../../../components/mapping/mapping-draft.ts'
import { Button } from '../../../ui/button.tsx'
import type { MappingDraft } from './use-mapping-draft.ts'

/** Shown if another user changed the mappings while there are unsaved changes, with the two options. */
export const MappingConflict = ({
  draft,
  theirs,
  saving,
  onSave,
}: {
  draft: MappingDraft
  theirs: DestinationMappings
  saving: boolean
  /** Saves the unsaved mappings in place of the revision that the other user saved. */
  onSave: (revision: number) => Promise<boolean>
}) => {
  const changed = changeWords(draft.base?.event_mappings ?? [], theirs.event_mappings)
  return (
    <section
      role="alert"
      aria-label="The mappings have changed"
      className="rounded-lg border border-warning bg-warning-soft p-4 text-sm text-warning-ink"
    >
      <h2 className="flex items-center gap-2 font-semibold">
        <TriangleAlert aria-hidden className="size-4 shrink-0" />
        The mappings have changed
      </h2>
      <p className="mt-1">
        Someone else saved{changed === '' ? ' them' : `: ${changed}`}. Your changes are not saved yet: {draft.words}.
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button variant="inverse" onClick={draft.discard}>
          Load theirs
        </Button>
        <Button loading={saving} onClick={() => void onSave(theirs.revision)}>
          Overwrite with mine
        </Button>
      </div>
    </section>
  )
}
