// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import type { Destination, DestinationAction } from '@tributary/contract'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { FieldLine } from './field-line.tsx'
import { customTarget, emptySource, newField, newMapping } from './mapping-draft.ts'

const name = 'workspaces/w1/destinations/d1'
const destination: Destination = {
  name,
  title: 'Hook',
  app: {
    name: `${name}/app`,
    catalog_app: 'catalogDestinations/webhook',
    title: 'Webhook',
    display_name: 'Webhook',
    docs_url: '',
    instance_count: 1,
    extra: { app_icon: '' },
    settings: [],
    people_lists: null,
  },
  state: 'ready',
  missing_settings: [],
  enabled: true,
  consent_categories: [],
  grant: null,
  create_time: '2026-01-01T00:00:00Z',
  update_time: '2026-01-01T00:00:00Z',
}
const action: DestinationAction = {
  name: 'send',
  title: 'Send',
  description: '',
  targets: [],
  custom_targets: true,
  whole_event: true,
  event_types: [],
}
const field = newField(customTarget('sum'), [], { ...emptySource('FIELD'), type: 'FIELD', name: 'properties.total' })

const show = (problem: string | undefined, note: string | undefined) => {
  renderUi(
    <ul>
      <FieldLine
        destination={destination}
        mapping={newMapping(action, [])}
        row={{ key: field.id, target: field.target, known: undefined, field }}
        fields={[]}
        variables={[]}
        problem={problem}
        note={note}
        isNew={false}
        onChange={() => undefined}
        onRemove={undefined}
      />
    </ul>,
  )
  const source = screen.getByRole('combobox', { name: 'Source of sum' })
  const message = document.getElementById(source.getAttribute('aria-describedby') ?? '')
  return {
    invalid: source.getAttribute('aria-invalid'),
    message: message?.textContent,
    red: message?.className.includes('danger'),
  }
}

test('a note is shown at its field without marking it invalid', () => {
  expect(show(undefined, 'It is null')).toEqual({ invalid: null, message: 'It is null', red: false })
})

test('an error of a field is shown instead of its notes', () => {
  expect(show('Required', 'It is null')).toEqual({ invalid: 'true', message: 'Required', red: true })
})
