// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { SourcesPage } from './sources-page.tsx'

const list = '/workspaces/w1/sources'
const refusal = (code: number, message: string): Response =>
  Response.json({ code, reason: 'REFUSED', message, metadata: {} }, { status: code })
const none = (): Response => Response.json({ sources: [], next_page_token: '' })

test('ERR-03, ERR-04, ERR-05, ERR-07, ERR-09: each status of a failed query has its text and its action', async () => {
  for (const [code, message, title, text, action] of [
    [403, 'x', 'No access', 'You are not authorized to view this content', 'Retry'],
    [
      412,
      'x',
      'No connection',
      "We couldn't establish a connection to your data warehouse; access is either currently in progress or has been revoked.",
      'Retry',
    ],
    [422, 'The words of the server', 'Failed to load the sources', 'The words of the server', 'Retry'],
    [404, 'x', 'The requested resource was not found.', 'The page you are looking for does not exist.', 'Refresh'],
    [
      404,
      'WORKSPACE Not Found',
      'The requested Workspace was not found.',
      'It may have been deleted, or your account has no access to it.',
      'Refresh',
    ],
  ] as const) {
    openInWorkspace(<SourcesPage />, { answers: (path) => (path === list ? refusal(code, message) : undefined) })
    const shown = await screen.findByRole('alert')
    expect(shown.querySelector('h2')?.textContent).toBe(title)
    expect(shown.querySelector('p')?.textContent).toBe(text)
    expect(screen.getAllByRole('button', { name: action })).toHaveLength(1)
    cleanup()
  }
})

test('a rejected query shows its error instead of the content, and Retry sends exactly one more request (ERR-01, ERR-02)', async () => {
  const { asked } = openInWorkspace(<SourcesPage />, {
    answers: (path) => (path === list ? refusal(400, 'The filter is wrong') : undefined),
  })
  const times = (): number => asked.filter((path) => path === list).length
  await screen.findByText('The filter is wrong')
  expect(screen.queryByText('Add your first source')).toBeNull()
  expect(times()).toBe(1)
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
  await waitFor(() => expect(times()).toBe(2))
  await screen.findByText('The filter is wrong')
  expect(times()).toBe(2)
})

test('an unreachable server is reported, and Retry works after it is back', async () => {
  let away = true
  openInWorkspace(<SourcesPage />, {
    answers: (path) => (path !== list ? undefined : away ? Promise.reject(new TypeError('Failed to fetch')) : none()),
  })
  await screen.findByText('Could not reach the server. Check your connection and try again.')
  away = false
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
  await screen.findByText('Add your first source')
})
