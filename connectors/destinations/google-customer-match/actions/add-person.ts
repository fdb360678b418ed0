import { defineAction } from '@tributary/connector-kit'
import { consentFields } from '../../../wire/google/data-manager-fields.ts'
import { personFields } from './person-fields.ts'

export const addPerson = defineAction({
  name: 'add_person',
  title: 'Add person',
  description: 'Adds the person to the customer list. Email, phone, and names are hashed before they are sent.',
  fields: {
    ...personFields,
    ip_address: {
      label: 'IP address',
      help: 'Of the person, for a list of contacts. Not sent for people in the EEA, the United Kingdom, and Switzerland.',
      type: 'string',
      kind: 'context',
    },
    ...consentFields,
  },
})
