import { defineSettings, type SourceDefinition, setting } from '@tributary/connector-kit'
import { receive } from './receive.ts'
import { shopifySchema } from './schema.ts'

/** Source: events of a Shopify shop, such as orders, customers, and carts. */
export const shopify: SourceDefinition = {
  slug: 'shopify',
  title: 'Shopify',
  description:
    'Collect orders, customers, checkouts, and carts from Shopify. Signatures are verified, retries count once, and a schema for common topics is included.',
  type: 5,
  docsUrl: 'https://shopify.dev/docs/apps/build/webhooks',
  guide: [
    {
      title: 'Add webhooks in the Shopify admin',
      text: 'Open **Settings, Notifications, Webhooks** and choose **Create webhook**. Select the **JSON** format and the latest API version. Shopify must be able to reach this server from the internet over HTTPS.',
    },
    {
      title: 'Use this URL for every webhook',
      text: 'Start with: **Order creation**, **Order payment**, **Order cancellation**, **Customer creation**, **Customer update**, **Checkout creation** and **Cart update**. You can add others later. Every topic is accepted.',
      code: '{{origin}}/v1/webhook?writeKey={{writeKey}}',
      language: 'address',
    },
    {
      title: 'Copy the signing secret into the settings',
      text: 'Once there is a webhook, the same page of the admin says **Your webhooks will be signed with** and a text. Paste that text under **Settings, Signing secret** of this source. For webhooks that an app of yours subscribes to, it is the **Client secret** of the app. Until then, every delivery is refused with `SIGNING_SECRET_NOT_SET`; Shopify retries refused deliveries for about four hours.',
    },
    {
      title: 'How webhooks become events',
      text: 'It is an event with the name of its topic, such as `orders/create`, and the body as its properties. The customer is the user ID; a cart without a customer has an anonymous ID of its own. Of an order too large for an event the repeated amounts are left out first; `context.left_out` then says what is missing.',
    },
    {
      title: 'See it arrive',
      text: 'Choose **Send test notification** beside a webhook in the admin. The line at the top of the **Set up** page then names it; it is marked as test. What is refused, and why, is counted under **Refused requests**.',
    },
  ],
  predefinedSchema: shopifySchema,
  settings: defineSettings({
    signing_secret: setting.secret({
      label: 'Signing secret',
      help: 'Shopify shows it below the list of webhooks in its admin; for webhooks of an app it is the client secret. Until it is set here, deliveries are refused.',
    }),
  }),
  webhook: { receive, signed: true },
}
