import type { Workspace } from '@tributary/contract'
import { ArrowUpCircle } from 'lucide-react'
import { useConfig } from '../../lib/config.ts'
import { useIsAdministrator } from '../../lib/workspace.ts'
import { cn } from '../../ui/cn.ts'
import { Hint, sidebarRow } from './sidebar-row.tsx'

/** For administrators on the free plan: the prices, in a new tab. */
export const UpgradeLink = ({ workspace, narrow }: { workspace: Workspace; narrow: boolean }) => {
  const administrator = useIsAdministrator() === true
  const pricing = useConfig()?.links.pricing ?? ''
  if (!administrator || pricing === '' || workspace.organization?.subscription.extra.plan_name !== 'plans/free')
    return null
  return (
    <Hint text="Upgrade" when={narrow}>
      <a
        href={pricing}
        target="_blank"
        rel="noopener noreferrer"
        aria-label="Upgrade (opens in a new tab)"
        className={cn(sidebarRow, 'font-medium text-accent-ink hover:text-accent-ink', narrow && 'justify-center px-0')}
      >
        <ArrowUpCircle aria-hidden className="size-4 shrink-0" />
        {!narrow && 'Upgrade'}
      </a>
    </Hint>
  )
}
