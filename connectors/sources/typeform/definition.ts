import { defineSettings, type SourceDefinition, setting } from '@tributary/connector-kit'
import { conversionSchema } from '../conversion-schema.ts'
import { receive } from './receive.ts'

/** Source of signals: responses to forms of Typeform. */
export const typeform: SourceDefinition = {
  slug: 'typeform',
  title: 'Typeform',
  description:
    'Collect responses to your Typeform forms as leads, with their answers and hidden fields. Signatures are verified, and each response counts once.',
  type: 5,
  targetProduct: 'SIGNALS',
  docsUrl: 'https://www.typeform.com/developers/webhooks/',
  guide: [
    {
      title: 'Add a webhook to the form',
      text: 'In Typeform open the form, **Connect, Webhooks**, and choose **Add a webhook** with this URL. Turn it on.',
      code: '{{origin}}/v1/webhook?writeKey={{writeKey}}',
      language: 'address',
    },
    {
      title: 'Give both the same secret',
      text: 'Edit the webhook, enter a long random text as its **Secret**, and enter the same under **Settings, Signing secret** of this source. Until then, every delivery is refused with `SIGNING_SECRET_NOT_SET`.',
    },
    {
      title: 'Join leads with visits',
      text: 'Add the hidden fields `tributary_id`, `tributary_consent`, `gclid`, `fbclid`, and `ttclid` to the form, and fill them in where you embed it. A hidden `user_id` becomes the user ID.',
      code: `const cookie = (name) => document.cookie.match('(?:^|; )' + name + '=([^;]*)')?.[1]
createWidget('<form id>', {
  container: document.querySelector('#form'),
  hidden: { tributary_id: cookie('trb_aid'), tributary_consent: 'granted' },
  transitiveSearchParams: ['gclid', 'fbclid', 'ttclid'],
})`,
      language: 'javascript',
    },
    {
      title: 'See it arrive',
      text: 'Choose **Send test request** in Typeform, or answer the form. A response is a **Lead Created**: its answers are in `fields`, its email and phone in the traits. The top of the **Set up** page then shows it. What is refused, and why, is counted under **Refused requests**.',
    },
  ],
  predefinedSchema: conversionSchema,
  settings: defineSettings({
    signing_secret: setting.secret({
      label: 'Signing secret',
      help: 'The secret of the webhook in Typeform. Until it is set here, deliveries are refused.',
    }),
  }),
  webhook: { receive, signed: true },
}
