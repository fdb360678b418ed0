// Loads the card form of Stripe from the servers of Stripe, as Stripe requires (docs.stripe.com/js/including). The
// types contain only the calls that the application uses.

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
  /** Shows the confirmation that the bank requires, in a dialog of Stripe. */
  confirmCardPayment(clientSecret: string): Promise<{ error?: Failure }>
}

/** The release of Stripe's script. The server uses the same release for the objects that it reads. */
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

/**
 * Returns the card form of Stripe, whose code is loaded on first use. Rejects if it cannot be loaded; the next call
 * tries again.
 */
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
