import { defineSettings, type SourceDefinition, setting } from '@tributary/connector-kit'
import { receive } from './receive.ts'
import { stripeSchema } from './schema.ts'

/** Source: events of Stripe, such as payments, invoices, and subscriptions. */
export const stripe: SourceDefinition = {
  slug: 'stripe',
  title: 'Stripe',
  description:
    'Collect payments, invoices, subscriptions, and customers from Stripe. Signatures are verified, retries count once, and a schema for common events is included.',
  type: 5,
  docsUrl: 'https://docs.stripe.com/webhooks',
  guide: [
    {
      title: 'Add an endpoint at Stripe',
      text: 'In the Stripe Dashboard open **Workbench, Webhooks** (or **Developers, Webhooks**) and choose **Add destination**. Choose events from **Your account** and an API version, then the **Webhook endpoint** destination type. Stripe must be able to reach this server from the internet over HTTPS.',
    },
    {
      title: 'Choose the events',
      text: 'Start with: `checkout.session.completed`, `invoice.paid`, `invoice.payment_failed`, `customer.created`, `customer.updated`, `customer.subscription.created`, `customer.subscription.updated`, `customer.subscription.deleted` and `charge.refunded`. You can add others later. Every event type is accepted.',
    },
    {
      title: 'Enter this endpoint URL',
      text: 'Keep the **Snapshot** payload style.',
      code: '{{origin}}/v1/webhook?writeKey={{writeKey}}',
      language: 'address',
    },
    {
      title: 'Copy the signing secret into the settings',
      text: "Stripe shows the **Signing secret** (`whsec_…`) on the endpoint's page. Paste it under **Settings, Signing secret** of this source. Until then, every delivery is refused with `SIGNING_SECRET_NOT_SET`; Stripe retries refused deliveries for up to three days, so nothing is lost. When you roll the secret in Stripe, replace it here too. Both are accepted during the overlap.",
    },
    {
      title: 'Identify the user',
      text: 'Put your user ID in the `metadata` of the customer, subscription, or payment under `user_id`, or in the `client_reference_id` of a checkout. Otherwise the Stripe customer (`cus_…`) becomes the anonymous ID.',
    },
    {
      title: 'See it arrive',
      text: 'Send a test event: with the Stripe CLI, `stripe trigger invoice.paid` against the account of the endpoint, or pay with a test card. The top of the **Set up** page then shows it. Events of a sandbox or of test mode are marked as test. What is refused, and why, is counted under **Refused requests**.',
    },
  ],
  predefinedSchema: stripeSchema,
  settings: defineSettings({
    signing_secret: setting.secret({
      label: 'Signing secret',
      help: "Shown on the endpoint's page in Stripe. Until you set it here, deliveries are refused.",
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
