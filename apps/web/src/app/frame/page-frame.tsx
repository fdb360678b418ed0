import { LogOut } from 'lucide-react'
import { Outlet } from 'react-router'
import { useInboxArrivals } from '../../features/notifications/use-inbox.ts'
import { paths } from '../../lib/paths.ts'
import { useCurrentUser } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { TooltipProvider } from '../../ui/overlays/tooltip.tsx'
import { Wordmark } from '../../ui/page/wordmark.tsx'
import { InboxButton } from './inbox-row.tsx'

/**
 * The frame of the pages between sign-in and a workspace: the product's name, the signed-in user, the inbox and the
 * sign-out.
 */
export const PageFrame = () => {
  const email = useCurrentUser().user.data?.email ?? ''
  useInboxArrivals()
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-14 items-center gap-2 border-b border-line bg-surface px-4 sm:px-6">
        <Wordmark />
        <span className="mr-2 min-w-0 flex-1 truncate text-right text-xs text-ink-3" title={email}>
          {email}
        </span>
        <InboxButton />
        <ButtonLink to={paths.logout()} variant="none" size="sm">
          <LogOut aria-hidden />
          Sign out
        </ButtonLink>
      </header>
      <main className="mx-auto w-full max-w-2xl flex-1 px-4 py-10 sm:px-6 sm:py-16">
        <TooltipProvider>
          <Outlet />
        </TooltipProvider>
      </main>
    </div>
  )
}
