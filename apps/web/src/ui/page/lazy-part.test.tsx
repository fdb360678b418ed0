// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { askServer } from '../../lib/api/reachability.ts'
import { renderUi } from '../../testing/render.tsx'
import { lazyPart } from './lazy-part.tsx'

afterEach(() => vi.unstubAllGlobals())

test('a part that cannot be loaded keeps the input beside it, shows the reason, and loads automatically later', async () => {
  let away = true
  vi.stubGlobal('fetch', () => (away ? Promise.reject(new TypeError('cut')) : Promise.resolve(new Response('{}'))))
  let loads = 0
  const Part = lazyPart(async () => {
    loads++
    if (away) throw new TypeError('Failed to fetch dynamically imported module')
    return ({ name }: { name: string }) => <p>Schema of {name}</p>
  })
  renderUi(
    <>
      <input aria-label="Title" />
      <Part name="Shop" />
    </>,
  )
  await userEvent.type(screen.getByRole('textbox', { name: 'Title' }), 'Till')
  expect(await screen.findByText(/The server can't be reached/)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }))
  await waitFor(() => expect(loads).toBe(2))
  expect(screen.getByRole('alert').textContent).toContain('Could not load this section')
  away = false
  await askServer()
  expect(await screen.findByText('Schema of Shop')).toBeTruthy()
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Title' }).value).toBe('Till')
  expect(loads).toBe(3)
})
