import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type MethodRequest, methods, type SyncDryRun, type SyncSample, sampleGroups } from '@tributary/contract'
import { FlaskConical, X } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { failureText } from '../../../lib/api/errors.ts'
import { syncDryRunIds, syncIds, workspaceIds } from '../../../lib/format/names.ts'
import { count, pluralise, sentence } from '../../../lib/format/text.ts'
import { query } from '../../../lib/queries/query.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { notifyRefusal } from '../../../ui/overlays/toast.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { scrollable } from '../../../ui/scrollable.ts'
import { changedFields, groupTitles } from './sample-words.ts'

/** The subject of a dry run: an unsaved sync, or a saved one with unsaved changes. */
type DryRunOf =
  | { workspace: string; input: MethodRequest<typeof methods.syncDryRuns.create> }
  | { sync: string; changes: MethodRequest<typeof methods.syncDryRuns.createForSync> }

/** Reads a dry run by resource name, again and again until it has ended. */
const syncDryRunQuery = (dryRun: string) =>
  query(
    methods.syncDryRuns.get,
    { params: syncDryRunIds(dryRun) },
    { refetchInterval: ({ state: { data } }) => (data?.finish_time === null ? 1000 : false) },
  )

/** Begins a dry run. Nothing is sent. */
const useBeginDryRun = () => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (of: DryRunOf) =>
      'sync' in of
        ? call(methods.syncDryRuns.createForSync, { params: syncIds(of.sync), body: of.changes })
        : call(methods.syncDryRuns.create, { params: workspaceIds(of.workspace), body: of.input }),
    onSuccess: (begun) => cache.setQueryData(syncDryRunQuery(begun.name).queryKey, begun),
  })
}

/** Cancels a dry run. */
const useCancelDryRun = ({ name }: Pick<SyncDryRun, 'name'>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: () => call(methods.syncDryRuns.cancel, { params: syncDryRunIds(name), body: {} }),
    onSuccess: (canceled) => cache.setQueryData(syncDryRunQuery(name).queryKey, canceled),
    onError: (error) => notifyRefusal('Could not cancel the dry run', error),
  })
}

const Value = ({ text }: { text: string | null }) =>
  text === null ? <span className="text-ink-3">–</span> : <span className="break-all">{text}</span>

