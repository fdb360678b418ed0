import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { methods, type Sync, type SyncRun, type SyncRunCounts } from '@tributary/contract'
import { RotateCw, ShieldAlert, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { QueryView } from '../../../components/query-view.tsx'
import { call } from '../../../lib/api/client.ts'
import { syncRunIds } from '../../../lib/format/names.ts'
import { count, pluralise, sentence } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { personName } from '../../../lib/people/person.ts'
import { membersQuery } from '../../../lib/queries/organization-queries.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { syncQuery, syncRunQuery } from '../../../lib/queries/sync-queries.ts'
import { useMayEdit, useWorkspace } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { cn } from '../../../ui/cn.ts'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { notify, notifyRefusal } from '../../../ui/overlays/toast.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { runCursorText } from '../cursor.ts'
import { RunBadge } from '../run-badge.tsx'
import { type countedOutcomes, hasEnded, outcomesOf, runDuration, runTitle } from '../sync-words.ts'
import { RowLog } from './row-log.tsx'
import { RunSteps } from './run-steps.tsx'

/** Runs only the rejected rows of a run, and opens the new run. */
const useRerunRejected = ({ name }: Pick<SyncRun, 'name'>) => {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const { workspace } = syncRunIds(name)
  return useMutation({
    mutationFn: () => call(methods.syncRuns.rerun, { params: syncRunIds(name), body: {} }),
    onSuccess: (run) => navigate(paths.syncRun(run.name)),
    onError: (error) => notifyRefusal('Could not rerun the rejected rows', error),
    onSettled: () => refresh(cache, ['syncs', 'syncRuns'], { workspace }),
  })
}

/** Approves or cancels a run. */
const useChangeRun = ({ name }: Pick<SyncRun, 'name'>, verb: 'approve' | 'cancel') => {
  const cache = useQueryClient()
  const { workspace } = syncRunIds(name)
  return useMutation({
    mutationFn: () => call(methods.syncRuns[verb], { params: syncRunIds(name), body: {} }),
    onSuccess: (changed) => {
      cache.setQueryData(syncRunQuery(name).queryKey, changed)
      notify('success', verb === 'approve' ? 'Run Approved' : 'Run Canceled')
    },
    onError: (error) => notifyRefusal(`Could not ${verb} the run`, error),
    onSettled: () => refresh(cache, ['syncs', 'syncRuns'], { workspace }),
  })
}

const countTitles = {
  added: 'Added',
  changed: 'Changed',
  updated: 'Updated',
  sent_again: 'Sent again',
  unchanged: 'Unchanged',
  skipped: 'Skipped',
  invalid: 'Invalid',
  rejected: 'Rejected',
  waiting: 'Waiting',
  not_sent: 'Not sent',
} as const satisfies Record<(typeof countedOutcomes)[number], string>

const Amount = ({ title, value, bad = false }: { title: string; value: number; bad?: boolean }) => (
  <div className="min-w-0">
    <dt className="text-xs text-ink-3">{title}</dt>
    <dd className={cn('text-base font-semibold tabular', bad && value > 0 && 'text-danger-ink')}>{count(value)}</dd>
  </div>
)

/** Shows the outcomes of the read rows. Each read row counts once; removed rows are counted separately. */
const Accounting = ({ counts }: { counts: SyncRunCounts }) => {
  const { read, removed, removals_rejected, removals_waiting, removals_not_sent } = counts
  return (
    <div className="space-y-4">
      <p className="text-sm">
        <span className="text-2xl font-semibold tracking-tight tabular">{count(read)}</span>{' '}
        <span className="text-ink-2">{pluralise(read, 'row')} read</span>
      </p>
      <dl aria-label="Rows by outcome" className="grid grid-cols-3 gap-x-4 gap-y-3 sm:grid-cols-4">
        {outcomesOf(counts).map((name) => (
          <Amount
            key={name}
            title={countTitles[name]}
            value={counts[name]}
            bad={name === 'invalid' || name === 'rejected'}
          />
        ))}
      </dl>
      <p className="border-t border-line pt-3 text-sm text-ink-2">
        {removed + removals_rejected + removals_waiting + removals_not_sent === 0 ? (
          'No rows removed.'
        ) : (
          <>
            {count(removed)} {pluralise(removed, 'row')} removed
            {removals_rejected > 0 && `, ${count(removals_rejected)} could not be removed`}
            {removals_waiting > 0 && `, ${count(removals_waiting)} still to remove`}
            {removals_not_sent > 0 && `, ${count(removals_not_sent)} not removed`}.
          </>
        )}
      </p>
    </div>
  )
}

const CancelDialog = ({ run, onClosed }: { run: SyncRun; onClosed: () => void }) => {
  const [open, setOpen] = useState(true)
  const cancel = useChangeRun(run, 'cancel')
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
      kind="danger"
      title="Cancel this run?"
      confirmLabel="Cancel run"
      cancelLabel="Keep run"
      loading={cancel.isPending}
      done={cancel.isSuccess || cancel.isError}
      onConfirm={() => cancel.mutate()}
    >
      {run.state === 'sending'
        ? 'No more rows are sent. Rows already handed to delivery still go, and the run waits for them.'
        : 'Nothing is sent. The next run starts again.'}
    </ConfirmDialog>
  )
}

const CancelButton = ({ run }: { run: SyncRun }) => {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => setAsking(true)}>
        <X aria-hidden />
        Cancel run
      </Button>
      {asking && <CancelDialog run={run} onClosed={() => setAsking(false)} />}
    </>
  )
}

