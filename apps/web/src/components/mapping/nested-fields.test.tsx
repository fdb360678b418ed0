// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Destination, DestinationAction, EventMapping } from '@tributary/contract'
import { useState } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { FieldTable } from './field-table.tsx'
import { newMapping, problemsOf, saved, sendable } from './mapping-draft.ts'

const described = { display_name: '', help_text: '', type: 'string' as const, is_required: false, choices: [] }
const target = (name: string, more: Partial<DestinationAction['targets'][number]> = {}) => ({
  name,
  display_name: name,
  is_required: false,
  is_recommended: false,
  type: 'string' as const,
  kind: 'property' as const,
  help_text: '',
  pii: '',
  choices: [],
  is_people_list: false,
  fields: [],
  ...more,
})
const action: DestinationAction = {
  name: 'send',
  title: 'Send',
  description: '',
  targets: [
    target('items', {
      type: 'array',
      is_recommended: true,
      fields: [
        { ...described, name: 'product_id', display_name: 'Product ID', is_required: true },
        {
          ...described,
          name: 'state',
          display_name: 'State',
          choices: [
            { value: 'new', label: 'New' },
            { value: 'used', label: 'Used' },
          ],
        },
      ],
    }),
    target('place', {
      is_recommended: true,
      choices: [
        { value: 'in_store', label: 'In the store' },
        { value: 'web', label: 'Web' },
      ],
    }),
    target('one', {
      type: 'object',
      display_name: 'One product',
      fields: [{ ...described, name: 'price', display_name: 'Price', type: 'number' }],
    }),
  ],
  custom_targets: false,
  whole_event: false,
  event_types: [],
}
const app: Pick<Destination['app'], 'display_name'> = { display_name: 'Shop' }
const fields = [
  { name: 'properties.lines', display_name: 'lines', kind: 'property' as const, type: 'array', example: '' },
  {
    name: 'properties.lines.0.sku',
    display_name: 'lines.0.sku',
    kind: 'property' as const,
    type: 'string',
    example: 'a',
  },
]

let current: EventMapping
beforeEach(() => {
  current = newMapping(action, [])
  const Editor = () => {
    const [mapping, setMapping] = useState(current)
    current = mapping
    return (
      <FieldTable
        destination={{ name: 'workspaces/w1/destinations/d1', app }}
        mapping={mapping}
        action={action}
        fields={fields}
        variables={[{ name: 'message_id', display_name: 'Message ID' }]}
        proposed={[]}
        problems={problemsOf(mapping, action)}
        notes={{}}
        onChange={(change) => setMapping(change)}
      />
    )
  }
  renderUi(<Editor />)
})
const choose = (name: string, value: string) => userEvent.selectOptions(screen.getByRole('combobox', { name }), value)
const sourceOf = (name: string) => saved(current).field_mappings.find((field) => field.target.name === name)?.source

test('a list of objects starts with the known fields of its items', async () => {
  await choose('Source type for items', 'LIST')
  expect(sourceOf('items')).toMatchObject({
    type: 'LIST',
    list: 'properties.products',
    // The event's own properties can be those of a person.
    root: '',
    fields: [
      { name: 'product_id', source: { type: 'FIELD', name: 'product_id' } },
      { name: 'state', source: { type: 'FIELD', name: 'state' } },
    ],
  })
})

test('fields of the items are mapped, added, and removed', async () => {
  await choose('Source type for items', 'LIST')
  const list = screen.getByRole('combobox', { name: 'List of items' })
  await userEvent.clear(list)
  await userEvent.type(list, 'properties.lines{Escape}')
  const id = screen.getByRole('combobox', { name: 'Source of Product ID of each item' })
  await userEvent.clear(id)
  await userEvent.type(id, 'sku{Escape}')
  await choose('Source type for State of each item', 'CONSTANT')
  await choose('Source of State of each item', 'used')
  await userEvent.click(screen.getByRole('button', { name: 'Add field of the items' }))
  await userEvent.type(screen.getByRole('textbox', { name: 'Name of the field in the item' }), 'color')
  await userEvent.type(screen.getByRole('combobox', { name: 'Source of color of each item' }), 'details.color{Escape}')
  expect(screen.queryByRole('button', { name: 'Remove Product ID of each item' })).toBeNull()
  expect(sourceOf('items')).toMatchObject({
    list: 'properties.lines',
    fields: [
      { name: 'product_id', source: { name: 'sku' } },
      { name: 'state', source: { type: 'CONSTANT', value: 'used' } },
      { name: 'color', source: { name: 'details.color' } },
    ],
  })
  await userEvent.click(screen.getByRole('button', { name: 'Remove color of each item' }))
  expect(sourceOf('items')).toMatchObject({ fields: [{ name: 'product_id' }, { name: 'state' }] })
  expect(screen.getByText('2 fields of each item')).toBeDefined()
})

test('a constant of a target with choices is chosen from a list', async () => {
  await choose('Source type for place', 'CONSTANT')
  await choose('Source of place', 'in_store')
  expect(sourceOf('place')).toMatchObject({ type: 'CONSTANT', value: 'in_store' })
  const options = within(screen.getByRole('combobox', { name: 'Source of place' })).getAllByRole('option')
  expect(options.map(({ textContent }) => textContent)).toEqual(['In the store', 'Web'])
  const types = within(screen.getByRole('combobox', { name: 'Source type for place' })).getAllByRole('option')
  expect(types.map(({ textContent }) => textContent)).not.toContain('List of objects')
})

test('a field is sent only if its conditions match', async () => {
  await choose('Source type for place', 'CONSTANT')
  await choose('Source of place', 'web')
  await userEvent.click(screen.getByRole('button', { name: 'Conditions of place' }))
  await userEvent.click(screen.getByRole('button', { name: 'Add condition' }))
  expect(problemsOf(current, action)).toEqual({
    [current.field_mappings[0]?.id ?? '']: 'Complete the conditions of this field',
  })
  expect(sendable(current).field_mappings).toEqual([])
  await userEvent.type(screen.getByRole('combobox', { name: 'Field of condition 1' }), 'properties.plan{Escape}')
  await userEvent.type(screen.getByRole('textbox', { name: 'Value of condition 1' }), 'pro')
  expect(problemsOf(current, action)).toEqual({})
  expect(saved(current).field_mappings[0]).toMatchObject({
    conditions: [{ field: 'properties.plan', operator: 'equals', value: 'pro' }],
    condition_match: 'all',
  })
  await userEvent.click(screen.getByRole('button', { name: 'Remove condition 1' }))
  expect(saved(current).field_mappings[0]).not.toHaveProperty('conditions')
})

test('the fields of an object are added one by one', async () => {
  await userEvent.click(screen.getByRole('button', { name: 'Add field' }))
  await userEvent.click(screen.getByRole('menuitem', { name: /One product: Price/ }))
  const line = screen.getByRole('listitem', { name: 'One product: Price' })
  await userEvent.type(within(line).getByRole('combobox', { name: 'Source of One product: Price' }), 'properties.price')
  expect(saved(current).field_mappings).toMatchObject([{ target: { name: 'one.price', type: 'number' } }])
})
