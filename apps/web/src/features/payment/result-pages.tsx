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
  <EntryFrame
    title="Payment confirmed"
    description="The billing page shows your plan and payment methods as they are now."
  >
    <Back />
  </EntryFrame>
)

/** Where a card provider returns to when a payment was canceled. */
export const PaymentCancelPage = () => (
  <EntryFrame
    title="Payment canceled"
    description="The billing page shows your plan and payment methods as they are now. You can try again there."
  >
    <Back />
  </EntryFrame>
)
