import type { Page } from '@playwright/test'
import type { PrivacyDestination, PrivacyRequest, Suppression } from '@tributary/contract'
import { failing, settled } from './prepare.ts'
import type { Screen } from './screens.ts'
import type { Seed } from './seed.ts'

const filled = (seed: Seed): string => `/${seed.filled.workspace}/settings/privacy`
const empty = (seed: Seed): string => `/${seed.empty.workspace}/settings/privacy`
const suppressed = (path: (seed: Seed) => string) => (seed: Seed) => `${path(seed)}#suppressed`

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

const request = (of: Partial<PrivacyRequest>): PrivacyRequest => ({
  name: `workspaces/w/privacyRequests/${of.create_time}`,
  kind: 'delete',
  state: 'running',
  identifier_count: 1,
  profile_count: 1,
  places: [],
  files: null,
  destinations: [],
  creator: 'ada@example.com',
  create_time: ago(1),
  finish_time: null,
  ...of,
})

const place = (
  name: PrivacyRequest['places'][number]['place'],
  state: 'waiting' | 'running' | 'done',
  last_error = '',
): PrivacyRequest['places'][number] => ({
  place: name,
  state,
  until_time: name === 'logs' ? ago(-47 * 60) : null,
  last_error,
  update_time: ago(1),
})

const progressOf = (
  title: string,
  state: PrivacyDestination['state'],
  reason = '',
): PrivacyRequest['destinations'][number] => ({
  destination: `workspaces/w/destinations/${title}`,
  title,
  state,
  told: state === 'done' ? 2 : 0,
  total: 2,
  reason,
})

const requests: PrivacyRequest[] = [
  request({
    kind: 'delete_and_suppress',
    identifier_count: 3,
    profile_count: 2,
    places: [
      place('profiles', 'done'),
      place('events', 'running'),
      place('deliveries', 'running'),
      place('logs', 'waiting'),
    ],
    destinations: [
      progressOf('Orders webhook', 'done'),
      progressOf('Warehouse', 'waiting'),
      progressOf('Segment', 'failed', 'HTTP 422'),
      progressOf('RudderStack', 'not_told', 'no access token'),
    ],
  }),
  request({
    create_time: ago(9),
    places: [
      place('profiles', 'done'),
      place('events', 'running', 'The event store is unavailable'),
      place('deliveries', 'waiting'),
      place('logs', 'waiting'),
    ],
  }),
  request({
    create_time: ago(40),
    places: [place('profiles', 'done'), place('events', 'done'), place('deliveries', 'done'), place('logs', 'waiting')],
    files: { state: 'removing', start_time: ago(-200), finish_time: null, last_error: '' },
  }),
  request({ create_time: ago(70), kind: 'suppress', state: 'finished', profile_count: 0, creator: '' }),
  request({
    create_time: ago(5000),
    state: 'finished',
    identifier_count: 250,
    profile_count: 248,
    places: [place('profiles', 'done'), place('events', 'done'), place('deliveries', 'done'), place('logs', 'done')],
  }),
]

const suppressions: Suppression[] = ['user_id', 'anonymous_id', 'shop_customer'].map((type, index) => ({
  name: `workspaces/w/suppressions/${String(index).repeat(4)}${'9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f0'.slice(0, 60)}`,
  type,
  create_time: ago(index * 100),
  refused_events: index * 1234,
}))

/** Fakes the two lists, in states that a real server leaves within a moment. */
const answered = async (page: Page): Promise<void> => {
  await page.route('**/privacyRequests?*', (route) =>
    route.fulfill({ json: { privacy_requests: requests, next_page_token: '' } }),
  )
  await page.route('**/suppressions?*', (route) => route.fulfill({ json: { suppressions, next_page_token: '' } }))
}

const openForm = async (page: Page): Promise<void> => {
  await settled(page)
  await page.getByRole('button', { name: 'New request' }).first().click()
  await page.getByRole('dialog').waitFor()
}

const continueForm = async (page: Page): Promise<void> => {
  await page.getByRole('textbox', { name: 'Identifiers' }).fill('customer-1\ncustomer-2')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('dialog', { name: 'Delete users' }).waitFor()
}

/** The screens of privacy requests and suppressions. */
export const privacyScreens: Screen[] = [
  { name: 'privacy-filled', path: filled, prepare: answered, ready: settled },
  { name: 'privacy-empty', path: empty, ready: settled },
  {
    name: 'privacy-error',
    path: filled,
    prepare: failing(/\/privacyRequests/),
    expectsFailedCalls: true,
    ready: settled,
  },
  { name: 'privacy-new', path: empty, ready: openForm },
  {
    name: 'privacy-confirm',
    path: empty,
    ready: async (page) => {
      await openForm(page)
      await continueForm(page)
    },
  },
  {
    name: 'privacy-new-file',
    path: empty,
    ready: async (page) => {
      await openForm(page)
      await page.getByRole('combobox', { name: /^Request/ }).selectOption('delete_and_suppress')
      await page.getByLabel('Kind of identifier').selectOption('external')
      await page.getByRole('textbox', { name: 'Type' }).fill('shop_customer')
      await page.getByLabel('Choose a file with identifiers').setInputFiles({
        name: 'customers-who-asked-to-be-deleted-in-november.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(Array.from({ length: 40 }, (_, n) => `10004-${n}`).join('\n')),
      })
      await page.getByRole('textbox', { name: 'Identifiers' }).getByText('10004-39').waitFor()
    },
  },
  {
    name: 'privacy-new-invalid',
    path: empty,
    ready: async (page) => {
      await openForm(page)
      await page.getByLabel('Kind of identifier').selectOption('external')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('Required').first().waitFor()
    },
  },
  { name: 'privacy-suppressed', path: suppressed(filled), prepare: answered, ready: settled },
  { name: 'privacy-suppressed-empty', path: suppressed(empty), ready: settled },
  {
    name: 'profile-delete',
    path: (seed) => `/${seed.filled.workspace}/profiles?search=customer-1`,
    ready: async (page) => {
      await page.getByRole('table', { name: 'Profiles' }).getByRole('link').first().click()
      await page.getByRole('button', { name: 'Delete user' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
]
