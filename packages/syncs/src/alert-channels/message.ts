import { alertChannelKinds } from '@tributary/contract'
import { z } from 'zod'

/** A message about a sync to an alert channel. It is the body of a webhook. */
export const alertMessage = z.object({
  /** The same each time it is sent. */
  id: z.string(),
  type: z.enum(['sync.alert', 'sync.recovered', 'sync.stalled', 'test']),
  time: z.string(),
  /** Resource names; '' for a test, and for a message about no run. */
  sync: z.string(),
  run: z.string(),
  title: z.string(),
  text: z.string(),
  /** The page it is about. */
  url: z.string(),
})
export type AlertMessage = z.infer<typeof alertMessage>

/** As Slack asks for it, so that nothing in a text is a link or a mention: https://docs.slack.dev/messaging/formatting-message-text, escaping text. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '¦')

/** A message as the text that a kind of channel is sent. */
export const bodyOf = (kind: (typeof alertChannelKinds)[number], message: AlertMessage): string =>
  kind === 'webhook'
    ? JSON.stringify(message)
    : JSON.stringify({
        text: `*${escaped(message.title)}*\n${escaped(message.text)}\n<${escaped(message.url)}|Open in Tributary>`,
        unfurl_links: false,
      })
