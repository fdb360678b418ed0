import { alertChannelKinds } from '@tributary/contract'
import { z } from 'zod'

/** A message about a sync to an alert channel. It is the body of a webhook. */
export const alertMessage = z.object({
  /** ID of the message, which stays the same when the message is sent again. */
  id: z.string(),
  type: z.enum(['sync.alert', 'sync.recovered', 'sync.stalled', 'test']),
  time: z.string(),
  /** Resource names; '' for a test, and for a message without a run. */
  sync: z.string(),
  run: z.string(),
  title: z.string(),
  text: z.string(),
  /** The related page. */
  url: z.string(),
})
export type AlertMessage = z.infer<typeof alertMessage>

/**
 * Escapes a text for Slack, so that no part of it becomes a link or a mention:
 * https://docs.slack.dev/messaging/formatting-message-text, escaping text.
 */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '¦')

/** Returns the body that a kind of channel receives for a message. */
export const bodyOf = (kind: (typeof alertChannelKinds)[number], message: AlertMessage): string =>
  kind === 'webhook'
    ? JSON.stringify(message)
    : JSON.stringify({
        text: `*${escaped(message.title)}*\n${escaped(message.text)}\n<${escaped(message.url)}|Open in Tributary>`,
        unfurl_links: false,
      })
