// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useLocation } from 'react-router'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { type Column } from './data-table.tsx'
import { ListView, typeFilter } from './list-view.tsx'

type Row = { id: string; type: string }
const all: readonly Row[] = ['a', 'b', 'c'].map((id) => ({ id, type: id === 'c' ? 'Web' : 'iOS' }))
const columns: readonly Column<Row>[] = [{ id: 'id', header: 'Id', value: ({ id }) => id, cell: ({ id }) => id }]
const filters = [typeFilter(['iOS', 'Web', 'iOS'])]
const narrow = ({ search, type }: Record<'search' | 'type', string>): readonly Row[] =>
  all.filter((row) => row.id.includes(search) && (type === '' || row.type === type))
const idOf = ({ id }: Row): string => id

const chosen: boolean[] = []
const removed: string[] = []
const Page = () => (
  <>
    <p>{`At ${useLocation().search}`}</p>
    <ListView
      label="Objects"
      noun="object"
      total={all.length}
      filters={filters}
      narrow={narrow}
      columns={columns}
      idOf={idOf}
      titleOf={idOf}
      bulk={{
        refresh: () => undefined,
        onChosen: (some) => chosen.push(some),
        actions: [{ label: 'Archive', done: 'archived', text: '', run: ({ id }) => Promise.resolve(removed.push(id)) }],
      }}
    />
  </>
)
const shown = () =>
  within(screen.getByRole('table', { name: 'Objects' }))
    .getAllByRole('row')
    .slice(1)
    .map(({ textContent }) => textContent)

test('a list is filtered by its URL, and an action does not affect selected rows that the filter hides', async () => {
  const user = userEvent.setup()
  renderUi(<Page />, '/objects?type=iOS')
  expect(shown()).toEqual(['a', 'b'])
  await user.click(screen.getByRole('checkbox', { name: 'Select all' }))
  expect(chosen).toEqual([true])
  await user.selectOptions(screen.getByRole('combobox', { name: 'Type' }), '')
  expect(shown()).toEqual(['a', 'b', 'c'])
  screen.getByText('At')
  await user.click(screen.getByRole('checkbox', { name: 'Select c' }))
  await user.selectOptions(screen.getByRole('combobox', { name: 'Type' }), 'Web')
  screen.getByText('At ?type=Web')
  await user.click(screen.getByRole('button', { name: 'Archive' }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Archive 1 object' }))
  await waitFor(() => expect(removed).toEqual(['c']))
})

test('an action on selected rows affects only those that the search finds, even directly after typing', async () => {
  const user = userEvent.setup()
  removed.length = 0
  renderUi(<Page />, '/objects')
  await user.click(screen.getByRole('checkbox', { name: 'Select all' }))
  await user.type(screen.getByRole('searchbox', { name: 'Search objects' }), 'b')
  await user.click(screen.getByRole('button', { name: 'Archive' }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Archive 1 object' }))
  await waitFor(() => expect(removed).toEqual(['b']))
})
