import { defineAction } from '@tributary/connector-kit'

export const writeLine = defineAction({
  name: 'write_line',
  title: 'Write line',
  description: 'Writes the event as a line.',
  customTargets: true,
  wholeEvent: true,
  fields: {},
})
