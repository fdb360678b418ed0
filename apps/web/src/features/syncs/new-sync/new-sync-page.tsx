import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { editors, type MethodRequest, type Model, methods } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { ErrorScreen } from '../../../components/error-screen.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { RequireAccess } from '../../../components/require-access.tsx'
import { StepForm } from '../../../components/step-form.tsx'
import { useStepDraft } from '../../../components/use-draft-autosave.ts'
import { call } from '../../../lib/api/client.ts'
import { workspaceIds } from '../../../lib/format/names.ts'
import { paths } from '../../../lib/paths.ts'
import { allModelsQuery } from '../../../lib/queries/data-source-queries.ts'
import { query, refresh } from '../../../lib/queries/query.ts'
import { syncQuery } from '../../../lib/queries/sync-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import {
  emptyDraft,
  firstOpen,
  inputOf,
  problemOf,
  type Step,
  type StepProblem,
  type SyncDraft,
  type SyncInput,
  steps,
  stepTitles,
  withModel,
} from './draft.ts'
import { restored, savedOf } from './saved-draft.ts'
import { DestinationStep, MappingStep, ModelStep, ModeStep, ReviewStep, ScheduleStep } from './steps.tsx'
import { type RowDestination, useRowDestinations } from './use-row-destinations.ts'

/** Reads the draft of a sync that the user has saved in a workspace, as it was when the page was opened. */
const syncDraftQuery = (workspace: string) =>
  query(methods.syncDrafts.get, { params: workspaceIds(workspace) }, { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 })

/** Creates a sync in a workspace (a resource name). No run starts yet. */
const useCreateSync = (workspace: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: SyncInput) => call(methods.syncs.create, { params: workspaceIds(workspace), body }),
    onSuccess: (made) => {
      cache.setQueryData(syncQuery(made.name).queryKey, made)
      notify('success', 'Sync Created')
    },
    onSettled: () => refresh(cache, ['syncs'], workspaceIds(workspace)),
  })
}

/** Runs all changes of a draft in order, so that the last one counts. */
const draftScope = (workspace: string) => ({ id: `${workspace} sync draft` })

/** Saves the draft of a sync in a workspace (a resource name), for a reload or another browser. */
const useSaveDraft = (workspace: string) =>
  useMutation({
    scope: draftScope(workspace),
    mutationFn: (body: MethodRequest<typeof methods.syncDrafts.update>) =>
      call(methods.syncDrafts.update, {
        params: workspaceIds(workspace),
        query: { update_mask: Object.keys(body).join(',') },
        body,
      }),
  })

/** Discards the draft of a sync in a workspace (a resource name). */
const useDiscardDraft = (workspace: string) =>
  useMutation<unknown, Error, void>({
    scope: draftScope(workspace),
    mutationFn: () => call(methods.syncDrafts.delete, { params: workspaceIds(workspace) }),
  })

const headings: Readonly<Record<Step, string>> = {
  model: 'Which rows?',
  destination: 'Where do they go?',
  mode: 'What happens to them there?',
  mapping: 'Which column goes to which field?',
  schedule: 'When does it run?',
  review: 'Review',
}

const Wizard = ({
  models,
  destinations,
  initial,
}: {
  models: readonly Model[]
  destinations: readonly RowDestination[]
  initial: { draft: SyncDraft; step: Step }
}) => {
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const create = useCreateSync(workspace)
  const [problem, setProblem] = useState<StepProblem | undefined>()
  const { mutate: save } = useSaveDraft(workspace)
  const { mutate: forget } = useDiscardDraft(workspace)
  const { draft, setDraft, step, go, discard, started } = useStepDraft(
    initial,
    'model',
    { empty: emptyDraft, savedOf, save, discard: forget },
    () => setProblem(undefined),
  )
  const goOn = async (): Promise<void> => {
    const found = problemOf(draft, step)
    if (found !== undefined) return setProblem(found)
    const next = steps[steps.indexOf(step) + 1]
    if (next !== undefined) return go(next)
    const input = inputOf(draft)
    if (input === undefined) return go(firstOpen(draft) ?? step)
    // The error of a rejection is shown beside the button.
    const made = await create.mutateAsync(input).catch(() => undefined)
    if (made === undefined) return
    discard()
    await navigate(paths.sync(made.name))
  }
  const props = {
    draft,
    problem,
    onChange: (next: SyncDraft) => {
      setDraft(next)
      setProblem(undefined)
      create.reset()
    },
  }
  return (
    <StepForm
      label="New sync"
      heading={headings[step]}
      steps={steps}
      titles={stepTitles}
      step={step}
      open={firstOpen(draft)}
      onChoose={go}
      draft={started}
      error={create.error}
      besides={
        problem?.message !== undefined &&
        step === 'mode' && <Alert className="mr-auto text-xs">{problem.message}</Alert>
      }
      submit="Create sync"
      pending={create.isPending}
      onSubmit={goOn}
    >
      {step === 'model' && <ModelStep {...props} models={models} />}
      {step === 'destination' && <DestinationStep {...props} destinations={destinations} />}
      {step === 'mode' && <ModeStep {...props} />}
      {step === 'mapping' && <MappingStep {...props} />}
      {step === 'schedule' && <ScheduleStep {...props} />}
      {step === 'review' && <ReviewStep {...props} />}
    </StepForm>
  )
}

const skeleton = <CardSkeleton lines={6} />

const Loaded = () => {
  const workspace = useWorkspace().name
  const [address] = useSearchParams()
  const query = useQuery(allModelsQuery(workspace))
  const destinations = useRowDestinations(workspace)
  const saved = useQuery(syncDraftQuery(workspace))
  const wanted = address.get('model')
  return (
    <QueryView query={query} skeleton={skeleton} errorTitle="Failed to load the models">
      {(models) => {
        const failed = destinations.error === null ? saved : destinations
        if (destinations.data === undefined || saved.data === undefined)
          return failed.error === null ? (
            skeleton
          ) : (
            <ErrorScreen
              error={failed.error}
              title={failed === saved ? 'Failed to load your draft' : 'Failed to load the destinations'}
              onRetry={() => void failed.refetch()}
            />
          )
        const model = models.find(({ name }) => name === wanted)
        return (
          <Wizard
            models={models}
            destinations={destinations.data}
            initial={
              model === undefined || model.name === saved.data.source
                ? restored(saved.data, models, destinations.data)
                : { draft: withModel(emptyDraft, model), step: 'model' }
            }
          />
        )
      }}
    </QueryView>
  )
}

/** The form of a new sync in steps: model, destination, mode, mapping, schedule, review. */
export const NewSyncPage = () => (
  <RequireAccess allowed={editors} skeleton={skeleton}>
    <PageHeader
      title="New sync"
      description="Bring rows of a model to a destination."
      crumbs={[{ label: 'Syncs', to: paths.syncs(useWorkspace().name) }]}
    />
    <Loaded />
  </RequireAccess>
)
