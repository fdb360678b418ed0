import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Destination, type FailureGroup, methods } from '@tributary/contract'
import { ArrowLeft, CircleCheck, History, RotateCw, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { ErrorScreen } from '../../../components/error-screen.tsx'
import { call } from '../../../lib/api/client.ts'
import { ApiError } from '../../../lib/api/errors.ts'
import { destinationIds, failureGroupIds } from '../../../lib/format/names.ts'
import { count, pluralise } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { failureGroupQuery } from '../../../lib/queries/event-queries.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Exchange, Fact } from '../../../ui/code/exchange.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { useRetryDeliveries } from '../mutations.ts'
import { AffectedEvents } from './affected-events.tsx'
import { causeOf, retryAndReplay, stateWords } from './failure-words.ts'

/** Discards the dead letters of a group for good. */
const useDiscardGroup = (destination: string, group: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: () => call(methods.failureGroups.discard, { params: failureGroupIds(group), body: {} }),
    onSuccess: ({ event_count }) =>
      notify('success', 'Dead Letters Discarded', {
        description: `${count(event_count)} ${pluralise(event_count, 'event')} will not be retried.`,
      }),
    onSettled: () => {
      // Not awaited: the calling component may be removed before the lists are reloaded.
      refresh(cache, ['deliveries', 'failureGroups', 'deliveryOverviews'], destinationIds(destination))
    },
  })
}

const Facts = ({ group, paused }: { group: FailureGroup; paused: boolean }) => (
  <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
    <Fact name="Events">{count(group.event_count)}</Fact>
    <Fact name="HTTP status">{(group.http_status ?? 0) === 0 ? 'No response' : group.http_status}</Fact>
    <Fact name="Attempts">{count(group.attempts)}</Fact>
    <Fact name="First">
      <RelativeTime time={group.first_time} />
    </Fact>
    <Fact name="Last">
      <RelativeTime time={group.last_time} />
    </Fact>
    <Fact name="Next try">
      {group.next_time === null ? (
        'When you retry'
      ) : paused ? (
        'When you resume'
      ) : (
        <RelativeTime time={group.next_time} upcoming past="Due now" />
      )}
    </Fact>
  </dl>
)

/**
 * Returns to the list after a change. The group and its page can disappear before the response arrives, so this works
 * even if the component is removed. A failed change shows its own error.
 */
const useLeaveAfter = (destination: Destination): ((change: Promise<unknown>) => void) => {
  const navigate = useNavigate()
  return (change) =>
    void change.then(
      () => navigate(paths.destination(destination.name, 'failures'), { replace: true }),
      () => undefined,
    )
}

/** Discards the dead letters of a group, after a confirmation. */
const DiscardButton = ({ destination, group }: { destination: Destination; group: FailureGroup }) => {
  const [open, setOpen] = useState(false)
  const leaveAfter = useLeaveAfter(destination)
  const discard = useDiscardGroup(destination.name, group.name)
  return (
    <>
      <Button
        onClick={() => {
          discard.reset()
          setOpen(true)
        }}
      >
        <Trash2 aria-hidden />
        Discard
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        kind="danger"
        title="Discard dead letters"
        confirmLabel="Discard"
        loading={discard.isPending}
        error={discard.error?.message}
        onConfirm={() => leaveAfter(discard.mutateAsync())}
      >
        {count(group.event_count)} {pluralise(group.event_count, 'event')} can no longer be retried from here. The
        events stay stored, and the delivery log keeps their outcome.
      </ConfirmDialog>
    </>
  )
}

const Head = ({ destination, group }: { destination: Destination; group: FailureGroup }) => {
  const mayEdit = useMayEdit() === true
  const leaveAfter = useLeaveAfter(destination)
  const retry = useRetryDeliveries(destination.name)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const { title, tone } = stateWords[group.state]
  return (
    <div className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0 flex-1 basis-64">
        <h2 ref={heading} tabIndex={-1} className="text-lg font-semibold break-words outline-none">
          {causeOf(group)}
        </h2>
        <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-ink-2">
          <Badge tone={tone}>{title}</Badge>
          {group.state === 'dead'
            ? 'Not retried automatically. Fix the cause, then retry.'
            : destination.enabled
              ? 'Retried automatically.'
              : 'Held while this destination is paused.'}
        </p>
        {mayEdit && destination.enabled && group.state === 'dead' && (
          <p className="mt-1 max-w-prose text-xs text-ink-2">{retryAndReplay}</p>
        )}
      </div>
      {mayEdit && (
        <div className="flex flex-wrap gap-2">
          {group.state === 'dead' && (
            <>
              <DiscardButton destination={destination} group={group} />
              <ButtonLink to={paths.newReplay(destination.name, { kind: 'dead', reason: group.reason })}>
                <History aria-hidden />
                Replay these
              </ButtonLink>
            </>
          )}
          {destination.enabled && (
            <Button
              variant="primary"
              loading={retry.isPending}
              onClick={() => leaveAfter(retry.mutateAsync({ failure_group: group.name }))}
            >
              <RotateCw aria-hidden />
              Retry all
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

const Gone = ({ destination }: { destination: Destination }) => (
  <EmptyState
    icon={<CircleCheck />}
    title="No events are held for this failure"
    action={
      <ButtonLink to={paths.deliveries(destination.name, '')} variant="primary">
        See deliveries
      </ButtonLink>
    }
  >
    Its events were delivered, discarded, or failed for another reason. See deliveries for the outcome of each.
  </EmptyState>
)

/** One cause of failures: the last request and response, its events, and the actions. */
export const FailureGroupView = ({ destination, name }: { destination: Destination; name: string }) => {
  const query = useQuery(failureGroupQuery(name))
  const gone = query.error instanceof ApiError && query.error.status === 404
  const group = gone ? undefined : query.data
  return (
    <div className="space-y-5">
      <ButtonLink variant="none" size="sm" to={paths.destination(destination.name, 'failures')} className="-ml-2">
        <ArrowLeft aria-hidden className="size-3.5" />
        All failures
      </ButtonLink>
      {gone ? (
        <Gone destination={destination} />
      ) : group === undefined && query.isError ? (
        <ErrorScreen error={query.error} onRetry={() => void query.refetch()} title="Failed to load the failures" />
      ) : group === undefined ? (
        <CardSkeleton lines={6} />
      ) : (
        <>
          <Head destination={destination} group={group} />
          <Card>
            <Facts group={group} paused={!destination.enabled} />
          </Card>
          <Card title="Latest attempt" description="The request and its response, without secrets.">
            <Exchange reason="" request={group.request} response={group.response}>
              {group.attempts === 0
                ? 'These events have not been sent yet, so there is no response.'
                : "The last attempt's request and response were not stored."}
            </Exchange>
          </Card>
          <AffectedEvents destination={destination} group={group} />
        </>
      )}
    </div>
  )
}
