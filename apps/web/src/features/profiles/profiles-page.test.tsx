// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ProfileSummary } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { ProfilesPage } from './profiles-page.tsx'

const ada: ProfileSummary = {
  name: 'workspaces/w1/profiles/p1',
  title: 'Ada Lovelace',
  email: '',
  identifiers: [],
  identifier_count: 0,
  create_time: '2026-01-01T00:00:00Z',
}

test('a click on Clear search right after typing clears the search, although leaving the field starts another search', async () => {
  const started = Promise.withResolvers<undefined>()
  openInWorkspace(<ProfilesPage />, {
    at: '/?search=team',
    answers: (path, _init, query) => {
      if (!path.endsWith('/profiles')) return undefined
      const search = query.get('search')
      if (search === 'nobody') {
        started.resolve(undefined)
        return new Promise(() => undefined)
      }
      return Response.json({ profiles: search === null ? [ada] : [], next_page_token: '' })
    },
  })
  const user = userEvent.setup()
  const clear = await screen.findByRole('button', { name: 'Clear search' })
  const field = screen.getByRole<HTMLInputElement>('searchbox')
  await user.clear(field)
  await user.type(field, 'nobody')
  await user.pointer({ keys: '[MouseLeft>]', target: clear })
  await started.promise
  await user.pointer({ keys: '[/MouseLeft]', target: clear })
  expect(await screen.findByRole('link', { name: 'Ada Lovelace' })).toBeDefined()
  expect(field.value).toBe('')
})
