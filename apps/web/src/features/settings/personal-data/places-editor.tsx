import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  defaultPersonDataPaths,
  methods,
  type PersonDataCounts,
  personDataCountLimits,
  personDataKinds,
} from '@tributary/contract'
import { useEffect, useMemo, useState } from 'react'
import { useLocation } from 'react-router'
import { call } from '../../../lib/api/client.ts'
import { ApiError, failureText } from '../../../lib/api/errors.ts'
import { workspaceIds } from '../../../lib/format/names.ts'
import { percent, rateOf } from '../../../lib/format/rates.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { personDataCountsQuery, personDataPlacesQuery } from '../../../lib/queries/person-data-queries.ts'
import { useMayEdit, useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { DraftBar } from '../../../ui/forms/draft-bar.tsx'
import type { Suggestion } from '../../../ui/forms/suggest-input.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { KindCard } from './kind-card.tsx'
import type { Places, PlacesDraft } from './places-draft.ts'

const isOutdated = (error: Error | null): boolean => error instanceof ApiError && error.body.reason === 'PLACES_CHANGED'

const useSave = (workspace: string) => {
  const cache = useQueryClient()
  const { queryKey } = personDataPlacesQuery(workspace)
  return useMutation({
    mutationFn: (body: { places: Places; revision: number }) =>
      call(methods.personDataPlaces.update, { params: workspaceIds(workspace), body }),
    onSuccess: (saved) => {
      cache.setQueryData(queryKey, saved)
      notify('success', 'Paths saved')
    },
    onError: (error) => {
      if (isOutdated(error)) void cache.invalidateQueries({ queryKey })
    },
  })
}

/** The paths that events have, with their share, and the paths of the profile. */
const suggestionsOf = (counts: PersonDataCounts | undefined): readonly Suggestion[] => {
  const received = (counts?.received ?? []).map(({ path, events }) => ({
    value: path,
    note: percent(rateOf(events, counts?.counted ?? 0) ?? 0),
  }))
  const known = new Set(received.map(({ value }) => value))
  const usual = Object.values(defaultPersonDataPaths).flat()
  const ofProfile = usual.flatMap((path) => (path.startsWith('traits.') ? [`profile.${path}`] : []))
  const others = [...usual.filter((path) => !known.has(path)), 'profile.identifiers.email', 'profile.identifiers.phone']
  return [...received, ...[...others, ...ofProfile].map((value) => ({ value }))]
}

const CountNote = ({ counts }: { counts: ReturnType<typeof useCounts> }) => {
  const { data, error, isFetching, refetch } = counts
  const again = (
    <Button size="sm" loading={isFetching} onClick={() => void refetch()}>
      Count again
    </Button>
  )
  if (data === undefined)
    return (
      <div className="flex min-h-8 flex-wrap items-center gap-3 text-sm text-ink-2">
        {error === null ? 'Counting events …' : <Alert>{`The events were not counted: ${failureText(error)}`}</Alert>}
        {error !== null && again}
      </div>
    )
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2 text-sm text-ink-2">
      <p>
        {data.events === 0
          ? `No events were received in the last ${personDataCountLimits.days} days, so there are no shares yet.`
          : `Shares are of ${
              data.counted < data.events
                ? `${count(data.counted)} random events of the ${count(data.events)}`
                : `the ${count(data.events)} ${pluralise(data.events, 'event')}`
            } in the last ${personDataCountLimits.days} days, without test events. Counted `}
        {data.events > 0 && <RelativeTime time={data.end_time} />}
        {data.events > 0 && '.'}
      </p>
      {again}
    </div>
  )
}

/** Counts the events of the saved paths, or of unsaved ones that could be saved. */
const useCounts = (workspace: string, { dirty, hasProblems, places }: PlacesDraft) =>
  useQuery({
    ...personDataCountsQuery(workspace, dirty && !hasProblems ? places : undefined),
    placeholderData: keepPreviousData,
  })

/** Returns the kind that the URL names; '' if it names none. Scrolls to it when the page has opened. */
const useNamedKind = (): string => {
  const { hash } = useLocation()
  useEffect(() => {
    if (hash !== '') document.getElementById(hash.slice(1))?.scrollIntoView()
  }, [hash])
  return hash.slice(1)
}

const Outdated = ({ draft }: { draft: PlacesDraft }) => (
  <section
    role="alert"
    aria-label="The paths have changed"
    className="rounded-lg border border-warning bg-warning-soft p-4 text-sm text-warning-ink"
  >
    <p>Someone else saved the paths. Your changes are not saved yet: {draft.words}.</p>
    <div className="mt-3 flex flex-wrap gap-2">
      <Button variant="inverse" onClick={draft.discard}>
        Load theirs
      </Button>
      <Button onClick={draft.rebase}>Keep mine</Button>
    </div>
  </section>
)

/** The paths of all kinds, with the shares of events, and the bar that saves them. */
export const PlacesEditor = ({ draft }: { draft: PlacesDraft }) => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  const save = useSave(workspace)
  const [checked, setChecked] = useState(false)
  const counts = useCounts(workspace, draft)
  const suggestions = useMemo(() => suggestionsOf(counts.data), [counts.data])
  const named = useNamedKind()
  const discard = (): void => {
    setChecked(false)
    save.reset()
    draft.discard()
  }
  const submit = (): void => {
    setChecked(true)
    if (draft.hasProblems) return
    save.mutate({ places: draft.places, revision: draft.revision }, { onSuccess: discard })
  }
  return (
    <>
      <CountNote counts={counts} />
      {draft.isOutdated && <Outdated draft={draft} />}
      {personDataKinds.map(({ kind, label }) => (
        <KindCard
          key={kind}
          kind={kind}
          label={label}
          paths={draft.shown[kind]}
          suggestions={suggestions}
          counts={counts.data}
          checked={checked}
          opens={kind === (named === '' ? 'email' : named)}
          mayEdit={mayEdit}
          onEdit={(paths, key) => draft.edit({ [kind]: paths }, key)}
        />
      ))}
      {draft.dirty && (
        <DraftBar
          of="paths"
          draft={draft}
          saving={save.isPending}
          blocked={draft.isOutdated}
          error={isOutdated(save.error) ? null : save.error}
          onSave={submit}
          onDiscard={discard}
        />
      )}
    </>
  )
}
