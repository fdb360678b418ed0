import { useQuery } from '@tanstack/react-query'
import type { SignalPreview } from '@tributary/contract'
import { signalNamesQuery } from '../../lib/queries/signal-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { definitionOf, isDone, type Part, type SignalDraft } from './draft.ts'

/** The parts that must be valid before the server can look up the names. */
const needed: readonly Part[] = ['trigger', 'conversion', 'value', 'event_id']

const none: SignalPreview['warnings'] = []

/** Warnings about names in a draft that were never received, once its parts about events are valid. */
export const useNameWarnings = (draft: SignalDraft): SignalPreview['warnings'] => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  const ready = mayEdit && draft.trigger === 'events' && needed.every((part) => isDone(draft, part))
  const { data } = useQuery({ ...signalNamesQuery(workspace, definitionOf(draft)), enabled: ready })
  return ready ? (data?.warnings ?? none) : none
}
