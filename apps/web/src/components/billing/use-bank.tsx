import { methods } from '@tributary/contract'
import { type ReactNode, useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { ApiError } from '../../lib/api/errors.ts'
import { useConfig } from '../../lib/config.ts'
import { organizationIds } from '../../lib/format/names.ts'
import { loadStripe } from '../../lib/integrations/stripe-js.ts'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { NotConfirmed } from './not-confirmed.ts'

/**
 * Returns the secret for confirming the payment, if an error says that a call requires this. Returns undefined for any
 * other error.
 */
export const confirmationOf = (error: unknown): string | undefined =>
  error instanceof ApiError && error.body.reason === 'PAYMENT_CONFIRMATION'
    ? error.body.metadata?.client_secret
    : undefined

export type Bank = {
  /**
   * Asks the user for confirmation, as the bank of the sandbox does. Rejects with NotConfirmed if the dialog is closed.
   */
  ask(): Promise<void>
  /** Lets the user confirm a payment with their bank. Rejects with NotConfirmed when that fails or is canceled. */
  confirm(clientSecret: string): Promise<void>
  /** Must be rendered for `ask` and `confirm` to work. */
  dialog: ReactNode
}

/** The confirmation of payments of an organization (a resource name): Stripe's own dialog, or ours in the sandbox. */
export const useBank = (organization: string): Bank => {
  const config = useConfig()
  const [answer, setAnswer] = useState<(agreed: boolean) => void>()
  const ask = async (): Promise<void> => {
    const agreed = await new Promise<boolean>((resolve) => setAnswer(() => resolve))
    setAnswer(undefined)
    if (!agreed) throw new NotConfirmed()
  }
  const confirm = async (clientSecret: string): Promise<void> => {
    if (config?.payment === 'stripe') {
      const stripe = await loadStripe(config.stripe_publishable_key)
      const { error } = await stripe.confirmCardPayment(clientSecret)
      if (error !== undefined) throw new NotConfirmed(error.message)
      return
    }
    await ask()
    await call(methods.invoices.confirmSandbox, {
      params: organizationIds(organization),
      body: { client_secret: clientSecret },
    })
  }
  const dialog = (
    <ConfirmDialog
      open={answer !== undefined}
      onOpenChange={() => answer?.(false)}
      kind="info"
      title="Confirm with your bank"
      confirmLabel="Confirm"
      cancelLabel="Refuse"
      onConfirm={() => answer?.(true)}
    >
      Sandbox: this stands for the page on which a bank asks to confirm a payment (3-D Secure).
    </ConfirmDialog>
  )
  return { ask, confirm, dialog }
}
