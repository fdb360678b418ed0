import { useQuery } from '@tanstack/react-query'
import { methods, type SignalDefinition, type SignalPreview } from '@tributary/contract'
import { workspaceIds } from '../../lib/format/names.ts'
import { query } from '../../lib/queries/query.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { definitionOf, isDone, type Part, type SignalDraft } from './draft.ts'

/** Previews a signal on one event, to get the warnings about names that were never received. */
const signalNamesQuery = (workspace: string, definition: SignalDefinition) =>
  query(
    methods.signals.preview,
    { params: workspaceIds(workspace), body: { ...definition, sample_size: 1 } },
    { staleTime: 60_000, gcTime: 60_000, wait: 300 },
  )

/** The parts that must be valid before the server can look up the names. */
const needed: readonly Part[] = ['trigger', 'conversion', 'value', 'event_id']

const none: SignalPreview['warnings'] = []

/**
 * Returns warnings about names in a draft that were never received. Returns none until the parts of the draft about
 * events are valid.
 */
export const useNameWarnings = (draft: SignalDraft): SignalPreview['warnings'] => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  const ready = mayEdit && draft.trigger === 'events' && needed.every((part) => isDone(draft, part))
  const { data } = useQuery({ ...signalNamesQuery(workspace, definitionOf(draft)), enabled: ready })
  return ready ? (data?.warnings ?? none) : none
}
