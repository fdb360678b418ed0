// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { type Destination, destinationAction, eventMappings, type MappingPreview } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { MappingEditor } from './mapping-editor.tsx'

const destination = {
  name: 'workspaces/w1/destinations/d1',
  title: 'Receiver',
  app: { display_name: 'Webhook' },
} as Destination
const action = destinationAction.parse({
  name: 'send',
  title: 'Send',
  description: 'Sends it.',
  targets: [],
  custom_targets: true,
  whole_event: false,
  event_types: ['track'],
})
const source = { type: 'FIELD', name: 'properties.totl' }
const [mapping] = eventMappings.parse([
  {
    id: 'm001',
    event_name: 'Order Complete',
    event_type: 'track',
    destination: 'send',
    // A condition and a field can have the same ID.
    filters: [{ id: 'x001', field: 'properties.citty', operator: 'exists' }],
    field_mappings: [{ id: 'x001', source, target: { name: 'amount' } }],
  },
])

const warning = (id: string, field: string) => ({ id, field: `event_mapping.${field}`, nearest: '', message: field })
const preview: MappingPreview = {
  event: null,
  fits: false,
  reason: '',
  payload: '',
  problems: [],
  warnings: [
    warning('m001', 'event_name'),
    warning('x001', 'filters.0.field'),
    warning('x001', 'field_mappings.0.source.name'),
  ],
}

test('a name that was never received is reported at its field while a mapping is edited', async () => {
  if (mapping === undefined) throw new Error('there is no mapping')
  openInWorkspace(
    <MappingEditor
      destination={destination}
      mapping={mapping}
      actions={[action]}
      variables={[]}
      problems={{}}
      mayEdit
      canSave
      saving={false}
      onChange={() => {}}
      onSave={() => Promise.resolve(true)}
      onClosed={() => {}}
    />,
    {
      role: 'ORG_ADMIN',
      answers: (path) => {
        if (path.endsWith('mappings:preview')) return Response.json(preview)
        if (path.endsWith('mappings:suggest')) return Response.json({ events: [], fields: [], field_mappings: [] })
        if (path.endsWith('/events')) return Response.json({ events: [], next_page_token: '' })
        if (path.endsWith('/audiences')) return Response.json({ audiences: [], next_page_token: '' })
        return undefined
      },
    },
  )
  await screen.findByText('event_name')
  const warnedFields = (role: string, name: string) =>
    within(screen.getByRole(role, { name }))
      .getAllByRole('status')
      .map(({ textContent }) => textContent)
  expect(warnedFields('region', 'Trigger')).toEqual(['event_name', 'filters.0.field'])
  expect(warnedFields('group', 'Conditions')).toEqual(['filters.0.field'])
  expect(warnedFields('list', 'Fields')).toEqual(['field_mappings.0.source.name'])
})
