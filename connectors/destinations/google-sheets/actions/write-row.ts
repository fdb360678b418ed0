import { defineAction } from '@tributary/connector-kit'

export const writeRow = defineAction({
  name: 'write_row',
  title: 'Write row',
  description: 'Adds a row with the mapped columns to a sheet, or updates the row with the same message ID.',
  customTargets: true,
  fields: {
    sheet: {
      label: 'Sheet',
      help: 'Name of the sheet (tab). It is created if it does not exist.',
      type: 'string',
      required: true,
      kind: 'identity',
    },
    message_id: {
      label: 'Message ID',
      help: 'Tells rows apart, so that an event that is sent again makes no second row.',
      type: 'string',
      required: true,
      kind: 'identity',
    },
  },
})
