// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useLocation } from 'react-router'
import { expect, test } from 'vitest'
import { useAddress } from '../../lib/browser/use-address.ts'
import { renderUi } from '../../testing/render.tsx'
import { ListBar } from './list-bar.tsx'

const names = ['search', 'type'] as const

const Page = () => {
  const { search, hash } = useLocation()
  const [values, change] = useAddress(names)
  return (
    <>
      <p>{`At ${search}${hash}`}</p>
      <ListBar
        label="Search sources"
        noun="source"
        values={values}
        onChange={change}
        filters={[{ name: 'type', label: 'Type', any: 'All types', options: [{ value: 'Web', title: 'Web' }] }]}
        shown={12}
        total={512}
      />
    </>
  )
}

test('filters are in the URL beside its other parameters, are restored from it, and are counted', async () => {
  const user = userEvent.setup()
  renderUi(<Page />, '/sources?range=1day&type=Gone#tab')
  // A type that no longer exists is shown, so that it can be deselected.
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Type' }).value).toBe('Gone')
  screen.getByText('12 of 512 sources')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Type' }), 'Web')
  await user.type(screen.getByRole('searchbox', { name: 'Search sources' }), 'shop')
  await waitFor(() => screen.getByText('At ?range=1day&type=Web&search=shop#tab'))
  await user.click(screen.getByRole('button', { name: 'Clear filters' }))
  screen.getByText('At ?range=1day#tab')
  screen.getByText('512 sources')
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('')
})
