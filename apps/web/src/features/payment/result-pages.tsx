import { paths } from '../../lib/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'

const Back = () => (
  <ButtonLink variant="primary" to={paths.shortcut('billing')}>
    Back to billing
  </ButtonLink>
)

/** Where a card provider returns to when a payment was confirmed. */
export const PaymentSuccessPage = () => (
  <EntryFrame title="Payment confirmed" description="Your payment method was confirmed.">
    <Back />
  </EntryFrame>
)

/** Where a card provider returns to when a payment was canceled. */
export const PaymentCancelPage = () => (
  <EntryFrame title="Payment canceled" description="Nothing was charged. You can try again on the billing page.">
    <Back />
  </EntryFrame>
)
