import { defineAction } from '@tributary/connector-kit'

export const upsertRow = defineAction({
  name: 'upsert_row',
  title: 'Upsert row',
  description: 'Writes a row with the mapped columns, replacing the row with the same key.',
  customTargets: true,
  fields: {},
})
