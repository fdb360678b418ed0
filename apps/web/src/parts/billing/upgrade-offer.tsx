import { type ReactNode, useMemo, useState } from 'react'
import { useConfig } from '../../lib/config.ts'
import { useIsAdministrator, useWorkspace } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { RefusalOffers } from '../../ui/forms/refusal-offers.ts'
import { LazyPricingDialog } from './lazy-pricing-dialog.ts'

/** Forms that are refused because the plan has no more offer the plans to administrators, where plans can be bought. */
export const UpgradeOffer = ({ children }: { children: ReactNode }) => {
  const { organization } = useWorkspace()
  const administrator = useIsAdministrator() === true
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
  if (organization === null || !administrator || !sold) return children
  return (
    <RefusalOffers value={offers}>
      {children}
      <LazyPricingDialog open={open} onClose={() => setOpen(false)} organization={organization.name} />
    </RefusalOffers>
  )
}
