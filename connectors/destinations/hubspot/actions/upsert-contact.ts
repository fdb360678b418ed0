import { defineAction } from '@tributary/connector-kit'

export const upsertContact = defineAction({
  name: 'upsert_contact',
  title: 'Create or update contact',
  description: 'Creates a contact or updates it, by its email address, with the properties you map.',
  customTargets: true,
  eventTypes: [],
  fields: {
    email: {
      label: 'Email',
      help: 'Tells contacts apart.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'identity',
    },
  },
})
