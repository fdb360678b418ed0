import { useQueryClient } from '@tanstack/react-query'
import type { OwnConnector } from '@tributary/contract'
import { useEffect, useEffectEvent, useState } from 'react'
import { ApiError } from '../../../lib/api/errors.ts'
import { ownConnectorQuery } from '../../../lib/queries/own-connector-queries.ts'
import { useSaveOwn } from './own-mutations.ts'

export type Texts = { description: string; guide: string }

const textsOf = ({ draft: { description, guide } }: OwnConnector): Texts => ({ description, guide })

/** The texts of the editor, the draft that they are based on, and what can be done with them. */
export const useOwnDraft = (own: OwnConnector, mayEdit: boolean) => {
  const cache = useQueryClient()
  const save = useSaveOwn(own.name)
  const rename = useSaveOwn(own.name)
  const [base, setBase] = useState(own.draft)
  const [texts, setTexts] = useState(textsOf(own))
  const changesOf = (from: Texts) => (['description', 'guide'] as const).filter((name) => texts[name] !== from[name])
  const dirty = changesOf(base).length > 0
  const adopt = (from: OwnConnector): void => {
    setBase(from.draft)
    setTexts(textsOf(from))
    save.reset()
  }
  // The draft that another user has saved is shown at once, unless this user has changes.
  if (own.draft.revision !== base.revision && !dirty && !save.isPending) {
    setBase(own.draft)
    setTexts(textsOf(own))
  }
  /** Saves the texts that differ from a draft over it. */
  const write = async (over: OwnConnector['draft']): Promise<void> => {
    const changed = changesOf(over)
    if (changed.length === 0 || save.isPending) return
    const change = Object.fromEntries(changed.map((name) => [name, texts[name]]))
    await save.mutateAsync({ change, revision: over.revision }).then(
      (saved) => setBase(saved.draft),
      () => undefined,
    )
  }
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    if (mayEdit) void write(base)
  })
  useEffect(() => {
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  const reload = (): Promise<OwnConnector> => cache.fetchQuery({ ...ownConnectorQuery(own.name), staleTime: 0 })
  return {
    texts,
    dirty,
    revision: base.revision,
    change: (part: Partial<Texts>): void => setTexts((before) => ({ ...before, ...part })),
    save: (): Promise<void> => write(base),
    rename: (title: string): Promise<unknown> => rename.mutateAsync({ change: { title }, revision: base.revision }),
    saving: save.isPending,
    error: save.error,
    /** Whether another user has saved the draft in the meantime. */
    conflict: save.error instanceof ApiError && save.error.body.reason === 'DRAFT_CHANGED',
    discard: (): void => {
      setTexts({ description: base.description, guide: base.guide })
      save.reset()
    },
    /** Replaces the texts by the draft of the other user. */
    takeTheirs: async (): Promise<void> => adopt(await reload()),
    /** Saves the texts over the draft of the other user. */
    keepMine: async (): Promise<void> => {
      const theirs = await reload()
      // Another user may have saved the same texts.
      if (changesOf(theirs.draft).length === 0) adopt(theirs)
      else await write(theirs.draft)
    },
  }
}
export type OwnDraft = ReturnType<typeof useOwnDraft>