/** A button that sends the rejected rows again, with their current values. */
const RerunButton = ({ run }: { run: SyncRun }) => {
  const rerun = useRerunRejected(run)
  return (
    <Button loading={rerun.isPending} onClick={() => rerun.mutate()}>
      <RotateCw aria-hidden />
      Rerun rejected rows
    </Button>
  )
}

const rejectedOf = ({ counts }: SyncRun): number => (counts === null ? 0 : counts.rejected + counts.removals_rejected)

/** Shows why a run waits for approval, with buttons that approve or cancel it. */
const Approval = ({ sync, run }: { sync: Sync; run: SyncRun }) => {
  const mayEdit = useMayEdit() === true
  const approve = useChangeRun(run, 'approve')
  return (
    <section
      aria-labelledby="approval"
      className="mb-5 rounded-lg border border-warning/40 bg-warning-soft px-5 py-4 text-warning-ink"
    >
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <ShieldAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
        <div className="min-w-0 flex-1 basis-60">
          <h2 id="approval" className="text-base font-semibold">
            This run needs approval
          </h2>
          <p className="mt-0.5 text-sm break-words">{sentence(run.message)}</p>
          {run.planned !== null && (
            <p className="mt-1 text-sm">
              It adds {count(run.planned.added)}, changes {count(run.planned.changed)}, and removes{' '}
              {count(run.planned.removed)} {pluralise(run.planned.removed, 'row')} of {sync.destination.title}. Nothing
              has been sent yet.
            </p>
          )}
        </div>
        {mayEdit && (
          <div className="flex flex-wrap gap-2">
            <CancelButton run={run} />
            <Button variant="primary" loading={approve.isPending} onClick={() => approve.mutate()}>
              Approve
            </Button>
          </div>
        )}
      </div>
    </section>
  )
}

const Approver = ({ user }: { user: string }) => {
  const { organization } = useWorkspace()
  const members = useQuery({ ...membersQuery(organization?.name ?? ''), enabled: organization !== undefined })
  if (members.data === undefined) return null
  const member = members.data.find((each) => each.user === user)
  return <> · approved by {member === undefined ? 'a former member' : personName(member.profile)}</>
}

const RunView = ({ sync, run }: { sync: Sync; run: SyncRun }) => {
  const mayEdit = useMayEdit() === true
  const cache = useQueryClient()
  const ended = hasEnded(run)
  // When a run ends, the sync and its list of runs change, too, so they are reloaded.
  useEffect(() => {
    if (ended) refresh(cache, ['syncs'], { workspace: syncRunIds(run.name).workspace })
  }, [cache, ended, run.name])
  return (
    <>
      <PageHeader
        title="Run"
        documentTitle={`Run of ${sync.title}`}
        description={
          <>
            {run.rerun_of === '' ? (
              runTitle(run)
            ) : (
              <Link to={paths.syncRun(run.rerun_of)} className="rounded-sm underline underline-offset-3">
                Rejected rows of an earlier run
              </Link>
            )}{' '}
            · started <RelativeTime time={run.create_time} />
            {ended && ` · took ${runDuration(run)}`}
            {run.approved_by !== '' && <Approver user={run.approved_by} />}
          </>
        }
        crumbs={[
          { label: 'Syncs', to: paths.syncs(`workspaces/${syncRunIds(run.name).workspace}`) },
          { label: sync.title, to: paths.sync(sync.name) },
        ]}
        action={
          <>
            <RunBadge run={run} />
            {mayEdit && !ended && run.state !== 'needs_approval' && run.state !== 'canceling' && (
              <CancelButton run={run} />
            )}
            {mayEdit && ended && rejectedOf(run) > 0 && sync.last_run !== null && hasEnded(sync.last_run) && (
              <RerunButton run={run} />
            )}
          </>
        }
      />
      {run.state === 'needs_approval' && <Approval sync={sync} run={run} />}
      {run.state === 'failed' && (
        <Alert className="mb-5 rounded-lg bg-danger-soft px-5 py-4 text-sm break-words">
          {sentence(run.message)} Nothing was sent.
        </Alert>
      )}
      {run.alert !== '' && run.state !== 'failed' && (
        <p className="mb-5 rounded-lg bg-warning-soft px-5 py-4 text-sm break-words text-warning-ink">
          {sentence(run.alert)}
        </p>
      )}
      <div className="mb-5 grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2">
        <Card title="Steps">
          <RunSteps run={run} />
        </Card>
        <Card title="Rows">
          {run.counts === null ? (
            <p className="text-sm text-ink-2">
              {ended ? 'The run ended before its rows were counted.' : 'Counted once all rows are read.'}
            </p>
          ) : (
            <>
              <Accounting counts={run.counts} />
              {run.cursor !== null && (
                <p className="mt-2 text-sm break-words text-ink-2">{runCursorText(run.cursor, ended)}</p>
              )}
            </>
          )}
        </Card>
      </div>
      {mayEdit && run.counts !== null && <RowLog sync={sync} run={run} />}
    </>
  )
}

/** The page of one run of a sync: its steps, the outcomes of its rows, and the rows themselves. */
export const RunPage = () => {
  const workspace = useWorkspace().name
  const { syncId, runId } = useParams()
  const name = `${workspace}/syncs/${syncId ?? ''}`
  const sync = useQuery(syncQuery(name))
  const query = useQuery(syncRunQuery(`${name}/runs/${runId ?? ''}`))
  const skeleton = <CardSkeleton lines={6} />
  return (
    <QueryView page query={sync} skeleton={skeleton} errorTitle="Failed to load the sync">
      {(of) => (
        <QueryView page query={query} skeleton={skeleton} errorTitle="Failed to load the run">
          {(run) => <RunView key={run.name} sync={of} run={run} />}
        </QueryView>
      )}
    </QueryView>
  )
}
