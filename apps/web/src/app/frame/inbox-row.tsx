import { Inbox, inboxLabel, UnreadBell } from '../../features/notifications/inbox.tsx'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { sidebarRow } from './sidebar-row.tsx'

/** The inbox as a row of the sidebar. A narrow screen shows it in its bar, as a window over the page. */
export const InboxRow = ({ narrow }: { narrow: boolean }) => (
  <Inbox>
    {(unread) => (
      <button
        type="button"
        aria-label={inboxLabel(unread)}
        title={narrow ? 'Notifications' : undefined}
        className={cn(sidebarRow, 'max-md:hidden', narrow && 'justify-center px-0')}
      >
        <UnreadBell unread={unread} />
        {!narrow && (
          <>
            <span className="flex-1 text-left">Notifications</span>
            {unread > 0 && (
              <span className="rounded-full bg-danger-soft px-1.5 text-2xs font-semibold text-danger-ink tabular">
                {unread > 99 ? '99+' : unread}
              </span>
            )}
          </>
        )}
      </button>
    )}
  </Inbox>
)

/** The inbox as a button of the bar above a narrow screen. */
export const InboxButton = () => (
  <Inbox side="bottom" align="end">
    {(unread) => (
      <Button variant="none" square aria-label={inboxLabel(unread)}>
        <UnreadBell unread={unread} />
      </Button>
    )}
  </Inbox>
)
