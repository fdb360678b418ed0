import { useCallback, useState } from 'react'
import { changeTree, type Draft, type DraftTree, draftOf, redo, showErrors, undo } from './draft.ts'

/** A tree that is being built, and its operations. */
export type Building = {
  draft: Draft
  /** Changes the tree; `touched` names the elements that were filled in. */
  change: (make: (tree: DraftTree) => DraftTree, ...touched: string[]) => void
  undo: () => void
  redo: () => void
  showErrors: () => void
  /** Starts again with another tree. */
  replace: (tree: DraftTree) => void
}

export const useDraft = (start: () => DraftTree): Building => {
  const [draft, setDraft] = useState(() => draftOf(start()))
  return {
    draft,
    change: useCallback((make, ...touched) => setDraft((now) => changeTree(now, make(now.tree), touched)), []),
    undo: useCallback(() => setDraft(undo), []),
    redo: useCallback(() => setDraft(redo), []),
    showErrors: useCallback(() => setDraft(showErrors), []),
    replace: useCallback((tree) => setDraft(draftOf(tree)), []),
  }
}
