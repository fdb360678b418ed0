import { defineSettings, type SourceDefinition, setting } from '@tributary/connector-kit'
import { conversionSchema } from '../conversion-schema.ts'
import { receive } from './receive.ts'

/** Source of signals: payments and refunds of Stripe. */
export const stripePayments: SourceDefinition = {
  slug: 'stripe-payments',
  title: 'Stripe payments',
  description:
    'Collect payments and refunds from Stripe as conversions, with the email, phone, and address of the payment. Signatures are verified, amounts are in the unit of their currency, and each payment counts once.',
  type: 5,
  targetProduct: 'SIGNALS',
  docsUrl: 'https://docs.stripe.com/webhooks',
  guide: [
    {
      title: 'Add an endpoint at Stripe',
      text: 'In the Stripe Dashboard open **Workbench, Webhooks** and choose **Add destination**. Choose `checkout.session.completed`, `checkout.session.async_payment_succeeded`, and `charge.refunded`. If you do not use Checkout, choose `payment_intent.succeeded` in place of the first two, and change the settings of this source. Enter this URL and keep the **Snapshot** payload style.',
      code: '{{origin}}/v1/webhook?writeKey={{writeKey}}',
      language: 'address',
    },
    {
      title: 'Copy the signing secret into the settings',
      text: "Stripe shows the **Signing secret** (`whsec_…`) on the endpoint's page. Paste it under **Settings, Signing secret** of this source. Until then, every delivery is refused with `SIGNING_SECRET_NOT_SET`; Stripe retries refused deliveries for up to three days.",
    },
    {
      title: 'Join payments with visits',
      text: 'Put what the website tag knows into the `metadata` of the checkout and of its payment: the visitor ID, the consent, the click IDs, and your order ID. Without `order_id`, the ID of the payment is the order ID.',
      code: `const metadata = {
  order_id: 'order-1001',
  user_id: 'user-123',
  tributary_id: cookies.trb_aid,
  tributary_consent: 'granted',
  gclid: 'EAIaIQobChMI',
}
await stripe.checkout.sessions.create({ mode: 'payment', line_items, metadata, payment_intent_data: { metadata } })`,
      language: 'javascript',
    },
    {
      title: 'See it arrive',
      text: 'Pay with a test card. The top of the **Set up** page then shows an **Order Completed**. Events of a sandbox are marked as test. What is refused, and why, is counted under **Refused requests**.',
    },
  ],
  predefinedSchema: conversionSchema,
  settings: defineSettings({
    signing_secret: setting.secret({
      label: 'Signing secret',
      help: "Shown on the endpoint's page in Stripe. Until you set it here, deliveries are refused.",
    }),
    order_event: setting.choice({
      label: 'An order is completed by',
      help: 'The other event is ignored, so that no payment counts twice.',
      required: true,
      default: 'checkout',
      choices: [
        { value: 'checkout', label: 'A paid checkout' },
        { value: 'payment_intent', label: 'A successful payment' },
      ],
    }),
    user_id_key: setting.text({
      label: 'User ID metadata key',
      help: "If a Stripe object's `metadata` has this key, its value becomes the user ID.",
      default: 'user_id',
      maxLength: 40,
    }),
  }),
  check: ({ signing_secret: secret }): Record<string, string> =>
    typeof secret !== 'string' || secret.trim().startsWith('whsec_')
      ? {}
      : { signing_secret: 'Enter a Stripe signing secret, which starts with whsec_, not an API key' },
  webhook: { receive, signed: true },
}
