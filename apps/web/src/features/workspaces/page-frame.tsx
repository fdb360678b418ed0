import { LogOut } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '../../lib/paths.ts'
import { useCurrentUser } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Wordmark } from '../../ui/wordmark.tsx'

/** The frame of the pages between sign-in and a workspace: the product's name, who is signed in and the way out. */
export const PageFrame = ({ children }: { children: ReactNode }) => {
  const email = useCurrentUser().user.data?.email ?? ''
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-14 items-center gap-4 border-b border-line bg-surface px-4 sm:px-6">
        <Wordmark />
        <span className="min-w-0 flex-1 truncate text-right text-xs text-ink-3" title={email}>
          {email}
        </span>
        <ButtonLink to={paths.logout()} variant="none" size="sm">
          <LogOut aria-hidden />
          Sign out
        </ButtonLink>
      </header>
      <main className="mx-auto w-full max-w-2xl flex-1 px-4 py-10 sm:px-6 sm:py-16">{children}</main>
    </div>
  )
}
