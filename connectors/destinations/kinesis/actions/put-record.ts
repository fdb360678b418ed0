import { defineAction } from '@tributary/connector-kit'

export const putRecord = defineAction({
  name: 'put_record',
  title: 'Put record',
  description: 'Writes the event, or the fields you map, as a record.',
  customTargets: true,
  wholeEvent: true,
  fields: {},
})
