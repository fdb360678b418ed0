// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { AppBoundary } from './route-error.tsx'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

test('ERR-11: what no route has caught shows the last resort of the whole application, which asks for a refresh', () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const Broken = (): never => {
    throw new Error('x')
  }
  render(
    <AppBoundary>
      <Broken />
    </AppBoundary>,
  )
  expect(screen.getByRole('heading').textContent).toBe('Ooops, something went wrong!')
  expect(screen.getByRole('alert').textContent).toContain('Please refresh the page.')
  expect(screen.getByRole('button', { name: 'Refresh' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
})
