import type { Workspace } from '@tributary/contract'
import { ArrowUpCircle } from 'lucide-react'
import { useState } from 'react'
import { LazyPricingDialog } from '../../components/billing/lazy-pricing-dialog.ts'
import { useConfig } from '../../lib/config.ts'
import { useIsAdministrator } from '../../lib/workspace.ts'
import { cn } from '../../ui/cn.ts'
import { Hint, sidebarRow } from './sidebar-row.tsx'

const look = 'font-medium text-accent-ink hover:text-accent-ink'

const OwnPlans = ({ organization, narrow }: { organization: string; narrow: boolean }) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Hint text="Upgrade" when={narrow}>
        <button
          type="button"
          aria-label="Upgrade"
          onClick={() => setOpen(true)}
          className={cn(sidebarRow, look, 'w-full', narrow && 'justify-center px-0')}
        >
          <ArrowUpCircle aria-hidden className="size-4 shrink-0" />
          {!narrow && 'Upgrade'}
        </button>
      </Hint>
      <LazyPricingDialog open={open} onClose={() => setOpen(false)} organization={organization} />
    </>
  )
}

/**
 * For administrators on the free plan: a link to the prices in a new tab, or to the product's own plans if there is no
 * page of prices (BIL-36).
 */
export const UpgradeLink = ({ workspace, narrow }: { workspace: Workspace; narrow: boolean }) => {
  const administrator = useIsAdministrator() === true
  const config = useConfig()
  const pricing = config?.links.pricing ?? ''
  const { organization } = workspace
  if (!administrator || organization?.subscription.extra.plan_name !== 'plans/free') return null
  if (pricing === '') return config === undefined ? null : <OwnPlans organization={organization.name} narrow={narrow} />
  return (
    <Hint text="Upgrade" when={narrow}>
      <a
        href={pricing}
        target="_blank"
        rel="noopener noreferrer"
        aria-label="Upgrade (opens in a new tab)"
        className={cn(sidebarRow, look, narrow && 'justify-center px-0')}
      >
        <ArrowUpCircle aria-hidden className="size-4 shrink-0" />
        {!narrow && 'Upgrade'}
      </a>
    </Hint>
  )
}
