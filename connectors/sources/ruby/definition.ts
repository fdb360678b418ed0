import { needsHttps, seeItArrive } from '../arrival.ts'

/** Source: Ruby programs with analytics-ruby. */
export const ruby = {
  slug: 'ruby',
  title: 'Ruby',
  description:
    'Send events from Rails and other Ruby programs with the analytics-ruby gem. It batches calls in its own thread and retries when the network fails.',
  type: 3,
  docsUrl: 'https://github.com/segmentio/analytics-ruby',
  guide: [
    {
      title: 'Install the gem',
      text: 'Add it to your Gemfile, then run `bundle install`.',
      code: "gem 'analytics-ruby', require: 'segment/analytics'",
      language: 'ruby',
    },
    {
      title: 'Point it at this server',
      text: `${needsHttps} Host and port are two options; the path is \`/v1/import\`. Create one instance for the whole process, in an initializer for Rails.`,
      code: `require 'segment/analytics'
require 'uri'

server = URI('{{origin}}')
Analytics = Segment::Analytics.new(
  write_key: '{{writeKey}}',
  host: server.host,
  port: server.port,
  on_error: proc { |status, error| warn "analytics: #{status} #{error}" }
)`,
      language: 'ruby',
    },
    {
      title: 'Send events',
      text: 'Every call needs a user ID or an anonymous ID.',
      code: `Analytics.identify(user_id: 'user-123', traits: { email: 'jane@example.com', plan: 'pro' })
Analytics.track(user_id: 'user-123', event: 'Order Completed', properties: { order_id: '1001', total: 59.9 })`,
      language: 'ruby',
    },
    {
      title: 'Flush before the program ends',
      text: 'Calls are batched in memory. Flush before a script or worker exits.',
      code: 'Analytics.flush',
      language: 'ruby',
    },
    seeItArrive("A batch is sent as soon as the gem's thread runs."),
  ],
}
