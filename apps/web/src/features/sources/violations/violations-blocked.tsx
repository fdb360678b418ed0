import { useMutation, useQueryClient } from '@tanstack/react-query'
import { methods, type Source } from '@tributary/contract'
import { CircleAlert, CircleCheck, Hand } from 'lucide-react'
import { call } from '../../../lib/api/client.ts'
import { failureText } from '../../../lib/api/errors.ts'
import { sourceIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { violationsQuery } from '../../../lib/queries/schema-queries.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { cn } from '../../../ui/cn.ts'
import { notify, notifyRefusal } from '../../../ui/overlays/toast.tsx'

/** Replays the blocked events that match the schema now. */
const useReplayBlocked = (source: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: () => call(methods.violations.replayBlocked, { params: sourceIds(source), body: {} }),
    onSuccess: ({ replayed }) => {
      if (replayed > 0) notify('success', `${count(replayed)} ${pluralise(replayed, 'event')} sent again`)
    },
    onError: (error) => notifyRefusal('Could not replay the events', error),
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: violationsQuery(source).queryKey })
      refresh(cache, ['events'], sourceIds(source))
    },
  })
}

const events = (value: number): string => `${count(value)} ${pluralise(value, 'event')}`

const resultText = ({ replayed, still_blocked: still }: { replayed: number; still_blocked: number }): string => {
  const sent = replayed === 0 ? 'No events match the schema yet' : `${events(replayed)} sent again`
  if (still === 0) return `${sent}; no event is blocked anymore.`
  return `${sent}; ${events(still)} still ${still === 1 ? 'does' : 'do'} not match. Fix the schema and replay again.`
}

/**
 * Events that were blocked because they did not match the schema: their number, and a replay of those that match now.
 */
export const BlockedEvents = ({ source, blocked, mayEdit }: { source: Source; blocked: number; mayEdit: boolean }) => {
  const replay = useReplayBlocked(source.name)
  if (blocked === 0 && replay.data === undefined && source.enforcement === 'allow') return null
  const nothingSent = replay.data !== undefined && replay.data.replayed === 0 && replay.data.still_blocked > 0
  const ResultIcon = nothingSent ? CircleAlert : CircleCheck
  return (
    <section
      aria-label="Blocked events"
      className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-lg border border-line bg-surface px-5 py-4 shadow-card"
    >
      <Hand aria-hidden className="size-5 shrink-0 text-ink-3" />
      <div className="min-w-0 flex-1 basis-52">
        <h2 className="text-sm font-medium">
          {blocked === 0 ? 'No events are blocked' : `${events(blocked)} blocked`}
        </h2>
        <p className="mt-0.5 text-xs text-ink-2">
          {blocked === 0
            ? source.enforcement === 'block'
              ? 'Events that do not match the schema are blocked from now on.'
              : 'Events that do not match the schema are delivered.'
            : 'They did not match the schema and were not delivered. Replay sends each one that matches now, once, and leaves the rest blocked.'}
        </p>
        <output className="mt-1 block text-xs font-medium empty:hidden">
          {replay.data !== undefined && (
            <span
              className={cn('inline-flex items-start gap-1.5', nothingSent ? 'text-warning-ink' : 'text-success-ink')}
            >
              <ResultIcon aria-hidden className="mt-0.5 size-3.5 shrink-0" />
              {resultText(replay.data)}
            </span>
          )}
        </output>
        {replay.isError && <Alert className="mt-1 text-xs break-words">{failureText(replay.error)}</Alert>}
      </div>
      <ButtonLink to={paths.source(source.name, 'schema')}>Open schema</ButtonLink>
      {mayEdit && blocked > 0 && (
        <Button variant="primary" loading={replay.isPending} onClick={() => replay.mutate()}>
          Replay blocked events
        </Button>
      )}
    </section>
  )
}
