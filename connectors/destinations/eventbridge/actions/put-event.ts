import { defineAction } from '@tributary/connector-kit'

export const putEvent = defineAction({
  name: 'put_event',
  title: 'Put event',
  description: 'Sends the event, or the fields you map, as the detail of an event.',
  customTargets: true,
  wholeEvent: true,
  fields: {},
})
