import { defineAction } from '@tributary/connector-kit'

export const send = defineAction({
  name: 'send',
  title: 'Send event',
  description: 'Sends the event as it is, or an object of the fields you map.',
  customTargets: true,
  wholeEvent: true,
  fields: {},
})
