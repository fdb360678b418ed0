import { defineAction } from '@tributary/connector-kit'

export const sendRecord = defineAction({
  name: 'send_record',
  title: 'Send record',
  description: 'Sends the event, or the fields you map, as the value of a record.',
  customTargets: true,
  wholeEvent: true,
  fields: {},
})
