import type { Notification, NotificationKind } from '@tributary/contract'
import { Bell, CircleAlert, type LucideIcon, UserRoundCheck } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import { Link } from 'react-router'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Popover } from '../../ui/overlays/popover.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useInbox, useMarkRead } from './use-inbox.ts'

const icons: Record<NotificationKind, LucideIcon> = {
  invitation_accepted: UserRoundCheck,
  delivery_failing: CircleAlert,
  connection_expired: CircleAlert,
  backlog_full: CircleAlert,
  stream_full: CircleAlert,
  requests_set_aside: CircleAlert,
  sync_stalled: CircleAlert,
  sync_alert: CircleAlert,
  plan_usage: CircleAlert,
  api_version_ends: CircleAlert,
}

const Words = ({ notification }: { notification: Notification }) => (
  <>
    <span className={cn('block text-sm wrap-anywhere', notification.read_time === null && 'font-semibold')}>
      {notification.title}
      {notification.read_time === null && <span className="sr-only"> (unread)</span>}
    </span>
    {notification.body !== '' && <span className="block text-xs wrap-anywhere text-ink-2">{notification.body}</span>}
    <RelativeTime time={notification.create_time} className="text-xs text-ink-3" />
  </>
)

const Entry = ({ notification, onOpen }: { notification: Notification; onOpen: () => void }) => {
  const { one } = useMarkRead()
  // A server of the next version can send another kind.
  const Icon = icons[notification.kind] ?? Bell
  const unread = notification.read_time === null
  const open = (): void => {
    if (unread) one.mutate(notification.name)
    onOpen()
  }
  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <span className="relative mt-0.5 shrink-0">
        <Icon aria-hidden className={cn('size-4', unread ? 'text-accent-ink' : 'text-ink-3')} />
      </span>
      {notification.link === '' ? (
        <div className="min-w-0 flex-1">
          <Words notification={notification} />
        </div>
      ) : (
        <Link to={notification.link} onClick={open} className="min-w-0 flex-1 rounded-sm hover:underline">
          <Words notification={notification} />
        </Link>
      )}
      {unread && (
        <Button
          size="xs"
          variant="none"
          className="-mt-0.5 -mr-2 shrink-0"
          aria-label={`Mark as read: ${notification.title}`}
          loading={one.isPending}
          onClick={() => one.mutate(notification.name)}
        >
          Mark as read
        </Button>
      )}
    </li>
  )
}

const List = ({ onOpen }: { onOpen: () => void }) => {
  const { query, notifications } = useInbox()
  if (notifications === undefined)
    return query.isError ? (
      <ErrorScreen error={query.error} title="Failed to load the notifications" onRetry={() => void query.refetch()} />
    ) : (
      <div className="p-2">
        <CardSkeleton lines={2} />
      </div>
    )
  if (notifications.length === 0)
    return (
      <div className="px-6 py-10 text-center">
        <p className="text-sm font-semibold">You're all caught up</p>
        <p className="mt-1 text-xs text-balance text-ink-2">
          You're notified when someone accepts an invitation and when deliveries to a destination fail.
        </p>
      </div>
    )
  return (
    <>
      <ul aria-label="Notifications" className="divide-y divide-line">
        {notifications.map((notification) => (
          <Entry key={notification.name} notification={notification} onOpen={onOpen} />
        ))}
      </ul>
      {query.hasNextPage && (
        <div className="border-t border-line p-2 text-center">
          <Button
            size="sm"
            variant="none"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show older
          </Button>
        </div>
      )}
    </>
  )
}

/** The user's inbox. `children` renders the button that opens it, from the number of unread notifications. */
export const Inbox = ({
  side = 'right',
  align = 'start',
  children,
}: {
  side?: 'bottom' | 'right'
  align?: 'start' | 'end'
  children: (unread: number) => ReactElement
}) => {
  const [open, setOpen] = useState(false)
  const { unread, notifications } = useInbox()
  const { all } = useMarkRead()
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      side={side}
      align={align}
      title="Notifications"
      trigger={children(unread)}
      action={
        (notifications?.length ?? 0) > 0 && (
          <Button size="xs" variant="none" disabled={unread === 0} loading={all.isPending} onClick={() => all.mutate()}>
            Mark all as read
          </Button>
        )
      }
    >
      <List onOpen={() => setOpen(false)} />
    </Popover>
  )
}

/** A bell with the number of unread notifications. */
export const UnreadBell = ({ unread }: { unread: number }) => (
  <span aria-hidden className="relative grid size-4 shrink-0 place-items-center">
    <Bell className="size-4" />
    {unread > 0 && <span className="absolute -top-1 -right-1 size-2 rounded-full border border-canvas bg-danger" />}
  </span>
)

/** The label of the inbox button. */
export const inboxLabel = (unread: number): string =>
  unread === 0 ? 'Notifications' : `Notifications, ${unread > 99 ? 'more than 99' : unread} unread`
