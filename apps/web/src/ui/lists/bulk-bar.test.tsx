// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { type BulkAction, BulkBar } from './bulk-bar.tsx'

type Row = { id: string; title: string }
const rows: readonly Row[] = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, title: `Source ${id}` }))

const start = (refused: Set<string>) => {
  const ran: string[] = []
  let settled = 0
  const run = async ({ id }: Row): Promise<void> => {
    ran.push(id)
    if (refused.has(id)) throw new Error(`not ${id}`)
  }
  const actions: BulkAction<Row>[] = [
    { label: 'Enable', done: 'enabled', text: 'They are accepted.', run },
    { label: 'Delete', done: 'deleted', text: 'They are gone.', danger: true, run },
  ]
  const Page = () => {
    const [selected, onSelect] = useState<ReadonlySet<string>>(new Set(rows.map(({ id }) => id)))
    return (
      <BulkBar
        noun="source"
        rows={rows.filter(({ id }) => selected.has(id))}
        actions={actions}
        idOf={({ id }) => id}
        titleOf={({ title }) => title}
        onSelect={onSelect}
        onSettled={() => settled++}
      />
    )
  }
  renderUi(<Page />)
  return { ran, settled: () => settled }
}

test('a deletion names the number of objects, and begins only after the word is typed', async () => {
  const user = userEvent.setup()
  const { ran, settled } = start(new Set())
  screen.getByText('6 selected')
  await user.click(screen.getByRole('button', { name: 'Delete' }))
  const dialog = within(screen.getByRole('dialog', { name: /Delete 6 sources/ }))
  await user.type(dialog.getByRole('textbox', { name: /Type "delete"/ }), 'delet')
  await user.click(dialog.getByRole('button', { name: 'Delete 6 sources' }))
  dialog.getByText('Type delete')
  expect(ran).toEqual([])
  await user.type(dialog.getByRole('textbox', { name: /Type "delete"/ }), 'e')
  await user.click(dialog.getByRole('button', { name: 'Delete 6 sources' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(ran.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  expect(settled()).toBe(1)
  // Nothing is selected.
  expect(screen.queryByRole('region', { name: 'Selection' })).toBeNull()
})

test('failures are listed by object with their reason, and stay selected; a retry affects only them', async () => {
  const user = userEvent.setup()
  const refused = new Set(['b', 'e'])
  const { ran } = start(refused)
  await user.click(screen.getByRole('button', { name: 'Enable' }))
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Enable 6 sources' }))
  const failed = await screen.findByRole('list', { name: 'Failed' })
  expect(
    within(failed)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(['Source b: not b', 'Source e: not e'])
  screen.getByText('2 selected')
  ran.length = 0
  refused.clear()
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(ran).toEqual(['b', 'e'])
})

test('an action that asks for a choice begins only after the choice, and applies it to every row', async () => {
  const user = userEvent.setup()
  const ran: string[] = []
  const connect: BulkAction<Row> = {
    label: 'Connect',
    done: 'connected',
    text: 'Their events are delivered.',
    ask: { label: 'Destination', options: [{ value: 'd1', title: 'Archive' }] },
    run: async ({ id }, chosen) => void ran.push(`${id} ${chosen}`),
  }
  renderUi(
    <BulkBar
      noun="source"
      rows={rows.slice(0, 2)}
      actions={[connect]}
      idOf={({ id }) => id}
      titleOf={({ title }) => title}
      onSelect={() => undefined}
      onSettled={() => undefined}
    />,
  )
  await user.click(screen.getByRole('button', { name: 'Connect' }))
  const confirm = screen.getByRole('button', { name: 'Connect 2 sources' })
  await user.click(confirm)
  screen.getByText('Choose a destination')
  expect(ran).toEqual([])
  await user.click(await screen.findByRole('combobox', { name: 'Destination' }))
  await user.click(await screen.findByRole('option', { name: 'Archive' }))
  await user.click(confirm)
  await waitFor(() => expect(ran).toEqual(['a d1', 'b d1']))
})
