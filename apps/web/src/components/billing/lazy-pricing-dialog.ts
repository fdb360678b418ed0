import { lazyDialog } from '../../ui/overlays/lazy-dialog.tsx'

/** The pricing dialog, whose code comes when it is first opened. */
export const LazyPricingDialog = lazyDialog(
  'Could not open the plans',
  async () => (await import('./pricing-dialog.tsx')).PricingDialog,
)
