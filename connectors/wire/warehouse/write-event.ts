import { defineAction } from '@tributary/connector-kit'

export const writeEvent = defineAction({
  name: 'write_event',
  title: 'Write event',
  description: 'Writes the event to the tables of its type and name.',
  customTargets: true,
  wholeEvent: true,
  fields: {},
})
