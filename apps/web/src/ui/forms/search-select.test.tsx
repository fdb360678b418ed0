// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { Button } from '../button.tsx'
import { matching, SearchMenu, type SearchOption, SearchSelect } from './search-select.tsx'

const options: SearchOption[] = Array.from({ length: 150 }, (_, index) => ({
  value: `sources/${index}`,
  title: `Shop ${index}`,
  note: index % 2 === 0 ? 'Web' : 'iOS',
}))

test('an option matches if its title or note contains every typed word', () => {
  expect(matching(options, ' ios 41 ').map(({ title }) => title)).toEqual(['Shop 41', 'Shop 141'])
  expect(matching(options, '')).toHaveLength(150)
  expect(matching(options, 'no such')).toEqual([])
})

const Chooser = () => {
  const [value, setValue] = useState('')
  return (
    <>
      <output>{value}</output>
      <SearchSelect label="Source" value={value} onChange={setValue} options={options} placeholder="All sources" />
    </>
  )
}

test('one of many options is found by typing and chosen with the keyboard; the list says that it is incomplete', async () => {
  const user = userEvent.setup()
  renderUi(<Chooser />)
  const trigger = screen.getByRole('combobox', { name: 'Source' })
  expect(trigger.textContent).toBe('All sources')
  await user.click(trigger)
  expect(screen.getAllByRole('option')).toHaveLength(100)
  screen.getByText('100 of 150. Type to narrow the list.')
  await user.keyboard('shop 117')
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual(['Shop 117iOS'])
  await user.keyboard('{Enter}')
  expect(screen.getByText('sources/117')).toBeDefined()
  expect(trigger.textContent).toBe('Shop 117')
})

test('a menu runs the chosen option, even twice in a row, and ignores letters while it is closed', async () => {
  const user = userEvent.setup()
  const chosen: string[] = []
  renderUi(
    <SearchMenu
      label="Connect source"
      button={<Button>Connect source</Button>}
      options={options.slice(0, 3)}
      onChoose={(value) => chosen.push(value)}
      footer={() => <a href="/new">New source</a>}
    />,
  )
  const button = screen.getByRole('button', { name: 'Connect source' })
  button.focus()
  await user.keyboard('s')
  expect(chosen).toEqual([])
  for (const _ of [1, 2]) {
    await user.click(button)
    await user.click(within(await screen.findByRole('dialog')).getByRole('option', { name: /Shop 1/ }))
  }
  expect(chosen).toEqual(['sources/1', 'sources/1'])
  await user.click(button)
  await user.keyboard('nowhere')
  screen.getByText('No matches')
  screen.getByRole('link', { name: 'New source' })
})
