import { defineSettings, type SourceDefinition, setting } from '@tributary/connector-kit'
import { conversionSchema } from '../conversion-schema.ts'
import { receive } from './receive.ts'

/** Source of signals: orders and refunds of a Shopify shop. */
export const shopifyOrders: SourceDefinition = {
  slug: 'shopify-orders',
  title: 'Shopify orders',
  description:
    'Collect orders, refunds, and checkouts from Shopify as conversions, with the email, phone, browser, and click IDs of each order. Signatures are verified, and each order counts once.',
  type: 5,
  targetProduct: 'SIGNALS',
  docsUrl: 'https://shopify.dev/docs/apps/build/webhooks',
  guide: [
    {
      title: 'Add webhooks in the Shopify admin',
      text: 'Open **Settings, Notifications, Webhooks** and choose **Create webhook**. Select the **JSON** format and the latest API version. Add **Order creation** (or **Order payment**, see the settings), **Refund create**, and **Checkout creation**, all with this URL. Other topics are accepted and ignored.',
      code: '{{origin}}/v1/webhook?writeKey={{writeKey}}',
      language: 'address',
    },
    {
      title: 'Copy the signing secret into the settings',
      text: 'The same page of the admin says **Your webhooks will be signed with** and a text. Paste it under **Settings, Signing secret** of this source. Until then, every delivery is refused with `SIGNING_SECRET_NOT_SET`.',
    },
    {
      title: 'Join orders with visits',
      text: 'If your theme has the website tag of Tributary, save the visitor ID and the consent in the cart. Orders are then of the same person as the visit, and their consent decides. Without it, an order says nothing of consent.',
      code: `const cookie = (name) => document.cookie.match('(?:^|; )' + name + '=([^;]*)')?.[1]
fetch('/cart/update.js', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ attributes: { tributary_id: cookie('trb_aid'), tributary_consent: 'granted' } }),
})`,
      language: 'javascript',
    },
    {
      title: 'Know what becomes of them',
      text: 'An order is an **Order Completed** with the order ID, the total, and the currency of the shop. A refund is an **Order Refunded** with the amount that was given back. Click IDs are read from the landing page of the order.',
    },
    {
      title: 'See it arrive',
      text: 'Choose **Send test notification** beside a webhook in the admin. The top of the **Set up** page then shows it, marked as test. What is refused, and why, is counted under **Refused requests**.',
    },
  ],
  predefinedSchema: conversionSchema,
  settings: defineSettings({
    signing_secret: setting.secret({
      label: 'Signing secret',
      help: 'Shopify shows it below the list of webhooks in its admin; for webhooks of an app it is the client secret. Until it is set here, deliveries are refused.',
    }),
    order_topic: setting.choice({
      label: 'An order is completed when it is',
      help: 'The other topic is ignored, so that no order counts twice.',
      required: true,
      default: 'orders/create',
      choices: [
        { value: 'orders/create', label: 'Created' },
        { value: 'orders/paid', label: 'Paid' },
      ],
    }),
  }),
  webhook: { receive, signed: true },
}
