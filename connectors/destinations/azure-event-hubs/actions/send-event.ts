import { defineAction } from '@tributary/connector-kit'

export const sendEvent = defineAction({
  name: 'send_event',
  title: 'Send event',
  description: 'Sends the event, or the fields you map, as the body of an event of the hub.',
  customTargets: true,
  wholeEvent: true,
  fields: {},
})
