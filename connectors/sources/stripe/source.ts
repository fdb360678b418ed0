import type { SourceDefinition } from '@tributary/connector-kit'
import { receive } from './receive.ts'
import { stripeSchema } from './schema.ts'

/** What happens at Stripe: payments, invoices, subscriptions. */
export const stripe: SourceDefinition = {
  slug: 'stripe',
  title: 'Stripe',
  description:
    'Payments, invoices, subscriptions and customers as they change at Stripe. Each delivery is checked for its signature, each event counts once however often Stripe sends it, and the schema of the common events is there from the start.',
  type: 5,
  docsUrl: 'https://docs.stripe.com/webhooks',
  logo: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#5b54d6"/><path d="M8 18h32M8 24h32" stroke="#fff" stroke-width="4"/><rect x="8" y="12" width="32" height="24" rx="4" fill="none" stroke="#fff" stroke-width="4"/><path d="M14 30h8" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>',
  guide: [
    {
      title: 'Add an endpoint at Stripe',
      text: 'In the Stripe Dashboard open **Workbench, Webhooks** (or **Developers, Webhooks**) and choose **Add destination**. Take events of **Your account** and an API version, then the destination type **Webhook endpoint**. Stripe reaches this server from the internet, so its address has to be public and https.',
    },
    {
      title: 'Choose the events',
      text: 'Good to begin with: `checkout.session.completed`, `invoice.paid`, `invoice.payment_failed`, `customer.created`, `customer.updated`, `customer.subscription.created`, `customer.subscription.updated`, `customer.subscription.deleted` and `charge.refunded`. Others may be added later; every event type is taken.',
    },
    {
      title: 'Enter this address as the endpoint URL',
      text: 'Leave the payload style at **Snapshot**.',
      code: '{{origin}}/v1/webhook?writeKey={{writeKey}}',
      language: 'address',
    },
    {
      title: 'Copy the signing secret into the settings',
      text: "Stripe shows the **Signing secret** (`whsec_…`) on the endpoint's page once it is made. Paste it under **Settings, Signing secret** of this source. Until then every delivery is refused with `SIGNING_SECRET_NOT_SET`; Stripe sends what was refused again for up to three days, so nothing is lost in between. When you roll the secret at Stripe, replace it here as well: during the overlap both are accepted.",
    },
    {
      title: 'Say whose events these are',
      text: 'Put the id that a user has with you into the `metadata` of the customer, subscription or payment under `user_id`, or into the `client_reference_id` of a checkout: it becomes the user id. Without it the Stripe customer (`cus_…`) stands as an anonymous id.',
    },
    {
      title: 'See it arrive',
      text: 'Send a test event: with the Stripe CLI, `stripe trigger invoice.paid` against the account of the endpoint, or pay with a test card. The line at the top of the **Set up** page then names it. Events of a sandbox or of test mode are marked as test. What is refused, and why, is counted under **Refused requests**.',
    },
  ],
  predefinedSchema: stripeSchema,
  fields: [
    {
      name: 'signing_secret',
      label: 'Signing secret',
      help: "Stripe shows it on the endpoint's page once the endpoint is made. Until it is set here, deliveries are refused.",
      type: 'secret',
      required: false,
      secret: true,
      editable: true,
    },
    {
      name: 'user_id_key',
      label: 'Metadata key of the user id',
      help: 'Where the `metadata` of a Stripe object has this key, its value is the user id.',
      type: 'string',
      required: false,
      default: 'user_id',
      secret: false,
      editable: true,
      maxLength: 40,
    },
  ],
  check: ({ signing_secret: secret }): Record<string, string> =>
    typeof secret !== 'string' || secret.trim().startsWith('whsec_')
      ? {}
      : { signing_secret: 'Signing secrets of Stripe begin with whsec_; API keys do not belong here' },
  webhook: { receive, signed: true },
}
