import { defineSettings, type SourceDefinition, setting } from '@tributary/connector-kit'
import { seeItArrive } from '../arrival.ts'
import { conversionSchema } from '../conversion-schema.ts'

const snippet = `<script>
!function () {
  var t = window.tributary = window.tributary || []
  if (t.track) return
  t.newId = function () {
    return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, function (d) {
      return (d ^ crypto.getRandomValues(new Uint8Array(1))[0] & 15 >> d / 4).toString(16)
    })
  }
  'page track identify consent reset'.split(' ').forEach(function (name) {
    t[name] = function () {
      var id = t.newId()
      t.push([name, id, [].slice.call(arguments)])
      return id
    }
  })
  var script = document.createElement('script')
  script.async = true
  script.src = '{{origin}}/tag/v1/{{writeKey}}/tag.js'
  document.head.appendChild(script)
  t.page()
}()
</script>`

/** Source of signals: websites with the product's own tag. */
export const tag: SourceDefinition = {
  slug: 'tag',
  title: 'Website tag',
  description:
    'Collect conversions from your website with one small script of this server. It keeps click IDs in first-party cookies, respects consent, and talks to no third party.',
  type: 1,
  docsUrl: '/docs/tag',
  targetProduct: 'SIGNALS',
  guide: [
    {
      title: 'Add the tag to your pages',
      text: 'Put this in the head of every page. It loads the tag and tracks the page view. Calls made before the tag loads are queued.',
      code: snippet,
      language: 'html',
    },
    {
      title: 'Ask for consent',
      text: 'Tell the tag what the visitor chose, on every page. Until then, **Settings, Consent at the start** holds. Without consent, the tag sets no cookies, keeps no click IDs, and its events say so.',
      code: `tributary.consent('granted') // or 'denied'`,
      language: 'javascript',
    },
    {
      title: 'Track conversions',
      text: 'Use the names of the commerce events. Email and phone that you identify with are sent with later events of the page, and hashed before a platform gets them.',
      code: `tributary.identify('user-123', { email: 'jane@example.com', phone: '+4930123456' })
tributary.track('Order Completed', { order_id: '1001', value: 59.9, currency: 'EUR' })`,
      language: 'javascript',
    },
    {
      title: 'Count once with a pixel',
      text: 'If a pixel reports the same conversion, give it the message ID that the call returns.',
      code: `const eventID = tributary.track('Order Completed', { order_id: '1001', value: 59.9, currency: 'EUR' })
fbq('track', 'Purchase', { value: 59.9, currency: 'EUR' }, { eventID })`,
      language: 'javascript',
    },
    {
      title: 'Serve it from your own domain',
      text: 'Cookies last when this server is reached under a subdomain of your site, such as `events.example.com` for `www.example.com`. The server then sets them, and browsers keep them for up to 400 days. Otherwise the tag sets them by script, which Safari keeps for 7 days. Ask whoever runs this server for a custom domain, and use it in the snippet.',
    },
    seeItArrive('Events are sent within a second.'),
  ],
  predefinedSchema: conversionSchema,
  settings: defineSettings({
    consent: setting.choice({
      label: 'Consent at the start',
      help: 'What holds until a page says what the visitor chose. Pages use a change within 5 minutes.',
      required: true,
      default: 'denied',
      choices: [
        { value: 'denied', label: 'Denied' },
        { value: 'granted', label: 'Granted' },
      ],
    }),
  }),
}
