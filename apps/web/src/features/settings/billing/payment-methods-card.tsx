import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { methods, type PaymentMethod, resourceNames } from '@tributary/contract'
import { CreditCard } from 'lucide-react'
import { useState } from 'react'
import { AsOf } from '../../../components/billing/as-of.tsx'
import { PaymentMethodDialog } from '../../../components/billing/payment-method-dialog.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { call } from '../../../lib/api/client.ts'
import { paymentMethodsQuery, subscriptionQuery } from '../../../lib/queries/billing-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { notify, notifyRefusal } from '../../../ui/overlays/toast.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'

const paramsOf = (name: string) => {
  const params = resourceNames.paymentMethod.parse(name)
  if (params === undefined) throw new Error(`${name} is no payment method`)
  return params
}

const titleOf = ({ brand, last4 }: PaymentMethod): string => `${brand} ending in ${last4}`
const twoDigits = (value: number): string => String(value % 100).padStart(2, '0')

const Row = ({ method, organization }: { method: PaymentMethod; organization: string }) => {
  const cache = useQueryClient()
  const [asking, setAsking] = useState(false)
  const changed = () =>
    Promise.all([
      cache.invalidateQueries({ queryKey: paymentMethodsQuery(organization).queryKey }),
      cache.invalidateQueries({ queryKey: subscriptionQuery(organization).queryKey }),
    ])
  const prefer = useMutation({
    mutationFn: () => call(methods.paymentMethods.setDefault, { params: paramsOf(method.name), body: {} }),
    onSuccess: changed,
    onError: (error) => notifyRefusal('Could not change the default payment method', error),
  })
  const remove = useMutation({
    mutationFn: () => call(methods.paymentMethods.delete, { params: paramsOf(method.name) }),
    onSuccess: async () => {
      setAsking(false)
      notify('success', 'Payment method removed')
      await changed()
    },
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3">
      <CreditCard aria-hidden className="size-4 shrink-0 text-ink-3" />
      <div className="min-w-0 flex-1 basis-40 text-sm">
        <p className="font-medium">{titleOf(method)}</p>
        <p className="text-ink-2 tabular">{`Expires ${twoDigits(method.exp_month)}/${twoDigits(method.exp_year)}`}</p>
      </div>
      <div className="ml-auto flex items-center gap-2">
        {method.default ? (
          <Badge tone="accent">Default</Badge>
        ) : (
          <Button size="sm" loading={prefer.isPending} onClick={() => prefer.mutate()}>
            Make default
          </Button>
        )}
        <Button size="sm" variant="none" aria-label={`Remove ${titleOf(method)}`} onClick={() => setAsking(true)}>
          Remove
        </Button>
      </div>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        kind="danger"
        title="Remove payment method"
        confirmLabel="Remove"
        loading={remove.isPending}
        error={remove.error?.message}
        onConfirm={() => remove.mutate()}
      >
        {`${titleOf(method)} is no longer charged.`}
      </ConfirmDialog>
    </li>
  )
}

/** The payment methods of an organization (a resource name), with the default one, and a form for another. */
export const PaymentMethodsCard = ({ organization }: { organization: string }) => {
  const query = useQuery(paymentMethodsQuery(organization))
  const [adding, setAdding] = useState(false)
  return (
    <>
      <QueryView query={query} skeleton={<CardSkeleton lines={2} />} errorTitle="Failed to load the payment methods">
        {({ payment_methods: known, as_of_time }) => (
          <Card
            title="Payment methods"
            description="Invoices are charged to the default payment method."
            action={
              <Button size="sm" onClick={() => setAdding(true)}>
                Add Payment method
              </Button>
            }
          >
            <AsOf time={as_of_time} />
            {known.length === 0 ? (
              <p className="text-sm text-ink-2">No payment methods yet.</p>
            ) : (
              <ul className="-my-3 divide-y divide-line">
                {known.map((method) => (
                  <Row key={method.name} method={method} organization={organization} />
                ))}
              </ul>
            )}
          </Card>
        )}
      </QueryView>
      <PaymentMethodDialog open={adding} onClose={() => setAdding(false)} organization={organization} />
    </>
  )
}
