import { rowsFrom, type WireCases } from '@tributary/connector-kit/testing-wire'
import { slack } from './definition.ts'

const webhooks = 'docs.slack.dev/messaging/sending-messages-using-incoming-webhooks'
const path = '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX'
const otherPath = '/services/T00000000/B00000001/YYYYYYYYYYYYYYYYYYYYYYYY'
const origin = 'https://hooks.slack.com'
const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'Danny Torrence left the following review' } }]
const escaping = 'docs.slack.dev/messaging/formatting-message-text, escaping text'

export const wireCases: WireCases = {
  definition: slack,
  origins: [origin],
  settings: {
    webhook_url: `${origin}${path}`,
    webhook_2_name: 'alerts',
    webhook_2_url: `${origin}${otherPath}`,
  },
  vendor: () => () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: 'ok' }),
  record: 'body',
  actions: {
    send_message: {
      base: { text: 'Good news, everyone!' },
      rows: [
        ...rowsFrom(webhooks, [
          ['text', 'Hello, world.', 'text', 'Hello, world.'],
          ['blocks', blocks, 'blocks', blocks],
          ['webhook', 'alerts', '^path', otherPath],
          ['thread_ts', '1234567890.123456', 'thread_ts', '1234567890.123456'],
          ['settings.webhook_url', `${origin}${otherPath}`, '^path', otherPath],
        ]),
        ...rowsFrom(escaping, [
          ['text', '<!channel> & co', 'text', '&lt;!channel&gt; &amp; co'],
          [
            'settings.allow_links',
            true,
            'text',
            '<https://example.com|here>',
            { beside: { text: '<https://example.com|here>' } },
          ],
        ]),
      ],
    },
  },
  common: {},
  presets: {
    '(track)': { event: { event: 'Order Completed' }, sent: { text: '*Order Completed* by u1' } },
    '(identify)': { event: { traits: { name: 'Ada Lovelace' } }, sent: { text: 'Identified *Ada Lovelace*' } },
  },
}
