// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Destination, DestinationMappings } from '@tributary/contract'
import { expect, test, vi } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { NewPresets } from './new-presets.tsx'

const destination = { name: 'workspaces/w1/destinations/d1', title: 'Meta' } as Destination
const server: DestinationMappings = {
  name: 'workspaces/w1/destinations/d1/mappings',
  is_preset: true,
  uses_profile: false,
  revision: 3,
  event_mappings: [],
  new_presets: [
    { event_name: '', event_type: 'page', destination: 'send' },
    { event_name: 'Trial Started', event_type: 'track', destination: 'send' },
  ],
  actions: [
    {
      name: 'send',
      title: 'Send a page',
      description: '',
      targets: [],
      custom_targets: true,
      whole_event: false,
      event_types: [],
    },
  ],
  variables: [],
  warnings: [],
}

const show = (shown: DestinationMappings, { mayEdit = true, status = 200 } = {}) => {
  const sent: unknown[] = []
  const onAdded = vi.fn()
  openInWorkspace(<NewPresets destination={destination} server={shown} onAdded={mayEdit ? onAdded : undefined} />, {
    answers: (path, init) => {
      if (!path.endsWith('/mappings:addPresets')) return undefined
      sent.push(typeof init?.body === 'string' ? JSON.parse(init.body) : init?.body)
      return Response.json(status === 200 ? { ...server, new_presets: [], revision: 4 } : {}, { status })
    },
  })
  return { sent, onAdded }
}

test('the new presets are listed, and added only after a confirmation that lists them with their actions', async () => {
  const { sent, onAdded } = show(server)
  const note = within(await screen.findByRole('region', { name: 'New presets' }))
  expect(note.getByText('2 new presets are available.')).toBeDefined()
  expect(note.getByText('page calls, Trial Started')).toBeDefined()
  await userEvent.click(note.getByRole('button', { name: 'Add them' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'page calls  Send a page',
    'Trial Started  Send a page',
  ])
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  expect(sent).toEqual([])
  await userEvent.click(note.getByRole('button', { name: 'Add them' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Add presets' }))
  expect(sent).toEqual([{ revision: 3 }])
  await vi.waitFor(() => expect(onAdded).toHaveBeenCalledOnce())
})

test('a failure to add presets is shown', async () => {
  const { onAdded } = show(server, { status: 503 })
  await userEvent.click(await screen.findByRole('button', { name: 'Add them' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Add presets' }))
  expect((await screen.findByRole('alert')).textContent).toMatch(/^The presets were not added: /)
  expect(onAdded).not.toHaveBeenCalled()
})

test('guests see new presets without a button, and without new presets there is no note', async () => {
  show(server, { mayEdit: false })
  expect(within(await screen.findByRole('region', { name: 'New presets' })).queryByRole('button')).toBeNull()
  show({ ...server, new_presets: [] })
  expect(screen.getAllByRole('region', { name: 'New presets' })).toHaveLength(1)
})
