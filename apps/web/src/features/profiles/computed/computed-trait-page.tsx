import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ComputedTrait, methods } from '@tributary/contract'
import { Pencil, Sigma } from 'lucide-react'
import { useParams } from 'react-router'
import { DetailPage } from '../../../components/detail-page.tsx'
import { call } from '../../../lib/api/client.ts'
import { computedTraitIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { paths } from '../../../lib/paths.ts'
import { computedTraitQuery } from '../../../lib/queries/computed-trait-queries.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { useMayEdit, useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { ButtonLink } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { DeleteCard } from '../../../ui/page/delete-card.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { RelativeTime, useCurrentTime } from '../../../ui/relative-time.tsx'
import { definitionText, isBehind, stateTitles, stateTones } from './computed-words.ts'

/** Deletes a computed trait. */
const useDeleteComputedTrait = ({ name }: ComputedTrait) => {
  const cache = useQueryClient()
  return useMutation<unknown, Error, void>({
    mutationFn: () => call(methods.computedTraits.delete, { params: computedTraitIds(name) }),
    onSuccess: () => {
      track('Computed Trait Deleted', { computed_trait: name })
      notify('success', 'Computed Trait Deleted')
    },
    onSettled: () => {
      const { workspace } = computedTraitIds(name)
      refresh(cache, ['computedTraits'], { workspace })
    },
  })
}

const Progress = ({ computedTrait: { progress, as_of } }: { computedTrait: ComputedTrait }) =>
  progress !== null && (
    <p className="mt-3 text-sm text-ink-2">
      {progress.profile_count === 0
        ? 'Computing begins in a moment.'
        : `${count(progress.done_count)} of ${count(progress.profile_count)} profiles are computed.`}
      {as_of !== null && ' The others have values of the definition before.'}
    </p>
  )

const Status = ({ computedTrait }: { computedTrait: ComputedTrait }) => {
  const { definition, profile_count, as_of, state, failure } = computedTrait
  const now = useCurrentTime()
  return (
    <Card>
      <div className="flex flex-wrap items-end gap-x-8 gap-y-3">
        <p>
          <span className="text-2xl font-semibold tracking-tight tabular">{count(profile_count)}</span>{' '}
          <span className="text-sm text-ink-2">
            {pluralise(profile_count, 'profile')} {profile_count === 1 ? 'has' : 'have'} a value
          </span>
          <span className="block text-xs text-ink-3">
            {as_of === null ? (
              'Not computed yet'
            ) : (
              <>
                Last computed <RelativeTime time={as_of} />
              </>
            )}
          </span>
        </p>
        <p className="min-w-0 flex-1 basis-64 text-sm break-words text-ink-2">{definitionText(definition)}</p>
      </div>
      <Progress computedTrait={computedTrait} />
      {state === 'failed' && (
        <Alert className="mt-3 text-sm break-words">
          Could not compute the trait: {failure}. It is retried every ten minutes.
        </Alert>
      )}
      {state === 'live' && isBehind(computedTrait, now) && as_of !== null && (
        <Alert className="mt-3 text-sm">
          Values are of <RelativeTime time={as_of} />. They are computed again as soon as the stored events can be read.
        </Alert>
      )}
    </Card>
  )
}

const How = () => (
  <Card title="How values change">
    <ul className="list-disc space-y-1 pl-5 text-sm text-ink-2">
      <li>A value changes seconds after an event, a merge, or a split.</li>
      <li>An event that leaves the window stops counting within a minute.</li>
      <li>All values are computed again every day. Events that are no longer stored stop counting then.</li>
      <li>Test events don't count. A profile without such events has no value.</li>
    </ul>
  </Card>
)

const ComputedTraitView = ({ item: computedTrait }: { item: ComputedTrait }) => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  const remove = useDeleteComputedTrait(computedTrait)
  const { name, trait, version, update_time, author, state } = computedTrait
  return (
    <>
      <PageHeader
        title={trait}
        description={
          <>
            Version {count(version)}, changed <RelativeTime time={update_time} />
            {author !== '' && ` by ${author}`}
          </>
        }
        icon={
          <span className="grid size-11 place-items-center rounded-md border border-line bg-surface">
            <Sigma aria-hidden className="size-5 text-ink-2" />
          </span>
        }
        crumbs={[
          { label: 'Profiles', to: paths.profiles(workspace) },
          { label: 'Computed traits', to: paths.computedTraits(workspace) },
        ]}
        action={
          <>
            <Badge tone={stateTones[state]} dot={state === 'live'}>
              {stateTitles[state]}
            </Badge>
            {mayEdit && (
              <ButtonLink to={paths.editComputedTrait(name)} variant="primary">
                <Pencil aria-hidden />
                Edit
              </ButtonLink>
            )}
          </>
        }
      />
      <div className="max-w-3xl space-y-5">
        <Status computedTrait={computedTrait} />
        <How />
        {mayEdit && (
          <DeleteCard
            label="Delete computed trait"
            description="Its values are removed from all profiles."
            mutation={remove}
            list={paths.computedTraits(workspace)}
          >
            {`Audiences with a condition on ${trait} find no value any longer. This can't be undone.`}
          </DeleteCard>
        )}
      </div>
    </>
  )
}

/** The page of a computed trait: its definition, the progress of its computation, and how its values change. */
export const ComputedTraitPage = () => {
  const workspace = useWorkspace().name
  const { computedTraitId } = useParams()
  const query = useQuery(computedTraitQuery(`${workspace}/computedTraits/${computedTraitId ?? ''}`))
  return <DetailPage query={query} errorTitle="Failed to load the computed trait" View={ComputedTraitView} />
}
