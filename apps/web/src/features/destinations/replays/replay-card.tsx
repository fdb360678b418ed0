import { useMutation, useQueryClient } from '@tanstack/react-query'
import { methods, type Replay, type ReplayState } from '@tributary/contract'
import { Pause, Play, X } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { replayIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { isMoving, replaysQuery } from '../../../lib/queries/replay-queries.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { cn } from '../../../ui/cn.ts'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { notify, notifyRefusal } from '../../../ui/overlays/toast.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { replayWords } from './replay-scope.ts'

const done = { pause: 'Replay Paused', resume: 'Replay Resumed', cancel: 'Replay Canceled' } as const

/** Pauses, resumes or cancels a replay. */
const useChangeReplay = (destination: string, replay: Replay) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (verb: keyof typeof done) => call(methods.replays[verb], { params: replayIds(replay.name), body: {} }),
    onSuccess: ({ sent_count, event_count }, verb) =>
      notify(
        'success',
        done[verb],
        verb === 'cancel' ? { description: `${count(sent_count)} of ${count(event_count)} events were sent.` } : {},
      ),
    onError: (error) => notifyRefusal('Failed to change the replay', error),
    onSettled: () => cache.invalidateQueries({ queryKey: replaysQuery(destination).queryKey }),
  })
}

const states: Readonly<Record<ReplayState, { label: string; tone: BadgeTone }>> = {
  running: { label: 'Running', tone: 'accent' },
  paused: { label: 'Paused', tone: 'warning' },
  delivering: { label: 'Delivering', tone: 'accent' },
  cancelled: { label: 'Canceled', tone: 'neutral' },
  done: { label: 'Done', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
}

const Progress = ({ replay }: { replay: Replay }) => {
  const { sent_count: sent, event_count: all, state } = replay
  const share = all === 0 ? 0 : Math.min(1, sent / all)
  return (
    <div className="space-y-1.5">
      <progress
        aria-label="Sent"
        className="sr-only"
        max={all}
        value={Math.min(sent, all)}
        aria-valuetext={`${count(sent)} of ${count(all)} events sent`}
      />
      <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-sunken">
        <div
          className={cn(
            'h-full rounded-full transition-[width] duration-500',
            state === 'done' ? 'bg-success' : state === 'failed' ? 'bg-danger' : 'bg-accent',
            (state === 'paused' || state === 'cancelled') && 'opacity-50',
          )}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <p className="text-xs text-ink-2 tabular">
        {count(sent)} of {count(all)} sent
      </p>
    </div>
  )
}

const Amount = ({ title, value, tone }: { title: string; value: number; tone?: string }) => (
  <div className="min-w-0">
    <dt className="text-xs text-ink-3">{title}</dt>
    <dd className={cn('text-base font-semibold tabular', value > 0 && tone)}>{count(value)}</dd>
  </div>
)

/**
 * The numbers of a replay. Events that have no final outcome yet count as in progress: they wait for the destination or
 * for a retry.
 */
const Numbers = ({ replay }: { replay: Replay }) => {
  const { sent_count, delivered_count, filtered_count, failed_count } = replay
  const open = Math.max(0, sent_count - delivered_count - filtered_count - failed_count)
  return (
    <dl className="grid grid-cols-3 gap-x-4 gap-y-2 sm:flex sm:flex-wrap sm:gap-x-10">
      <Amount title="Delivered" value={delivered_count} />
      <Amount title="Filtered" value={filtered_count} />
      <Amount title="Dead letters" value={failed_count} tone="text-danger-ink" />
      {isMoving(replay) && <Amount title="In progress" value={open} />}
    </dl>
  )
}

const CancelDialog = ({
  replay,
  change,
  onClosed,
}: {
  replay: Replay
  change: ReturnType<typeof useChangeReplay>
  onClosed: () => void
}) => {
  const [open, setOpen] = useState(true)
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={setOpen}
      onClosed={onClosed}
      kind="danger"
      title="Cancel this replay?"
      confirmLabel="Cancel replay"
      cancelLabel="Keep replay"
      loading={change.isPending}
      done={change.isSuccess || change.isError}
      onConfirm={() => change.mutate('cancel')}
    >
      {count(replay.sent_count)} of {count(replay.event_count)} events have been sent. The rest will not be sent, and
      the replay can't be resumed.
    </ConfirmDialog>
  )
}

const Actions = ({ destination, replay }: { destination: string; replay: Replay }) => {
  const [asking, setAsking] = useState(false)
  const change = useChangeReplay(destination, replay)
  const cancel = useChangeReplay(destination, replay)
  const running = replay.state === 'running'
  return (
    <div className="flex gap-2">
      <Button size="sm" loading={change.isPending} onClick={() => change.mutate(running ? 'pause' : 'resume')}>
        {running ? <Pause aria-hidden /> : <Play aria-hidden />}
        {running ? 'Pause' : 'Resume'}
      </Button>
      <Button size="sm" onClick={() => setAsking(true)}>
        <X aria-hidden />
        Cancel
      </Button>
      {asking && (
        <CancelDialog
          replay={replay}
          change={cancel}
          onClosed={() => {
            cancel.reset()
            setAsking(false)
          }}
        />
      )}
    </div>
  )
}

/** One replay: its scope, its progress, the outcomes of its events, and its actions. */
export const ReplayCard = ({ destination, replay }: { destination: string; replay: Replay }) => {
  const mayEdit = useMayEdit() === true
  const { label, tone } = states[replay.state]
  const open = replay.state === 'running' || replay.state === 'paused'
  const title = replay.kind === 'history' ? 'History' : 'Dead letters'
  return (
    <li
      aria-label={`${title}, ${label.toLowerCase()}`}
      className="space-y-3 rounded-lg border border-line bg-surface px-5 py-4 shadow-card max-sm:px-4"
    >
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <h2 className="flex items-center gap-2 text-base font-semibold">
            {title}
            <Badge tone={tone} dot={replay.state === 'running'}>
              {label}
            </Badge>
          </h2>
          <p className="mt-0.5 text-sm break-words text-ink-2">{replayWords(replay).join(' · ')}</p>
        </div>
        {mayEdit && open && <Actions destination={destination} replay={replay} />}
      </div>
      <Progress replay={replay} />
      <Numbers replay={replay} />
      {replay.failure !== '' && <p className="text-sm text-danger-ink">{replay.failure}.</p>}
      {(replay.state === 'delivering' || replay.state === 'done') && replay.sent_count < replay.event_count && (
        <p className="text-sm text-ink-2">The rest were retried, discarded, or deleted before their turn.</p>
      )}
      <p className="text-xs text-ink-3">
        Started {replay.creator !== null && <>by {replay.creator.display_name} </>}
        <RelativeTime time={replay.create_time} />
        {replay.finish_time !== null && (
          <>
            {' '}
            · ended <RelativeTime time={replay.finish_time} />
          </>
        )}{' '}
        · at most {count(replay.events_per_second)} {pluralise(replay.events_per_second, 'event')} a second
      </p>
    </li>
  )
}
