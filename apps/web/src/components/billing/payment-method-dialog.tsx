import { useQuery, useQueryClient } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { z } from 'zod'
import { call } from '../../lib/api/client.ts'
import { ApiError } from '../../lib/api/errors.ts'
import { useConfig } from '../../lib/config.ts'
import { organizationIds } from '../../lib/format/names.ts'
import { paymentMethodsQuery, subscriptionQuery } from '../../lib/queries/billing-queries.ts'
import { Button } from '../../ui/button.tsx'
import { Form, SubmitButton, TextField } from '../../ui/forms/form.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { useApiForm } from '../api-form.ts'
import { QueryView } from '../query-view.tsx'
import { billingTexts, reasonOf } from './plan-texts.ts'
import { SandboxNote } from './sandbox-note.tsx'
import { StripeCardForm } from './stripe-card-form.tsx'
import { confirmationOf, useBank } from './use-bank.tsx'

const cardForm = z.object({
  number: z
    .string()
    .trim()
    .regex(/^[\d -]{12,30}$/, 'Enter a test card number'),
  expiry: z
    .string()
    .trim()
    .regex(/^(0[1-9]|1[0-2]) ?\/ ?\d{2}$/, 'Enter a month and a year, such as 12/30'),
  cvc: z
    .string()
    .trim()
    .regex(/^\d{3,4}$/, 'Enter three or four digits'),
})
type CardValues = z.infer<typeof cardForm>

/**
 * The sandbox's card form, which replaces that of a payment provider. The values are sent to the server once and not
 * stored.
 */
const SandboxCardForm = ({
  organization,
  clientSecret,
  onAdded,
  onCancel,
}: {
  organization: string
  clientSecret: string
  onAdded: () => Promise<void>
  onCancel: () => void
}) => {
  const form = useApiForm<CardValues>(cardForm, { number: '', expiry: '', cvc: '' })
  const bank = useBank(organization)
  const submit = async ({ number, expiry, cvc }: CardValues): Promise<void> => {
    const [month = '', year = ''] = expiry.split('/')
    const body = { client_secret: clientSecret, number, exp_month: Number(month), exp_year: 2000 + Number(year), cvc }
    const add = (confirmed: boolean) =>
      call(methods.paymentMethods.confirmSandbox, {
        params: organizationIds(organization),
        body: confirmed ? { ...body, confirmed } : body,
      })
    try {
      try {
        await add(false)
      } catch (error) {
        if (confirmationOf(error) === undefined) throw error
        await bank.ask()
        await add(true)
      }
    } catch (error) {
      // Errors of a field are shown below the field.
      if (!(error instanceof ApiError && error.status === 400))
        notify('error', billingTexts.cardFailed, reasonOf(error))
      throw error
    }
    await onAdded()
  }
  return (
    <Form form={form} onSubmit={submit} label="Card" className="space-y-4">
      <SandboxNote />
      <TextField
        name="number"
        label="Card number"
        required
        inputMode="numeric"
        autoComplete="off"
        placeholder="4242 4242 4242 4242"
        hint="Test numbers only: 4242 4242 4242 4242 works, 4000 0000 0000 0002 is declined, and 4000 0027 6000 3184 asks to confirm each payment. The number is not stored."
      />
      <div className="grid grid-cols-2 gap-4">
        <TextField name="expiry" label="Expiry" required autoComplete="off" placeholder="12/30" />
        <TextField name="cvc" label="CVC" required inputMode="numeric" autoComplete="off" placeholder="123" />
      </div>
      <div className="flex flex-wrap justify-end gap-2 pt-1">
        <Button onClick={onCancel}>Cancel</Button>
        <SubmitButton>Add Payment method</SubmitButton>
      </div>
      {bank.dialog}
    </Form>
  )
}

const Content = ({ organization, onClose }: { organization: string; onClose: () => void }) => {
  const cache = useQueryClient()
  const config = useConfig()
  // A secret is valid for one form: each opening requests a new one.
  const setup = useQuery({
    queryKey: ['billingSetupIntent', organization],
    queryFn: () => call(methods.paymentMethods.setup, { params: organizationIds(organization), body: {} }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const added = async (): Promise<void> => {
    await Promise.all([
      cache.invalidateQueries({ queryKey: paymentMethodsQuery(organization).queryKey }),
      cache.invalidateQueries({ queryKey: subscriptionQuery(organization).queryKey }),
    ])
    notify('success', 'Payment method added')
    onClose()
  }
  return (
    <QueryView query={setup} skeleton={<CardSkeleton lines={3} />} errorTitle={billingTexts.formFailed}>
      {({ client_secret }) =>
        config?.payment === 'stripe' ? (
          <StripeCardForm
            publishableKey={config.stripe_publishable_key}
            clientSecret={client_secret}
            onAdded={added}
            onCancel={onClose}
          />
        ) : (
          <SandboxCardForm
            organization={organization}
            clientSecret={client_secret}
            onAdded={added}
            onCancel={onClose}
          />
        )
      }
    </QueryView>
  )
}

/** Adds a payment method to an organization (a resource name). */
export const PaymentMethodDialog = ({
  open,
  onClose,
  organization,
}: {
  open: boolean
  onClose: () => void
  organization: string
}) => (
  <Dialog open={open} onClose={onClose} title="Add payment method">
    {open && <Content organization={organization} onClose={onClose} />}
  </Dialog>
)
