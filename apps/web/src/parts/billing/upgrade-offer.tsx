import { type ReactNode, useMemo, useState } from 'react'
import { useConfig } from '../../lib/config.ts'
import { useIsAdministrator, useWorkspace } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { RefusalOffers } from '../../ui/forms/refusal-offers.ts'
import { LazyPricingDialog } from './lazy-pricing-dialog.ts'

const noOffers = {}

/**
 * Forms that are refused because the plan has no more offer the plans of the organization (a resource name), where plans can be
 * bought; null offers nothing.
 */
export const PlansOffer = ({ organization, children }: { organization: string | null; children: ReactNode }) => {
  const sold = (useConfig()?.payment ?? 'none') !== 'none'
  const [open, setOpen] = useState(false)
  const offers = useMemo(
    () => ({
      '402 UPGRADE_REQUIRED': (
        <Button size="sm" onClick={() => setOpen(true)}>
          Show plans
        </Button>
      ),
    }),
    [],
  )
  const offered = organization !== null && sold
  // The same tree whatever is known so far: a page that is open when the configuration comes keeps its focus and its state.
  return (
    <RefusalOffers value={offered ? offers : noOffers}>
      {children}
      {offered ? <LazyPricingDialog open={open} onClose={() => setOpen(false)} organization={organization} /> : null}
    </RefusalOffers>
  )
}

/** What `PlansOffer` does, to administrators of the organization of the workspace. */
export const UpgradeOffer = ({ children }: { children: ReactNode }) => {
  const { organization } = useWorkspace()
  const administrator = useIsAdministrator() === true
  return <PlansOffer organization={administrator ? (organization?.name ?? null) : null}>{children}</PlansOffer>
}
