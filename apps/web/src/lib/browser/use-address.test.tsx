// @vitest-environment happy-dom
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { createMemoryRouter, RouterProvider, useLocation } from 'react-router'
import { expect, test } from 'vitest'
import { useAddress } from './use-address.ts'

const names = ['search', 'type'] as const

const Page = () => {
  const { search, hash } = useLocation()
  const [values, change] = useAddress(names)
  const [renders, setRenders] = useState(0)
  const changeBoth = (): void => {
    change({ type: 'Web' })
    // Renders the page again, as happens when a list is loaded in the meantime.
    flushSync(() => setRenders((before) => before + 1))
    change({ search: 'shop' })
  }
  return (
    <>
      <p>{`At ${search}${hash}`}</p>
      <p>{`Of ${values.type}, like ${values.search}, rendered ${renders}`}</p>
      <button type="button" onClick={changeBoth}>
        Change
      </button>
    </>
  )
}

test('two quick changes of the URL are both kept, even if the page renders before the first is shown', async () => {
  const user = userEvent.setup()
  const router = createMemoryRouter([{ path: '*', element: <Page /> }], {
    initialEntries: ['/sources?range=1day&type=App#tab'],
  })
  render(<RouterProvider router={router} />)
  await user.click(await screen.findByRole('button', { name: 'Change' }))
  await waitFor(() => screen.getByText('At ?range=1day&type=Web&search=shop#tab'))
  screen.getByText('Of Web, like shop, rendered 1')
  expect(router.state.location.search).toBe('?range=1day&type=Web&search=shop')
})
