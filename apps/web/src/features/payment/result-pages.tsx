import { useSearchParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'

const Back = () => (
  <ButtonLink variant="primary" to={paths.shortcut('billing')}>
    Back to billing
  </ButtonLink>
)

/** The page to which a card provider returns after a payment was canceled. */
export const PaymentCancelPage = () => (
  <EntryFrame
    title="Payment canceled"
    description="The billing page shows your plan and payment methods as they are now. You can try again there."
  >
    <Back />
  </EntryFrame>
)

/**
 * The page to which a card provider returns after a payment was confirmed; `redirect_status` can also report that the
 * bank refused.
 */
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
