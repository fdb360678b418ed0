import { type ReactNode, useMemo, useState } from 'react'
import { useConfig } from '../../lib/config.ts'
import { useIsAdministrator, useWorkspace } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { RefusalOffers } from '../../ui/forms/refusal-offers.ts'
import { LazyPricingDialog } from './lazy-pricing-dialog.ts'

const noOffers = {}

/**
 * Offers the plans of the organization (a resource name) below a form that is rejected because of a limit of the plan.
 * Offers nothing if plans cannot be bought, or if `organization` is null.
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
  // The element tree is the same with and without offers, so that an open page keeps its focus and state when the
  // configuration arrives.
  return (
    <RefusalOffers value={offered ? offers : noOffers}>
      {children}
      {offered ? <LazyPricingDialog open={open} onClose={() => setOpen(false)} organization={organization} /> : null}
    </RefusalOffers>
  )
}

/** A `PlansOffer` for administrators of the workspace's organization. */
export const UpgradeOffer = ({ children }: { children: ReactNode }) => {
  const { organization } = useWorkspace()
  const administrator = useIsAdministrator() === true
  return <PlansOffer organization={administrator ? (organization?.name ?? null) : null}>{children}</PlansOffer>
}
