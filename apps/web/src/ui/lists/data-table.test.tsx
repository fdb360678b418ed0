// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { type Column, DataTable } from './data-table.tsx'

type Fruit = { name: string; price: number }
const columns: readonly Column<Fruit>[] = [
  { id: 'name', header: 'Name', value: (row) => row.name, cell: (row) => row.name },
  { id: 'price', header: 'Price', value: (row) => row.price, cell: (row) => row.price },
  { id: 'note', header: 'Note', cell: () => 'none' },
]
const fruits: readonly Fruit[] = [
  { name: 'Quince', price: 12 },
  { name: 'Apple', price: 3 },
  { name: 'Medlar', price: 40 },
]
const none: readonly Fruit[] = []

test('UI-27: a table without rows says "No Entries Found"', () => {
  renderUi(<DataTable label="Fruits" columns={columns} rows={none} rowId={(row) => row.name} />)
  expect(within(screen.getByRole('table', { name: 'Fruits' })).getByRole('cell').textContent).toBe('No Entries Found')
})

test('a column sorts by its value, ascending and then descending; a column without a value cannot be sorted', async () => {
  renderUi(<DataTable label="Fruits" columns={columns} rows={fruits} rowId={(row) => row.name} />)
  const names = (): (string | null | undefined)[] =>
    screen.getAllByRole('row').map((row) => within(row).queryAllByRole('cell')[0]?.textContent)
  await userEvent.click(screen.getByRole('button', { name: 'Price' }))
  expect(names().slice(1)).toEqual(['Apple', 'Quince', 'Medlar'])
  await userEvent.click(screen.getByRole('button', { name: 'Price' }))
  expect(names().slice(1)).toEqual(['Medlar', 'Quince', 'Apple'])
  expect(screen.queryByRole('button', { name: 'Note' })).toBeNull()
})

const many: readonly Fruit[] = Array.from({ length: 5 }, (_, index) => ({ name: `Fruit ${index}`, price: index }))

test('the arrow keys, Home, and End move between rows, and Enter opens the focused row', async () => {
  const opened: string[] = []
  renderUi(
    <DataTable
      label="Fruits"
      columns={columns}
      rows={many}
      rowId={(row) => row.name}
      onRow={({ name }) => opened.push(name)}
    />,
  )
  const focused = (): string | undefined => document.activeElement?.querySelector('td')?.textContent
  screen.getAllByRole('row')[1]?.focus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  expect(focused()).toBe('Fruit 2')
  await userEvent.keyboard('{End}')
  expect(focused()).toBe('Fruit 4')
  await userEvent.keyboard('{ArrowDown}')
  expect(focused()).toBe('Fruit 4')
  await userEvent.keyboard('{Home}')
  expect(focused()).toBe('Fruit 0')
  await userEvent.keyboard('{ArrowUp}')
  expect(focused()).toBe('Fruit 0')
  await userEvent.keyboard('{ArrowDown}{Enter}')
  expect(opened).toEqual(['Fruit 1'])
})

test('in a table with links, the keys move from link to link, and do nothing in other controls of a row', async () => {
  const linked: readonly Column<Fruit>[] = [
    {
      id: 'name',
      header: 'Name',
      cell: ({ name }) => (
        <>
          <a href={`#${name}`}>{name}</a>
          <input aria-label={`Note ${name}`} defaultValue="ab" />
        </>
      ),
    },
  ]
  renderUi(<DataTable label="Fruits" columns={linked} rows={many} rowId={(row) => row.name} />)
  screen.getByRole('link', { name: 'Fruit 0' }).focus()
  await userEvent.keyboard('{ArrowDown}')
  expect(document.activeElement?.textContent).toBe('Fruit 1')
  const note = screen.getByRole('textbox', { name: 'Note Fruit 1' })
  note.focus()
  await userEvent.keyboard('{ArrowDown}{End}')
  expect(document.activeElement).toBe(note)
})

const numbered: readonly Fruit[] = Array.from({ length: 12 }, (_, index) => ({ name: `F${index}`, price: index }))

const Selectable = ({ rows }: { rows: readonly Fruit[] }) => {
  const [selected, onChange] = useState<ReadonlySet<string>>(new Set())
  return (
    <>
      <output>{[...selected].join(' ')}</output>
      <DataTable
        label="Fruits"
        columns={columns}
        rows={rows}
        rowId={(row) => row.name}
        selection={{ selected, onChange, titleOf: (row) => row.name, selectable: ({ name }) => name !== 'F4' }}
      />
    </>
  )
}

test('rows are selected one by one, as a range with Shift in the shown order, or all together', async () => {
  const user = userEvent.setup()
  renderUi(<Selectable rows={numbered} />)
  const box = (name: string) => screen.getByRole('checkbox', { name: `Select ${name}` })
  const chosen = () => screen.getByRole('status').textContent
  await user.click(box('F6'))
  await user.keyboard('{Shift>}')
  await user.click(box('F2'))
  await user.keyboard('{/Shift}')
  // The row F4 cannot be selected.
  expect(new Set(chosen()?.split(' '))).toEqual(new Set(['F2', 'F3', 'F5', 'F6']))
  expect(box('F4')).toHaveProperty('disabled', true)
  const all = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all' })
  expect([all.checked, all.indeterminate]).toEqual([false, true])
  await user.click(all)
  expect(chosen()?.split(' ')).toHaveLength(11)
  await user.click(all)
  expect(chosen()).toBe('')
  // Sorted by descending price, other rows are between the same two.
  await user.click(screen.getByRole('button', { name: 'Price' }))
  await user.click(screen.getByRole('button', { name: 'Price' }))
  await user.click(box('F11'))
  await user.keyboard('{Shift>}')
  await user.click(box('F9'))
  expect(new Set(chosen()?.split(' '))).toEqual(new Set(['F11', 'F10', 'F9']))
})

test('a click on a row beside its link opens the link, and the keyboard reaches the link only once', async () => {
  const user = userEvent.setup()
  const opened: string[] = []
  const At = () => <output>{useLocation().pathname}</output>
  const linked: readonly Column<Fruit>[] = [
    { id: 'name', header: 'Name', cell: (row) => <Link to={`/${row.name}`}>{row.name}</Link> },
    { id: 'price', header: 'Price', cell: (row) => row.price },
  ]
  renderUi(
    <>
      <At />
      <DataTable
        label="Fruits"
        columns={linked}
        rows={fruits}
        rowId={(row) => row.name}
        onRowClick={(row) => opened.push(row.name)}
      />
    </>,
  )
  await user.click(screen.getByRole('cell', { name: '40' }))
  expect(opened).toEqual(['Medlar'])
  await user.tab()
  await user.keyboard('{Enter}')
  expect(screen.getByRole('status').textContent).toBe('/Quince')
  await user.click(screen.getByRole('link', { name: 'Apple' }))
  expect(screen.getByRole('status').textContent).toBe('/Apple')
  expect(opened).toEqual(['Medlar'])
})
