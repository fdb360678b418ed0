import { defineAction } from '@tributary/connector-kit'

export const sendMessage = defineAction({
  name: 'send_message',
  title: 'Send message',
  description: 'Posts a message to the channel of a webhook.',
  fields: {
    text: {
      label: 'Text',
      help: 'The message, or the notification text when you use blocks. Up to 40,000 characters.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'custom',
    },
    blocks: {
      label: 'Blocks',
      help: 'Up to 50 Slack Block Kit blocks that replace the text. In a template, write values as JSON: {"text": {{ event | json }}}.',
      type: 'array',
      kind: 'custom',
    },
    webhook: {
      label: 'Webhook',
      help: 'The name of another webhook in the settings, to post to its channel. Empty: the first webhook.',
      type: 'string',
      kind: 'custom',
    },
    thread_ts: {
      label: 'Thread',
      help: "The timestamp of the message to reply to. Name, icon, and channel are set in Slack and can't be changed by a webhook.",
      type: 'string',
      kind: 'custom',
    },
  },
})
