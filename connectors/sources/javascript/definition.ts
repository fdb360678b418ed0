import { seeItArrive } from '../arrival.ts'

const snippet = `<script>
!function () {
  var queue = window.analytics = window.analytics || []
  if (queue.initialize || queue.invoked) return
  queue.invoked = true
  queue.methods = "track identify page screen group alias ready reset user on once off setAnonymousId debug trackLink trackForm trackClick trackSubmit addSourceMiddleware addDestinationMiddleware addIntegrationMiddleware register".split(' ')
  queue.methods.forEach(function (name) {
    queue[name] = function () {
      if (window.analytics !== queue) return window.analytics[name].apply(window.analytics, arguments)
      queue.push([name].concat([].slice.call(arguments)))
      return queue
    }
  })
  queue.load = function (key, options) {
    queue._writeKey = key
    queue._loadOptions = options
    var script = document.createElement('script')
    script.async = true
    script.src = queue._cdn + '/analytics.js/v1/' + encodeURIComponent(key) + '/analytics.min.js'
    document.head.appendChild(script)
  }
  queue._cdn = "{{origin}}"
  queue.load("{{writeKey}}")
  queue.page()
}()
</script>`

/** Source: websites with @segment/analytics-next from this server or from npm. */
export const javascript = {
  slug: 'javascript',
  title: 'JavaScript',
  description:
    'Collect page views, events, and traits from your website. Add one script to your pages, or install the analytics-next package. Both send only to this server.',
  type: 1,
  docsUrl: 'https://github.com/segmentio/analytics-next',
  guide: [
    {
      title: 'Add the script to your pages',
      text: 'Put this in the head of every page, as early as possible. It loads the library and tracks the page view. Calls made before the library loads are queued.',
      code: snippet,
      language: 'html',
    },
    {
      title: 'Or install the package',
      text: 'If you use a bundler, install the library from npm instead of adding the script.',
      code: `npm install @segment/analytics-next`,
      language: 'shell',
    },
    {
      title: 'Load the package',
      text: 'It loads its settings from this server, so this URL is all it needs. Skip this step if you use the script.',
      code: `import { AnalyticsBrowser } from '@segment/analytics-next'

export const analytics = AnalyticsBrowser.load({
  writeKey: '{{writeKey}}',
  cdnURL: '{{origin}}',
})
analytics.page()`,
      language: 'javascript',
    },
    {
      title: 'Identify users and track events',
      text: 'Identify a user once you know their ID, such as after sign-in, and track what matters.',
      code: `analytics.identify('user-123', { email: 'jane@example.com', plan: 'pro' })
analytics.track('Order Completed', { order_id: '1001', total: 59.9, currency: 'EUR' })`,
      language: 'javascript',
    },
    seeItArrive('Events are sent within a second.'),
  ],
}
