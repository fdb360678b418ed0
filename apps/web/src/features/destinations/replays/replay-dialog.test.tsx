// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type Destination, destinationMappings } from '@tributary/contract'
import { expect, test, vi } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { ReplayDialog } from './replay-dialog.tsx'
import { emptyDraft } from './replay-scope.ts'

const destination = { name: 'workspaces/w1/destinations/d1', title: 'Receiver', enabled: true } as Destination

const show = (uses_profile: boolean) => {
  const mappings = destinationMappings.parse({
    name: `${destination.name}/mappings`,
    is_preset: false,
    revision: 1,
    event_mappings: [],
    new_presets: [],
    uses_profile,
    actions: [],
    variables: [],
    warnings: [],
  })
  const answered: string[] = []
  openInWorkspace(<ReplayDialog destination={destination} initial={emptyDraft('history')} onClosed={() => {}} />, {
    role: 'ORG_ADMIN',
    answers: (path) => {
      answered.push(path)
      if (path.endsWith('/mappings')) return Response.json(mappings)
      if (path.endsWith('/sources')) return Response.json({ sources: [], next_page_token: '' })
      return undefined
    },
  })
  return answered
}

test('a replay of history offers the choice of profiles, and says what the latest values are', async () => {
  show(true)
  const choice = await screen.findByRole('combobox', { name: 'Profile' })
  expect(choice).toHaveProperty('value', 'latest')
  expect(screen.getByText(/also with changes since the replay began/)).toBeDefined()
  await userEvent.selectOptions(choice, "Only the event's own values")
  expect(screen.getByText('Fields and conditions get no values of the profile.')).toBeDefined()
  await userEvent.click(screen.getByRole('radio', { name: /Dead letters/ }))
  expect(screen.queryByRole('combobox', { name: 'Profile' })).toBeNull()
})

test('a replay to a destination whose mappings use no profile has no such choice', async () => {
  const answered = show(false)
  await vi.waitFor(() => expect(answered.some((path) => path.endsWith('/mappings'))).toBe(true))
  await screen.findByRole('textbox', { name: 'Events per second' })
  expect(screen.queryByRole('combobox', { name: 'Profile' })).toBeNull()
})
