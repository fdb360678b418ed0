import { defineAction } from '@tributary/connector-kit'

export const removePerson = defineAction({
  name: 'remove_person',
  title: 'Remove person',
  description: 'Removes the person from the Custom Audience for events, by the external ID with which they were added.',
  fields: {
    extern_id: {
      type: 'string',
      kind: 'identity',
      label: 'External ID',
      help: 'Your own ID of the person.',
      required: true,
    },
    audience_id: {
      type: 'string',
      kind: 'event',
      label: 'Custom Audience',
      help: 'Its ID, if it is another than that of the settings.',
      peopleList: true,
    },
  },
})
