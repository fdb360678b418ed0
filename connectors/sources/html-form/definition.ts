import { defineSettings, type SourceDefinition, setting } from '@tributary/connector-kit'
import { conversionSchema } from '../conversion-schema.ts'
import { receive } from './receive.ts'

/** Source of signals: forms of web pages. */
export const htmlForm: SourceDefinition = {
  slug: 'html-form',
  title: 'HTML form',
  description:
    'Collect the forms of your web pages as leads. A form posts its fields to this server, which leads the visitor on to your thank-you page. No script is needed.',
  type: 1,
  docsUrl: '/docs/tag',
  targetProduct: 'SIGNALS',
  guide: [
    {
      title: 'Point the form here',
      text: 'Name the fields as you like. `email`, `phone`, `name`, `first_name`, and `last_name` become traits of the person. The field `_gotcha` is a trap: people do not see it, and what programs fill in is not kept.',
      code: `<form method="post" action="{{origin}}/v1/webhook?writeKey={{writeKey}}">
  <input type="email" name="email" required>
  <input type="tel" name="phone">
  <input type="text" name="_gotcha" tabindex="-1" autocomplete="off" style="display:none">
  <button>Send</button>
</form>`,
      language: 'html',
    },
    {
      title: 'Say where visitors go next',
      text: 'Enter the URL of your thank-you page under **Settings, Thank-you page**. Without it, visitors see a line of JSON.',
    },
    {
      title: 'Join leads with visits',
      text: 'If the page has the website tag of Tributary, hand on the visitor ID, the consent, and the page in hidden fields. Click IDs in the URL of the page then count for the lead.',
      code: `const cookie = (name) => document.cookie.match('(?:^|; )' + name + '=([^;]*)')?.[1] ?? ''
document.querySelector('form').addEventListener('formdata', ({ formData }) => {
  formData.set('tributary_id', cookie('trb_aid'))
  formData.set('tributary_consent', 'granted')
  formData.set('page_url', location.href)
})`,
      language: 'javascript',
    },
    {
      title: 'See it arrive',
      text: 'Send the form. It is a **Lead Created** with its fields in `fields`. The top of the **Set up** page then shows it. Anyone with the URL can send events: the form is not signed.',
    },
  ],
  predefinedSchema: conversionSchema,
  settings: defineSettings({
    redirect_url: setting.url({
      label: 'Thank-you page',
      help: 'Where visitors are led after they sent a form: at once on the custom domain of the workspace, else through a page that names the website.',
    }),
    trap_field: setting.text({
      label: 'Trap field',
      help: 'A field that people do not see. A form in which it is filled in is not kept.',
      default: '_gotcha',
      maxLength: 100,
    }),
  }),
  webhook: { receive, signed: false },
}
