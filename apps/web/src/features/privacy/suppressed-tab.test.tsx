// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { SuppressedTab } from './suppressed-tab.tsx'

test('a click on Clear search right after typing clears the search, although leaving the field starts another search', async () => {
  const started = Promise.withResolvers<undefined>()
  openInWorkspace(<SuppressedTab />, {
    at: '/?search=ada',
    answers: (path, _init, query) => {
      if (!path.endsWith('/suppressions')) return undefined
      if (query.get('search') === 'grace') {
        started.resolve(undefined)
        return new Promise(() => undefined)
      }
      return Response.json({ suppressions: [], next_page_token: '' })
    },
  })
  const user = userEvent.setup()
  const clear = await screen.findByRole('button', { name: 'Clear search' })
  const field = screen.getByRole<HTMLInputElement>('searchbox')
  await user.clear(field)
  await user.type(field, 'grace')
  await user.pointer({ keys: '[MouseLeft>]', target: clear })
  await started.promise
  await user.pointer({ keys: '[/MouseLeft]', target: clear })
  expect(await screen.findByText('No one is suppressed')).toBeDefined()
  expect(field.value).toBe('')
})
