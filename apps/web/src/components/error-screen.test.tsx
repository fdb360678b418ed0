// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../lib/api/errors.ts'
import { renderUi } from '../testing/render.tsx'
import { ErrorScreen, LastResort, NoAccess, UnexpectedError } from './error-screen.tsx'

test('ERR-01: a failed query shows a title, its message and Retry, which runs it again', async () => {
  const retry = vi.fn()
  renderUi(
    <ErrorScreen error={new ApiError(400, { message: 'Bad filter' }, '')} title="Failed to load" onRetry={retry} />,
  )
  expect(screen.getByRole('heading').textContent).toBe('Failed to load')
  expect(screen.getByText('Bad filter')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
  expect(retry).toHaveBeenCalledTimes(1)
})

test('ERR-03: the fixed texts of a status take precedence over the given title', () => {
  renderUi(<ErrorScreen error={new ApiError(403, {}, '')} title="Failed to load" onRetry={() => undefined} />)
  expect(screen.getByRole('heading').textContent).toBe('No access')
  expect(screen.getByText('You are not authorized to view this content')).toBeTruthy()
})

test('a page whose resource is missing links to Home, and a part of a page does not', () => {
  const missing = new ApiError(404, {}, '')
  const { unmount } = renderUi(<ErrorScreen error={missing} page />)
  expect(screen.getByRole('link', { name: 'Go to Home' }).getAttribute('href')).toBe('/')
  unmount()
  renderUi(<ErrorScreen error={missing} />)
  expect(screen.queryByRole('link')).toBeNull()
})

test('ERR-10, ERR-11: no access, an uncaught error, and an unexpected error have three separate screens', () => {
  renderUi(
    <>
      <NoAccess />
      <LastResort />
      <UnexpectedError message="m" onReset={() => undefined} />
    </>,
  )
  expect(screen.getAllByRole('alert').map((screenOf) => screenOf.textContent)).toEqual([
    "You don't have access to this resource.Contact your admin for more information.",
    expect.stringMatching(/^Ooops, something went wrong!Refresh the page\..*Refresh$/),
    'Unexpected Application Error!mTry againRefresh',
  ])
})
