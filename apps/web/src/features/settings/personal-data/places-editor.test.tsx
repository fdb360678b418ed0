// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import {
  defaultPersonDataPaths,
  type PersonDataCounts,
  type PersonDataPlaces,
  personDataKinds,
} from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { pathProblems, usePlacesDraft } from './places-draft.ts'
import { PlacesEditor } from './places-editor.tsx'

const places: PersonDataPlaces = {
  name: 'workspaces/w1/personDataPlaces',
  places: Object.fromEntries(
    personDataKinds.map(({ kind }) => [kind, [...defaultPersonDataPaths[kind]]]),
  ) as PersonDataPlaces['places'],
  changed: [],
  revision: 0,
  update_time: null,
}

const counts: PersonDataCounts = {
  start_time: '2026-01-01T00:00:00Z',
  end_time: '2026-01-08T00:00:00Z',
  events: 12_000,
  counted: 5000,
  kinds: personDataKinds.map(({ kind }) => ({
    kind,
    found: 3100,
    paths: places.places[kind].map((path, index) => ({ path, events: 1000 * index })),
  })),
  received: [{ path: 'traits.contact.mail', events: 50 }],
}

const Editor = () => <PlacesEditor draft={usePlacesDraft(places)} />

const open = (role: 'ORG_ADMIN' | 'ORG_GUEST') =>
  openInWorkspace(<Editor />, {
    role,
    answers: (path) => {
      if (path.endsWith('personDataPlaces:count')) return Response.json(counts)
      return path.endsWith('/personDataPlaces') ? Response.json(places) : undefined
    },
  })

const email = async () => within(await screen.findByRole('list', { name: 'Paths of Email, in order' }))
const pathsOf = (list: Awaited<ReturnType<typeof email>>) =>
  list.getAllByLabelText(/^Path \d+ of Email$/).map((input) => (input as HTMLInputElement).value)

test('each path has the share of events with a value there, and each kind the share of the whole list', async () => {
  open('ORG_ADMIN')
  const list = await email()
  await screen.findAllByText('In 62% of events')
  expect(list.getAllByRole('listitem').map(({ textContent }) => /(\d+%)$/.exec(textContent)?.[1])).toEqual([
    '0%',
    '20%',
    '40%',
  ])
  expect(screen.getByText(/5,000 random events of the 12,000/)).toBeDefined()
})

test('paths are moved by keys, added, and checked before they are saved', async () => {
  open('ORG_ADMIN')
  const list = await email()
  await userEvent.click(list.getByRole('button', { name: 'Move path 3 of Email up' }))
  expect(pathsOf(list)).toEqual(['context.traits.email', 'traits.email', 'properties.email'])
  await userEvent.keyboard('{ArrowUp}')
  expect(pathsOf(list)).toEqual(['traits.email', 'context.traits.email', 'properties.email'])
  expect(screen.getByRole('region', { name: 'Unsaved changes' }).textContent).toContain('Email')
  await userEvent.click(screen.getAllByRole('button', { name: 'Add path' })[0] as HTMLElement)
  await userEvent.type(list.getByLabelText('Path 4 of Email'), 'email{Escape}')
  await userEvent.click(screen.getByRole('button', { name: 'Save paths' }))
  expect(await list.findByText('Begin with context., properties., traits., or profile.')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Restore defaults' }))
  expect(pathsOf(list)).toEqual(defaultPersonDataPaths.email)
  expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull()
})

test('a guest reads the paths and cannot change them', async () => {
  open('ORG_GUEST')
  const list = await email()
  expect(list.queryByRole('button')).toBeNull()
  expect(list.getAllByLabelText(/^Path/).every((input) => (input as HTMLInputElement).disabled)).toBe(true)
})

test.each([
  [['traits.a', ' traits["a"]'], [[1, 'This path is listed already']]],
  [['', 'traits.a'], []],
  [['traits..a'], [[0, "A path can't have empty names"]]],
  [Array.from({ length: 21 }, (_, index) => `traits.a${index}`), [[20, 'At most 20 paths']]],
])('the paths %j have the problems %j', (paths, problems) => {
  expect([...pathProblems(paths)]).toEqual(problems)
})
