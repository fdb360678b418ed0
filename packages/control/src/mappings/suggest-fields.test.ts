import { defineAction } from '@tributary/connector-kit'
import { expect, test } from 'vitest'
import { suggestFields } from './suggest-fields.ts'

const action = defineAction({
  name: 'add',
  title: 'Add',
  description: '',
  fields: {
    audience_id: { label: 'Audience', help: '', type: 'string', kind: 'event', peopleList: true },
    audience_title: { label: 'Title', help: '', type: 'string', kind: 'event' },
  },
})

// The properties of an audience event: packages/audiences, `audience-events.ts`.
test('the audience of an event is not suggested as a list of the platform', () => {
  const fields = ['audience_id', 'audience_title'].map((name) => ({
    name: `properties.${name}`,
    display_name: name,
    kind: 'property' as const,
    type: 'string' as const,
    example: '',
  }))
  const given = { fields, custom: [], preset: undefined, onlySeen: false, eventType: 'track' as const }
  expect(suggestFields(action, given).map(({ target }) => target.name)).toEqual(['audience_title'])
})
