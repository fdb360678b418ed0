import { LogOut } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '../../lib/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Wordmark } from '../../ui/wordmark.tsx'

/** The frame of the pages between sign-in and a workspace: the product's name and the way out. */
export const PageFrame = ({ children }: { children: ReactNode }) => (
  <div className="flex min-h-dvh flex-col">
    <header className="flex h-14 items-center justify-between border-b border-line bg-surface px-4 sm:px-6">
      <Wordmark />
      <ButtonLink to={paths.logout()} variant="none" size="sm">
        <LogOut aria-hidden />
        Sign out
      </ButtonLink>
    </header>
    <main className="mx-auto w-full max-w-2xl flex-1 px-4 py-10 sm:px-6 sm:py-16">{children}</main>
  </div>
)
