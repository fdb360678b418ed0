import { defineAction } from '@tributary/connector-kit'
import { personFields } from './person-fields.ts'

export const addPerson = defineAction({
  name: 'add_person',
  title: 'Add person',
  description: 'Adds the person to the audience. What they are matched by is hashed before it is sent.',
  fields: {
    ...personFields,
    consent: {
      label: 'Consent',
      help: 'Whether the person agreed to sharing data for ads. Without it, the settings decide.',
      type: 'any',
      kind: 'context',
    },
  },
})
