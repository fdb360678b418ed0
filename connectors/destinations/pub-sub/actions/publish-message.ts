import { defineAction } from '@tributary/connector-kit'

export const publishMessage = defineAction({
  name: 'publish_message',
  title: 'Publish message',
  description: 'Publishes the event, or the fields you map, as the data of a message.',
  customTargets: true,
  wholeEvent: true,
  fields: {},
})
