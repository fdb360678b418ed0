// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Destination, DestinationAction, MappingSource } from '@tributary/contract'
import { expect, test, vi } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
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
    abilities: [],
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

/** Shows the line of a field that names a list of people, with this source. The fake server has one list. */
const showList = (source: MappingSource) => {
  const known = {
    ...customTarget('list_id'),
    help_text: '',
    pii: '',
    choices: [],
    is_people_list: true,
    fields: [],
  }
  const named = newField(customTarget('list_id'), [], source)
  const onChange = vi.fn()
  const lists = { setting: 'list_id', title: 'customer list', max_title: 100 }
  openInWorkspace(
    <ul>
      <FieldLine
        destination={destination}
        mapping={newMapping(action, [])}
        row={{ key: named.id, target: named.target, known, field: named }}
        fields={[]}
        variables={[]}
        problem={undefined}
        note={undefined}
        isNew={false}
        onChange={(edit) => onChange(edit(named).source)}
        onRemove={undefined}
      />
    </ul>,
    {
      answers: (path) => {
        if (path === `/${name}`)
          return Response.json({ ...destination, app: { ...destination.app, people_lists: lists } })
        const found = [{ id: '8012345678', title: 'VIPs', note: '' }]
        return path === `/${name}/peopleLists`
          ? Response.json({ people_lists: found, next_page_token: '', message: '' })
          : undefined
      },
    },
  )
  return onChange
}

test('a constant that names a list of people is chosen by the title of the list', async () => {
  const onChange = showList({ ...emptySource('CONSTANT'), type: 'CONSTANT', value: '' })
  await userEvent.click(await screen.findByRole('button', { name: 'Choose a customer list' }))
  await userEvent.click(screen.getByRole('combobox', { name: 'Choose a customer list' }))
  await userEvent.click(await screen.findByRole('option', { name: /VIPs/ }))
  expect(onChange).toHaveBeenCalledWith(expect.objectContaining({ type: 'CONSTANT', value: '8012345678' }))
})

test('a list that comes from the event is not chosen', async () => {
  showList({ ...emptySource('FIELD'), type: 'FIELD', name: 'properties.list' })
  await screen.findByRole('combobox', { name: 'Source of list_id' })
  expect(screen.queryByRole('button', { name: 'Choose a customer list' })).toBeNull()
})
