// @vitest-environment happy-dom
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, test } from 'vitest'
import { useFilters } from './use-filters.ts'

const Page = () => {
  const { filters, change } = useFilters()
  const changeBoth = (): void => {
    change({ search: 'order' })
    change({ type: 'track' })
  }
  return (
    <button type="button" onClick={changeBoth}>
      {`Of ${filters.type}, like ${filters.search}`}
    </button>
  )
}

test('two filters of events that change right after each other are both kept', async () => {
  const router = createMemoryRouter([{ path: '*', element: <Page /> }], { initialEntries: ['/events?status=rejected'] })
  render(<RouterProvider router={router} />)
  await userEvent.click(await screen.findByRole('button'))
  await waitFor(() => screen.getByText('Of track, like order'))
  expect(router.state.location.search).toBe('?search=order&type=track&status=rejected')
})
