// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { EventsPage } from './events-page.tsx'

test('a click on Clear filters right after typing clears them, although leaving the field starts another search', async () => {
  const started = Promise.withResolvers<undefined>()
  openInWorkspace(<EventsPage />, {
    at: '/?search=opened',
    answers: (path, _init, query) => {
      if (path.endsWith('/sources')) return Response.json({ sources: [], next_page_token: '' })
      if (!path.endsWith('/events')) return undefined
      if (query.get('search') === 'nothing') {
        started.resolve(undefined)
        return new Promise(() => undefined)
      }
      return Response.json({ events: [], next_page_token: '' })
    },
  })
  const user = userEvent.setup()
  await screen.findByText('No events match')
  const clear = screen.getAllByRole('button', { name: 'Clear filters' }).at(-1) ?? document.body
  const field = screen.getByRole<HTMLInputElement>('searchbox')
  await user.clear(field)
  await user.type(field, 'nothing')
  await user.pointer({ keys: '[MouseLeft>]', target: clear })
  await started.promise
  await user.pointer({ keys: '[/MouseLeft]', target: clear })
  expect(await screen.findByText('No events yet')).toBeDefined()
  expect(field.value).toBe('')
})
