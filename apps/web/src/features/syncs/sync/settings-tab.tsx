import { useQuery } from '@tanstack/react-query'
import { eventObjects, genericTitle, type Sync, type SyncMode } from '@tributary/contract'
import { RefreshCw, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { ReadOnlyNote } from '../../../components/settings/read-only-note.tsx'
import { TitleCard } from '../../../components/settings/title-card.tsx'
import { useLeftSyncs } from '../../../components/syncs-of.tsx'
import { paths } from '../../../lib/paths.ts'
import { modelQuery } from '../../../lib/queries/data-source-queries.ts'
import { useMayEdit, useWorkspace } from '../../../lib/workspace.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { DeleteCard } from '../../../ui/page/delete-card.tsx'
import { type CursorDraft, cursorDraftOf, cursorInput } from '../cursor.ts'
import { CursorChoice, useTakesCursor } from '../cursor-choice.tsx'
import { ModeChoice } from '../mode-choice.tsx'
import { OwnObject } from '../own-object.tsx'
import { scheduleInput, scheduleOf, scheduleProblem } from '../schedule.ts'
import { ScheduleChoice } from '../schedule-choice.tsx'
import { useDeleteSync, useResetSync, useRunSync, useUpdateSync } from '../sync-mutations.ts'
import { hasEnded, isOfEvents } from '../sync-words.ts'
import { ToDestinations } from '../to-destinations.tsx'
import { useRowObjects } from '../use-row-objects.ts'
import { AlertsCard } from './alerts-card.tsx'
import { ApiCard } from './api-card.tsx'
import { SavedCard } from './saved-card.tsx'

const ModeCard = ({ sync }: { sync: Sync }) => {
  const mayEdit = useMayEdit() === true
  const ofEvents = isOfEvents(sync)
  const { data: objects } = useRowObjects(ofEvents ? '' : sync.destination.name)
  const object = ofEvents ? undefined : objects?.find(({ name }) => name === sync.object)
  const modes = ofEvents
    ? (eventObjects.find(({ name }) => name === sync.object)?.syncModes ?? [])
    : (object?.sync_modes ?? [sync.mode])
  return (
    <SavedCard<{ mode: SyncMode; owns: boolean }>
      sync={sync}
      title="Mode"
      description="What is done with rows at the destination. Applies from the next run."
      saved={{ mode: sync.mode, owns: sync.owns_object }}
      changeOf={({ mode, owns }) =>
        mode === 'FULL_SYNC' && sync.cursor !== null
          ? undefined
          : { mode, ...(ofEvents ? {} : { owns_object: owns && mode === 'FULL_SYNC' }) }
      }
    >
      {({ mode, owns }, change) => (
        <ModeChoice
          modes={modes}
          value={mode}
          ofEvents={ofEvents}
          disabled={!mayEdit}
          ofFull={
            sync.cursor !== null ? (
              <p className="text-sm text-danger-ink">
                This sync reads only new and changed rows, so it can't know which ones to remove. Change{' '}
                <a href="#rows-to-read" className="rounded-sm underline underline-offset-3">
                  Rows to read
                </a>{' '}
                first.
              </p>
            ) : (
              object?.listable === true && (
                <OwnObject
                  object={`the ${object.title.toLowerCase()} ${sync.object_name}`}
                  checked={owns}
                  disabled={!mayEdit}
                  onChange={(next) => change({ mode, owns: next })}
                />
              )
            )
          }
          onChange={(next) => change({ mode: next, owns })}
        />
      )}
    </SavedCard>
  )
}

const CursorCard = ({ sync }: { sync: Sync }) => {
  const mayEdit = useMayEdit() === true
  const { data: model } = useQuery(modelQuery(sync.model.name))
  const takesCursor = useTakesCursor(model)
  if (model === undefined || (!takesCursor && sync.cursor === null)) return null
  return (
    <div id="rows-to-read" className="scroll-my-4">
      <SavedCard<CursorDraft | undefined>
        sync={sync}
        title="Rows to read"
        description="Which rows of the model a run reads. Applies from the next run, which reads all rows when the cursor is another column."
        saved={cursorDraftOf(sync.cursor)}
        changeOf={(draft) => {
          if (draft === undefined) return { cursor: null }
          const cursor = cursorInput(draft)
          return cursor && { cursor }
        }}
      >
        {(draft, change) => (
          <CursorChoice model={model} mode={sync.mode} value={draft} disabled={!mayEdit} onChange={change} />
        )}
      </SavedCard>
    </div>
  )
}

const ToDestinationsCard = ({ sync }: { sync: Sync }) => {
  const mayEdit = useMayEdit() === true
  return (
    <SavedCard<boolean>
      sync={sync}
      title="Connected destinations"
      description="Whether events go to the destinations that are connected to the source. Applies from the next run."
      saved={sync.to_destinations}
      changeOf={(to_destinations) => ({ to_destinations })}
    >
      {(checked, change) => <ToDestinations checked={checked} disabled={!mayEdit} onChange={change} />}
    </SavedCard>
  )
}

const percentOf = (text: string): number | undefined =>
  /^\d{1,3}$/.test(text.trim()) && Number(text) <= 100 ? Number(text) : undefined

const GuardCard = ({ sync }: { sync: Sync }) => {
  const mayEdit = useMayEdit() === true
  return (
    <SavedCard<string>
      sync={sync}
      title="Approval"
      description="A run that would change or remove more than this share of the rows waits for approval. A model without rows always does."
      saved={String(sync.guard_percent)}
      changeOf={(text) => {
        const guard_percent = percentOf(text)
        return guard_percent === undefined ? undefined : { guard_percent }
      }}
    >
      {(text, change) => (
        <label className="flex items-center gap-2 text-sm">
          <Input
            aria-label="Share of rows, in percent"
            inputMode="numeric"
            className="w-20 text-right tabular"
            maxLength={3}
            value={text}
            disabled={!mayEdit}
            aria-invalid={percentOf(text) === undefined ? true : undefined}
            onChange={({ target }) => change(target.value)}
          />
          % of the rows
          {percentOf(text) === undefined && <span className="text-xs text-danger-ink">From 0 to 100</span>}
        </label>
      )}
    </SavedCard>
  )
}

const ResyncCard = ({ sync }: { sync: Sync }) => {
  const [asking, setAsking] = useState(false)
  const run = useRunSync(sync)
  const open = sync.last_run !== null && !hasEnded(sync.last_run)
  return (
    <>
      <Card
        title="Resync"
        description="Runs now and sends every row again, not only those that changed."
        className="pb-4"
        action={
          <Button disabled={open} onClick={() => setAsking(true)}>
            <RefreshCw aria-hidden />
            Resync
          </Button>
        }
      />
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        kind="info"
        title="Send every row again?"
        confirmLabel="Resync"
        loading={run.isPending}
        done={run.isError}
        onConfirm={() => run.mutate(true)}
      >
        All rows of {sync.model.title} are read and sent to {sync.destination.title} again, which can take longer than a
        usual run. Rows are removed as the mode says.
      </ConfirmDialog>
    </>
  )
}

const ResetCard = ({ sync }: { sync: Sync }) => {
  const [asking, setAsking] = useState(false)
  const reset = useResetSync(sync)
  const open = sync.last_run !== null && !hasEnded(sync.last_run)
  return (
    <>
      <Card
        title="Reset"
        description="Forgets which rows the destination has. The next run counts as the first one."
        className="pb-4"
        action={
          <Button
            disabled={open}
            onClick={() => {
              reset.reset()
              setAsking(true)
            }}
          >
            <RotateCcw aria-hidden />
            Reset
          </Button>
        }
      />
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        kind="danger"
        title="Reset this sync?"
        confirmLabel="Reset sync"
        loading={reset.isPending}
        done={reset.isSuccess}
        error={reset.error?.message}
        onConfirm={() => reset.mutate()}
      >
        The sync forgets every row it has sent. The next run sends all rows again and removes none: rows that are no
        longer in the model stay at {sync.destination.title}. This can't be undone.
      </ConfirmDialog>
    </>
  )
}

/** Title, mode, schedule, approval, alerts, resync, reset, and deletion of a sync. */
export const SettingsTab = ({ sync }: { sync: Sync }) => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  const update = useUpdateSync(sync)
  const remove = useDeleteSync(sync)
  const left = useLeftSyncs(sync)
  return (
    <div className="max-w-2xl space-y-5">
      <ReadOnlyNote />
      <TitleCard
        key={sync.title}
        title={sync.title}
        rule={genericTitle}
        mayEdit={mayEdit}
        onSave={(title) => update.mutateAsync({ title })}
      />
      <ModeCard key={`mode ${sync.mode} ${sync.owns_object}`} sync={sync} />
      <SavedCard
        key={`schedule ${JSON.stringify(scheduleOf(sync))}`}
        sync={sync}
        title="Schedule"
        description="When the sync runs automatically. Manual syncs run only when someone runs them."
        saved={scheduleOf(sync)}
        changeOf={(schedule) => (scheduleProblem(schedule) === undefined ? scheduleInput(schedule) : undefined)}
      >
        {(schedule, change) => (
          <ScheduleChoice value={schedule} self={sync.name} disabled={!mayEdit} onChange={change} />
        )}
      </SavedCard>
      <CursorCard key={`cursor ${JSON.stringify(sync.cursor)} ${sync.mode}`} sync={sync} />
      {isOfEvents(sync) && <ToDestinationsCard key={`to ${sync.to_destinations}`} sync={sync} />}
      <GuardCard key={`guard ${sync.guard_percent}`} sync={sync} />
      <AlertsCard key={`alerts ${JSON.stringify(sync.alerts)}`} sync={sync} />
      <ApiCard sync={sync} />
      {mayEdit && (
        <>
          {!isOfEvents(sync) && (
            <>
              <ResyncCard sync={sync} />
              <ResetCard sync={sync} />
            </>
          )}
          <DeleteCard
            label="Delete sync"
            description={`Its runs and row logs are deleted. ${isOfEvents(sync) ? 'Events' : 'Rows'} stay at ${sync.destination.title}.`}
            mutation={remove}
            list={paths.syncs(workspace)}
            checking={left === undefined}
          >
            Are you sure you want to delete the {sync.title} sync? No more rows are sent. Rows that{' '}
            {sync.destination.title} already has stay there, and rows already handed to delivery still arrive. {left}
          </DeleteCard>
        </>
      )}
    </div>
  )
}
