import type { DestinationMappings, EventMapping } from '@tributary/contract'
import { createContext, useContext, useMemo, useState } from 'react'
import { changeWords } from '../../../components/mapping/mapping-draft.ts'

type List = readonly EventMapping[]

type Draft = {
  /** The saved mappings that the draft is based on. */
  base: DestinationMappings
  mappings: List
  /** The lists before each step, oldest first. `key` is that of the step that changed the list. */
  past: readonly { mappings: List; key: string | undefined }[]
}

/** Maximum number of steps that can be undone. */
const maxSteps = 100

/** The unsaved changes of a destination's mappings. Stored above the tabs, so that they survive switching tabs. */
export const useMappingDraft = () => {
  const [draft, setDraft] = useState<Draft | undefined>()
  const actions = useMemo(
    () => ({
      /** Changes the shown list; consecutive steps with the same `key` are undone together. */
      edit: (server: DestinationMappings, change: (mappings: List) => List, key?: string): void =>
        setDraft((before) => {
          const { base, mappings, past } = before ?? { base: server, mappings: server.event_mappings, past: [] }
          const next = change(mappings)
          if (next === mappings) return before
          const together = key !== undefined && past.at(-1)?.key === key
          return { base, mappings: next, past: together ? past : [...past, { mappings, key }].slice(-maxSteps) }
        }),
      /** Begins to edit custom mappings. Until they are changed, they equal the presets. */
      customize: (server: DestinationMappings): void =>
        setDraft({ base: server, mappings: server.event_mappings, past: [] }),
      undo: (): void =>
        setDraft((before) => {
          const last = before?.past.at(-1)
          if (before === undefined || last === undefined) return before
          return { ...before, mappings: last.mappings, past: before.past.slice(0, -1) }
        }),
      discard: (): void => setDraft(undefined),
      /** Bases the draft on the version that another user has saved; its changes stay. */
      rebase: (base: DestinationMappings): void =>
        setDraft((before) => (before === undefined ? undefined : { ...before, base })),
    }),
    [],
  )
  const words = useMemo(
    () => (draft === undefined ? '' : changeWords(draft.base.event_mappings, draft.mappings)),
    [draft],
  )
  const ownNow = draft?.base.is_preset === true
  return {
    ...actions,
    base: draft?.base,
    mappings: draft?.mappings,
    canUndo: (draft?.past.length ?? 0) > 0,
    /** Describes the unsaved changes. The text is '' if there are none. */
    words: words === '' && ownNow ? 'custom mappings instead of the presets' : words,
    dirty: words !== '' || ownNow,
  }
}

export type MappingDraft = ReturnType<typeof useMappingDraft>

/** The draft of the destination whose page is shown. */
export const MappingDraftContext = createContext<MappingDraft | undefined>(undefined)

/** The draft of the surrounding page; must be used inside one. */
export const useSharedMappingDraft = (): MappingDraft => {
  const draft = useContext(MappingDraftContext)
  if (draft === undefined) throw new Error('There is no draft of mappings around')
  return draft
}
