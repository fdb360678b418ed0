// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import { CompleteOnboarding } from './complete-onboarding-page.tsx'

afterEach(cleanup)

test.each([
  [undefined, 't1'],
  ['', 't1'],
  ['u1', null],
  ['u1', ''],
])('ONB-12, ONB-13: the user %j with the token %j is not a valid onboarding', (userId, token) => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <CompleteOnboarding userId={userId} token={token} />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(
    "No onboarding: Couldn't find the requested onboarding",
  )
})
