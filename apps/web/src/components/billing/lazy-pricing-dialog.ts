import { lazyDialog } from '../../ui/overlays/lazy-dialog.tsx'

/** The pricing dialog; its code is loaded when it is first opened. */
export const LazyPricingDialog = lazyDialog(
  'Could not open the plans',
  async () => (await import('./pricing-dialog.tsx')).PricingDialog,
)
