// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Destination } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../../testing/page.tsx'
import { settingOption } from '../../../testing/setting-option.ts'
import { PeopleListCard } from './people-list-card.tsx'

const name = 'workspaces/w1/destinations/d1'
const destinationWith = (chosen: string | null, more: Partial<Destination> = {}): Destination => ({
  name,
  title: 'Ads',
  app: {
    name: `${name}/app`,
    catalog_app: 'catalogDestinations/tiktok-audiences',
    title: 'TikTok Audiences',
    display_name: 'TikTok Audiences',
    docs_url: '',
    instance_count: 1,
    extra: { app_icon: '' },
    settings: [
      { ...settingOption({ name: 'audience_id', display_name: 'Audience' }), value: chosen, is_set: chosen !== null },
    ],
    people_lists: { setting: 'audience_id', title: 'TikTok audience', max_title: 5 },
    abilities: [],
  },
  state: 'ready',
  missing_settings: [],
  enabled: true,
  consent_categories: [],
  grant: null,
  create_time: '2026-01-01T00:00:00Z',
  update_time: '2026-01-01T00:00:00Z',
  ...more,
})

type Sent = { path: string; body: unknown }

/** Shows the card. The fake server has two lists, and notes what is sent to it. */
const show = (destination: Destination, { message = '', refusal }: { message?: string; refusal?: string } = {}) => {
  const sent: Sent[] = []
  const fresh: string[] = []
  openInWorkspace(<PeopleListCard destination={destination} />, {
    answers: (path, init, query) => {
      if (typeof init?.body === 'string') sent.push({ path, body: JSON.parse(init.body) })
      if (path === `/${name}/peopleLists` && init?.method === 'POST')
        return refusal === undefined
          ? Response.json({ id: '3', title: 'New', note: '' })
          : Response.json({ code: 409, reason: 'LIST_NOT_CREATED', message: refusal, metadata: {} }, { status: 409 })
      if (path === `/${name}/peopleLists`) {
        const lists = [
          { id: '1', title: 'VIPs', note: '1,200 matched' },
          { id: '2', title: 'Buyers', note: '' },
        ].filter(({ title }) => title.toLowerCase().includes(query.get('search') ?? ''))
        return Response.json({ people_lists: message === '' ? lists : [], next_page_token: '', message })
      }
      if (path.startsWith(`/${name}/peopleLists/`)) {
        fresh.push(query.get('fresh') ?? '')
        const facts = [{ title: 'Matched people', value: query.get('fresh') === 'true' ? '1,300' : '1,200' }]
        return Response.json({ facts: message === '' ? facts : [], read_time: '2026-01-01T00:00:00Z', message })
      }
      return path.endsWith('/app:updateSetting') ? Response.json(destination.app) : undefined
    },
  })
  return { sent, fresh }
}

const click = (button: string) => userEvent.click(screen.getByRole('button', { name: button }))

test('the card shows what the platform says of the list, and asks again on request', async () => {
  const { fresh } = show(destinationWith('1'))
  expect(await screen.findByText('1,200')).toBeTruthy()
  await click('Refresh')
  expect(await screen.findByText('1,300')).toBeTruthy()
  expect(fresh).toEqual(['', 'true'])
})

test('a list is found by its title and chosen', async () => {
  const { sent } = show(destinationWith(null))
  expect(screen.getByText('None is chosen.')).toBeTruthy()
  await click('Choose')
  await userEvent.click(screen.getByRole('combobox', { name: 'Choose a TikTok audience' }))
  await userEvent.type(await screen.findByRole('combobox', { name: 'Search' }), 'buy')
  await userEvent.click(await screen.findByRole('option', { name: /Buyers/ }))
  expect(sent).toEqual([{ path: `/${name}/app:updateSetting`, body: { name: 'audience_id', value: '2' } }])
})

test('a list is created after a confirmation, and is then chosen', async () => {
  const { sent } = show(destinationWith('1'))
  await click('Create TikTok audience')
  const title = await screen.findByRole('textbox', { name: /Name/ })
  await userEvent.type(title, 'Too long')
  await click('Create')
  expect(await screen.findByText('At most 5 characters')).toBeTruthy()
  expect(sent).toEqual([])
  await userEvent.clear(title)
  await userEvent.type(title, 'New')
  await click('Create')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(sent).toHaveLength(2))
  expect(sent).toEqual([
    { path: `/${name}/peopleLists`, body: { title: 'New' } },
    { path: `/${name}/app:updateSetting`, body: { name: 'audience_id', value: '3' } },
  ])
})

test('the words of a platform that refuses a list are shown, and nothing is chosen', async () => {
  const { sent } = show(destinationWith('1'), { refusal: 'A user list with this name exists' })
  await click('Create TikTok audience')
  await userEvent.type(await screen.findByRole('textbox', { name: /Name/ }), 'New')
  await click('Create')
  expect(await screen.findByText(/A user list with this name exists/)).toBeTruthy()
  expect(sent).toHaveLength(1)
})

test('a platform that cannot be asked is named in words', async () => {
  show(destinationWith('1'), { message: 'TikTok refuses the access token' })
  expect((await screen.findByRole('alert')).textContent).toContain('TikTok refuses the access token')
})

test.each([
  ['without a complete set-up', destinationWith(null, { state: 'needs_setup' })],
  [
    'without a connection',
    destinationWith(null, { grant: { status: 'none', account: '', connect_time: null, error: '', missing: '' } }),
  ],
])('a destination %s has no card', (_, destination) => {
  show(destination)
  expect(screen.queryByRole('button')).toBeNull()
})
