// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { renderUi } from '../testing/render.tsx'
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

test('a column sorts by its value, ascending and then descending, and one without a value does not sort', async () => {
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

test('the arrow keys, Home and End go from row to row, and Enter opens the one that has the focus', async () => {
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

test('where rows are no buttons the keys go from link to link, and are left alone in other controls of a row', async () => {
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
