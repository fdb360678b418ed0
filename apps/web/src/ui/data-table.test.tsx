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
