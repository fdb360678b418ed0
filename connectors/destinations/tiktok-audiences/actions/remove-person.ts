import { defineAction } from '@tributary/connector-kit'
import { personFields } from './person-fields.ts'

export const removePerson = defineAction({
  name: 'remove_person',
  title: 'Remove person',
  description: 'Removes the person from the audience, by the data with which they were added.',
  fields: personFields,
})
