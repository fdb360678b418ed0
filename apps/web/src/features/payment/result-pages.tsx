import { useSearchParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'

const Back = () => (
  <ButtonLink variant="primary" to={paths.shortcut('billing')}>
    Back to billing
  </ButtonLink>
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

/** Where a card provider returns to when a payment was confirmed; it may also say that the bank did not (`redirect_status`). */
export const PaymentSuccessPage = () => {
  const [query] = useSearchParams()
  const status = query.get('redirect_status')
  if (status !== null && status !== 'succeeded') return <PaymentCancelPage />
  return (
    <EntryFrame
      title="Payment confirmed"
      description="The billing page shows your plan and payment methods as they are now."
    >
      <Back />
    </EntryFrame>
  )
}
