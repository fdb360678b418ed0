import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Destination, type DestinationMappings, type EventMapping, methods } from '@tributary/contract'
import { Plus, RotateCcw, Sparkles, Waypoints } from 'lucide-react'
import { useState } from 'react'
import {
  newMapping,
  problemsOf,
  refusedProblems,
  saved,
  withDuplicate,
  withMoved,
} from '../../../components/mapping/mapping-draft.ts'
import { QueryView } from '../../../components/query-view.tsx'
import { call } from '../../../lib/api/client.ts'
import { ApiError } from '../../../lib/api/errors.ts'
import { destinationIds } from '../../../lib/format/names.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { mappingsQuery } from '../../../lib/queries/mapping-queries.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { DraftBar } from '../../../ui/forms/draft-bar.tsx'
import { DangerDialog } from '../../../ui/overlays/danger-dialog.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { TableSkeleton } from '../../../ui/page/skeleton.tsx'
import { MappingConflict } from './mapping-conflict.tsx'
import { MappingEditor } from './mapping-editor.tsx'
import { MappingRow, type RowActions } from './mapping-row.tsx'
import { mappingTitle } from './mapping-words.ts'
import { NewPresets } from './new-presets.tsx'
import { useSharedMappingDraft } from './use-mapping-draft.ts'

/** True if saving the mappings failed because another user had changed them after they were loaded. */
const isMappingsChanged = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && error.body.reason === 'MAPPINGS_CHANGED'

/** Saves the mappings of a destination; null resets it to the presets of its app. */
const useSaveMappings = (destination: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ mappings, revision }: { mappings: readonly EventMapping[] | null; revision: number }) =>
      call(methods.mappings.update, {
        params: destinationIds(destination),
        body: { event_mappings: mappings === null ? null : [...mappings], revision },
      }),
    onSuccess: (updated) => {
      cache.setQueryData(mappingsQuery(destination).queryKey, updated)
      track('Destination Updated', { destination, fields: ['mappings'] })
      notify('success', 'Mappings Updated')
    },
    onError: (error) => {
      if (isMappingsChanged(error)) void cache.invalidateQueries({ queryKey: mappingsQuery(destination).queryKey })
    },
  })
}

const PresetNote = ({
  destination,
  onCustomize,
}: {
  destination: Destination
  onCustomize: (() => void) | undefined
}) => (
  <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg bg-accent-soft px-4 py-3 text-sm text-accent-ink">
    <Sparkles aria-hidden className="size-4 shrink-0 max-sm:hidden" />
    <p className="min-w-0 flex-1 basis-64">
      <span className="font-medium">Presets in use.</span> {destination.app.display_name} comes with these mappings.
      Customize them to choose triggers, actions, and payloads.
    </p>
    {onCustomize !== undefined && <Button onClick={onCustomize}>Customize</Button>}
  </div>
)

