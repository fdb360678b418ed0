import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type CardElements, loadStripe, type StripeJs } from '../../lib/integrations/stripe-js.ts'
import { paths } from '../../lib/paths.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { QueryView } from '../query-view.tsx'
import { billingTexts } from './plan-texts.ts'

const Widget = ({
  stripe,
  clientSecret,
  onAdded,
  onCancel,
}: {
  stripe: StripeJs
  clientSecret: string
  onAdded: () => Promise<void>
  onCancel: () => void
}) => {
  const place = useRef<HTMLDivElement>(null)
  const elements = useRef<CardElements>(undefined)
  const [state, setState] = useState<'loading' | 'ready' | 'busy' | 'failed'>('loading')
  useEffect(() => {
    if (place.current === null) return
    const chosen = document.documentElement.dataset.theme
    const night = chosen === undefined ? window.matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark'
    const made = stripe.elements({ clientSecret, appearance: { theme: night ? 'night' : 'stripe' } })
    const form = made.create('payment')
    elements.current = made
    form.on('ready', () => setState('ready'))
    form.on('loaderror', () => setState('failed'))
    form.mount(place.current)
    return () => form.destroy()
  }, [stripe, clientSecret])
  const confirm = async (): Promise<void> => {
    if (elements.current === undefined) return
    setState('busy')
    try {
      const { error } = await stripe.confirmSetup({
        elements: elements.current,
        // Some banks confirm a payment on their own page. They then return the user to this page.
        confirmParams: { return_url: new URL(paths.paymentSuccess(), window.location.origin).href },
        redirect: 'if_required',
      })
      if (error === undefined) {
        await onAdded()
        return
      }
      // Errors of a single field are shown below that field.
      if (error.type !== 'validation_error')
        notify('error', billingTexts.cardFailed, error.message === undefined ? {} : { description: error.message })
    } catch {
      notify('error', billingTexts.cardFailed)
    }
    setState('ready')
  }
  return (
    <div className="space-y-4">
      {state === 'failed' && <Alert className="text-sm">{billingTexts.formFailed}</Alert>}
      <div ref={place} data-testid="card-form" className="min-h-40" />
      <div className="flex flex-wrap justify-end gap-2 pt-1">
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          variant="primary"
          loading={state === 'busy'}
          disabled={state === 'loading' || state === 'failed'}
          onClick={() => void confirm()}
        >
          Add Payment method
        </Button>
      </div>
    </div>
  )
}

/** The card form of Stripe: it sends the numbers only to Stripe. */
export const StripeCardForm = ({
  publishableKey,
  ...given
}: {
  publishableKey: string
  clientSecret: string
  onAdded: () => Promise<void>
  onCancel: () => void
}) => {
  const stripe = useQuery({
    queryKey: ['stripe-js', publishableKey],
    queryFn: () => loadStripe(publishableKey),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return (
    <QueryView query={stripe} skeleton={<CardSkeleton lines={3} />} errorTitle={billingTexts.formFailed}>
      {(loaded) => <Widget stripe={loaded} {...given} />}
    </QueryView>
  )
}
