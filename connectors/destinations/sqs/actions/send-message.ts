import { defineAction } from '@tributary/connector-kit'

export const sendMessage = defineAction({
  name: 'send_message',
  title: 'Send message',
  description: 'Sends the event, or the fields you map, as the body of a message.',
  customTargets: true,
  wholeEvent: true,
  fields: {},
})