const Mappings = ({ destination, server }: { destination: Destination; server: DestinationMappings }) => {
  const mayEdit = useMayEdit() === true
  const draft = useSharedMappingDraft()
  const save = useSaveMappings(destination.name)
  const [opened, setOpened] = useState<string | undefined>()
  const [resets, setResets] = useState(false)
  const [checked, setChecked] = useState(false)
  const [said, setSaid] = useState('')
  const base = draft.base ?? server
  const mappings = draft.mappings ?? server.event_mappings
  const isPreset = draft.mappings === undefined && server.is_preset
  const editable = mayEdit && !isPreset
  const theirs = draft.dirty && server.revision !== base.revision ? server : undefined
  const actionOf = (mapping: EventMapping) => server.actions.find(({ name }) => name === mapping.destination)
  const edit = (change: (before: readonly EventMapping[]) => readonly EventMapping[], key?: string): void =>
    draft.edit(server, change, key)

  const refused =
    save.error instanceof ApiError && save.error.status === 400
      ? refusedProblems(save.error.body.metadata ?? {}, save.variables?.mappings ?? [])
      : {}
  const problems = new Map(
    mappings.map((mapping) => [
      mapping.id,
      checked ? { ...refused[mapping.id], ...problemsOf(mapping, actionOf(mapping)) } : {},
    ]),
  )
  const firstProblem = (id: string): string | undefined => Object.values(problems.get(id) ?? {})[0]

  const saveAll = async (revision: number): Promise<boolean> => {
    setChecked(true)
    save.reset()
    const wrong = mappings.find((mapping) => Object.keys(problemsOf(mapping, actionOf(mapping))).length > 0)
    if (wrong !== undefined) {
      setOpened(wrong.id)
      return false
    }
    try {
      await save.mutateAsync({ mappings: mappings.map(saved), revision })
      draft.discard()
      setChecked(false)
      return true
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) {
        const [first] = Object.keys(refusedProblems(error.body.metadata ?? {}, mappings.map(saved)))
        if (first !== undefined) setOpened(first)
      }
      return false
    }
  }
  const add = (): void => {
    const [action] = server.actions
    if (action === undefined) return
    const made = newMapping(action, mappings)
    edit((before) => [...before, made])
    setOpened(made.id)
  }
  const actionsOf = (mapping: EventMapping, position: number): RowActions => ({
    move: (by) => {
      edit((before) => withMoved(before, mapping.id, by))
      const to = Math.min(Math.max(position + by, 1), mappings.length)
      setSaid(`${mappingTitle(mapping)} moved to position ${to} of ${mappings.length}`)
    },
    duplicate: () => edit((before) => withDuplicate(before, mapping.id)),
    remove: () => {
      edit((before) => before.filter(({ id }) => id !== mapping.id))
      setSaid(`${mappingTitle(mapping)} deleted`)
    },
    enable: (enabled) => edit((before) => before.map((each) => (each.id === mapping.id ? { ...each, enabled } : each))),
  })
  const shown = mappings.find(({ id }) => id === opened)

  return (
    <div className="space-y-4">
      {isPreset && (
        <PresetNote
          destination={destination}
          onCustomize={mayEdit && mappings.length > 0 ? () => draft.customize(server) : undefined}
        />
      )}
      {!draft.dirty && (
        <NewPresets destination={destination} server={server} onAdded={mayEdit ? draft.discard : undefined} />
      )}
      {theirs !== undefined && (
        <MappingConflict draft={draft} theirs={theirs} saving={save.isPending} onSave={saveAll} />
      )}
      {mappings.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 basis-64 text-sm text-ink-2">
            The first mapping that matches an event decides what is sent. Events that match no mapping are not sent.
          </p>
          {mayEdit && (
            <div className="flex gap-2">
              {!server.is_preset && (
                <Button onClick={() => setResets(true)}>
                  <RotateCcw aria-hidden />
                  Reset to presets
                </Button>
              )}
              {editable && (
                <Button variant={draft.dirty ? 'secondary' : 'primary'} onClick={add}>
                  <Plus aria-hidden />
                  Add mapping
                </Button>
              )}
            </div>
          )}
        </div>
      )}
      {mappings.length === 0 ? (
        <EmptyState
          icon={<Waypoints />}
          title="Nothing is sent"
          action={
            mayEdit && (
              <>
                <Button variant="primary" onClick={add}>
                  <Plus aria-hidden />
                  Add mapping
                </Button>
                {!server.is_preset && (
                  <Button onClick={() => setResets(true)}>
                    <RotateCcw aria-hidden />
                    Reset to presets
                  </Button>
                )}
              </>
            )
          }
        >
          Mappings define which events {destination.title} receives and how. Without one, no events are sent.
        </EmptyState>
      ) : (
        <ol
          aria-label="Event mappings"
          className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card"
        >
          {mappings.map((mapping, index) => (
            <MappingRow
              key={mapping.id}
              mapping={mapping}
              position={index + 1}
              count={mappings.length}
              action={actionOf(mapping)}
              problem={firstProblem(mapping.id)}
              actions={editable ? actionsOf(mapping, index + 1) : undefined}
              onOpen={() => setOpened(mapping.id)}
            />
          ))}
        </ol>
      )}
      <output className="sr-only">{said}</output>
      {draft.dirty && (
        <DraftBar
          of="mappings"
          draft={draft}
          saving={save.isPending}
          blocked={theirs !== undefined}
          error={isMappingsChanged(save.error) ? null : save.error}
          onSave={() => void saveAll(base.revision)}
          onDiscard={() => {
            setChecked(false)
            save.reset()
            draft.discard()
          }}
        />
      )}
      {shown !== undefined && (
        <MappingEditor
          key={shown.id}
          destination={destination}
          mapping={shown}
          actions={server.actions}
          variables={server.variables}
          problems={problems.get(shown.id) ?? {}}
          mayEdit={mayEdit}
          canSave={draft.dirty && theirs === undefined}
          saving={save.isPending}
          onChange={
            editable
              ? (change, key) =>
                  edit((before) => before.map((each) => (each.id === shown.id ? change(each) : each)), key)
              : undefined
          }
          onSave={() => saveAll(base.revision)}
          onClosed={() => setOpened(undefined)}
        />
      )}
      {resets && (
        <DangerDialog
          title="Reset to presets?"
          confirmLabel="Reset to presets"
          mutation={{
            ...save,
            mutate: () => save.mutate({ mappings: null, revision: server.revision }, { onSuccess: draft.discard }),
          }}
          variables={{ mappings: null, revision: server.revision }}
          onClosed={() => setResets(false)}
        >
          Your mappings are replaced by the presets that {destination.app.display_name} comes with now, starting with
          the next event. This can't be undone.
        </DangerDialog>
      )}
    </div>
  )
}

/** The mappings of a destination in order, edited as a draft that is saved as a whole. */
export const MappingsTab = ({ destination }: { destination: Destination }) => {
  const query = useQuery(mappingsQuery(destination.name))
  return (
    <QueryView query={query} skeleton={<TableSkeleton rows={3} />} errorTitle="Failed to load the mappings">
      {(server) => <Mappings destination={destination} server={server} />}
    </QueryView>
  )
}
