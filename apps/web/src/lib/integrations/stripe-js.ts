// The card form of Stripe is loaded from Stripe, as it requires (docs.stripe.com/js/including). The application uses
// these of its calls.

type Failure = { type?: string; message?: string }

export type CardElements = {
  create(kind: 'payment'): {
    mount(place: HTMLElement): void
    destroy(): void
    on(event: 'ready' | 'loaderror', listener: () => void): void
  }
}

export type StripeJs = {
  elements(given: { clientSecret: string; appearance: { theme: 'stripe' | 'night' } }): CardElements
  confirmSetup(given: {
    elements: CardElements
    confirmParams: { return_url: string }
    redirect: 'if_required'
  }): Promise<{ error?: Failure }>
  /** Shows what the bank asks, in a dialog of Stripe's. */
  confirmCardPayment(clientSecret: string): Promise<{ error?: Failure }>
}

/** The release whose objects the server reads, too. */
const address = 'https://js.stripe.com/endive/stripe.js'

const made = (publishableKey: string): StripeJs => {
  const { Stripe } = window as { Stripe?: (key: string) => StripeJs }
  if (Stripe === undefined) throw new Error('Failed to load Stripe.js')
  return Stripe(publishableKey)
}

let loading: Promise<void> | undefined

const load = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = address
    script.onload = () => resolve()
    script.onerror = () => reject(new Error('Failed to load Stripe.js'))
    document.head.append(script)
  })

/** Stripe's card form, whose code is loaded on first use. Rejects when it cannot be loaded; the next call retries. */
export const loadStripe = async (publishableKey: string): Promise<StripeJs> => {
  if (!('Stripe' in window)) {
    loading ??= load()
    try {
      await loading
    } finally {
      loading = undefined
    }
  }
  return made(publishableKey)
}