const Sample = ({ sample }: { sample: SyncSample }) => {
  const fields = changedFields(sample)
  const key = sample.key === '' ? sample.source_key : sample.key
  const isChange = sample.group === 'changed' || sample.group === 'updated'
  return (
    <li className="space-y-1.5 px-4 py-3">
      <p className="truncate font-mono text-xs font-medium" title={key}>
        {key === '' ? 'No key' : key}
        {sample.rows > 1 && ` (${count(sample.rows)} rows)`}
      </p>
      {sample.reason !== '' && <p className="text-xs break-words text-ink-2">{sentence(sample.reason)}</p>}
      {sample.group === 'changed' && !sample.before_known && (
        <p className="text-xs text-ink-3">What was sent before is no longer kept.</p>
      )}
      {fields.length > 0 && (
        <dl className="grid grid-cols-[minmax(0,8rem)_minmax(0,1fr)] gap-x-3 max-sm:grid-cols-[minmax(0,5rem)_minmax(0,1fr)] gap-y-0.5 text-xs">
          {fields.map(({ name, before, after }) => (
            <div key={name} className="contents">
              <dt className="truncate text-ink-3" title={name}>
                {name}
              </dt>
              <dd className="min-w-0 font-mono">
                {isChange && sample.before_known && (
                  <>
                    <del className="text-danger-ink">
                      <Value text={before} />
                    </del>{' '}
                    →{' '}
                  </>
                )}
                <Value text={sample.group === 'removed' ? before : after} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}

const Found = ({ dryRun, ofEvents }: { dryRun: SyncDryRun; ofEvents: boolean }) => {
  const { counts, samples, asks, usage_events: events } = dryRun
  if (counts === null) return null
  const groups = sampleGroups.filter((group) => counts[group] > 0)
  return (
    <div className="space-y-4">
      <p className="text-sm">
        <span className="font-medium">{count(counts.read)}</span> {pluralise(counts.read, 'row')} read,{' '}
        {count(counts.unchanged)} unchanged.{groups.length === 0 && ' The run would send nothing.'}
      </p>
      {ofEvents && events !== null && (
        <p className="text-sm">
          The run would add {events > 0 && 'up to '}
          <span className="font-medium">{count(events)}</span> {pluralise(events, 'event')} to this period's usage.
          {counts.history > 0 &&
            ` ${count(counts.history)} ${pluralise(counts.history, 'event')} from before the period would be stored and would not count.`}
        </p>
      )}
      {asks !== '' && (
        <p className="rounded-md bg-warning-soft px-3 py-2 text-sm break-words text-warning-ink">
          The run would need approval: {sentence(asks)}
        </p>
      )}
      {groups.map((group) => {
        const shown = samples.filter((sample) => sample.group === group)
        return (
          <section key={group} aria-label={groupTitles[group]}>
            <h3 className="flex items-baseline justify-between gap-3 text-sm font-medium">
              {groupTitles[group]} <span className="tabular">{count(counts[group])}</span>
            </h3>
            <ul
              {...scrollable}
              className="mt-1.5 max-h-72 divide-y divide-line overflow-y-auto scroll-thin rounded-lg border border-line bg-surface"
            >
              {shown.map((sample, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- rows without a key have none
                <Sample key={at} sample={sample} />
              ))}
            </ul>
            {shown.reduce((sum, { rows }) => sum + Math.max(1, rows), 0) < counts[group] && (
              <p className="mt-1 text-xs text-ink-3">The first {count(shown.length)}.</p>
            )}
          </section>
        )
      })}
      <p className="text-xs text-ink-3">
        {ofEvents
          ? 'Events are checked when they are received: some can be rejected then.'
          : 'The destination decides when rows are sent: some can be skipped or rejected then.'}
      </p>
    </div>
  )
}

const progressWords = { queued: 'Waiting for a place…', reading: 'Reading rows…', comparing: 'Comparing…' } as const

const Progress = ({ dryRun, ofEvents }: { dryRun: SyncDryRun; ofEvents: boolean }) => {
  const cancel = useCancelDryRun(dryRun)
  const { state, message, read } = dryRun
  if (state === 'failed') return <Alert>{sentence(message)}</Alert>
  if (state === 'canceled') return <p className="text-sm text-ink-2">The dry run was canceled.</p>
  if (state === 'done') return <Found dryRun={dryRun} ofEvents={ofEvents} />
  return (
    <div className="flex flex-wrap items-center gap-3 text-sm text-ink-2">
      <Spinner size="sm" label="Working" />
      <output className="min-w-0 flex-1">
        {progressWords[state]}
        {read > 0 && ` ${count(read)} ${pluralise(read, 'row')} so far.`}
      </output>
      <Button size="sm" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        <X aria-hidden />
        Cancel
      </Button>
    </div>
  )
}

/**
 * A button that starts a dry run of a saved or unsaved sync, and its result below. Nothing is sent to the destination.
 * `ofEvents` is whether rows would become events.
 */
export const DryRun = ({ of, ofEvents }: { of: DryRunOf; ofEvents: boolean }) => {
  const begin = useBeginDryRun()
  const [name, setName] = useState<string | undefined>()
  const query = useQuery({ ...syncDryRunQuery(name ?? ''), enabled: name !== undefined })
  const dryRun = query.data
  const moving = dryRun !== undefined && dryRun.finish_time === null
  return (
    <section aria-label="Dry run" className="space-y-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-0 flex-1 basis-52 text-sm text-ink-2">
          A dry run reads the model and shows what a run would do. Nothing is sent.
        </p>
        <Button
          loading={begin.isPending || (name !== undefined && dryRun === undefined && !query.isError)}
          disabled={moving}
          onClick={() => begin.mutate(of, { onSuccess: (begun) => setName(begun.name) })}
        >
          <FlaskConical aria-hidden />
          {dryRun === undefined ? 'Dry run' : 'Dry run again'}
        </Button>
      </div>
      {(begin.error ?? query.error) !== null && <Alert>{failureText(begin.error ?? query.error)}</Alert>}
      {dryRun !== undefined && <Progress dryRun={dryRun} ofEvents={ofEvents} />}
    </section>
  )
}
