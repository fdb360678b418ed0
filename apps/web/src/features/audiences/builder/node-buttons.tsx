import { Copy, Trash2 } from 'lucide-react'
import { IconButton } from '../../../ui/icon-button.tsx'
import { duplicate, remove } from './draft.ts'
import type { Building } from './use-draft.ts'

/** Duplicates or deletes a group, segment or condition; `name` says which. */
export const NodeButtons = ({ name, id, building }: { name: string; id: string; building: Building }) => (
  <>
    <IconButton
      size="sm"
      label={`Duplicate ${name}`}
      icon={Copy}
      onClick={() => building.change((tree) => duplicate(tree, id))}
    />
    <IconButton
      size="sm"
      label={`Delete ${name}`}
      icon={Trash2}
      onClick={() => building.change((tree) => remove(tree, id))}
    />
  </>
)
