// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import type { Destination } from '@tributary/contract'
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { settingOption } from '../../testing/setting-option.ts'
import { SetUpNotice } from './set-up-notice.tsx'

const name = 'workspaces/w1/destinations/d1'
const setting = (part: Parameters<typeof settingOption>[0]) => ({ ...settingOption(part), value: null, is_set: false })
const destination = (missing: string[]): Destination => ({
  name,
  title: 'Bucket',
  app: {
    name: `${name}/app`,
    catalog_app: 'catalogDestinations/s3',
    title: 'S3',
    display_name: 'S3',
    docs_url: '',
    instance_count: 1,
    extra: { app_icon: '' },
    settings: [
      setting({ name: 'bucket', display_name: 'Bucket' }),
      setting({ name: 'prefix', display_name: 'Prefix' }),
      setting({ name: 'key', display_name: 'Access key' }),
    ],
    people_lists: null,
    abilities: [],
  },
  state: missing.length > 0 ? 'needs_setup' : 'ready',
  missing_settings: missing,
  enabled: true,
  consent_categories: [],
  grant: null,
  create_time: '2026-01-01T00:00:00Z',
  update_time: '2026-01-01T00:00:00Z',
})
const show = (missing: string[]) =>
  renderUi(
    <QueryClientProvider client={new QueryClient()}>
      <SetUpNotice destination={destination(missing)} />
    </QueryClientProvider>,
  )

test('a destination with missing settings lists them and says that its events are held', () => {
  show(['bucket', 'key'])
  const { textContent } = screen.getByRole('region', { name: 'Set-up needed' })
  expect(textContent).toContain('Enter Bucket and Access key. Until then, its events are held')
})

test('a completely configured destination shows no notice', () => {
  show([])
  expect(screen.queryByRole('region')).toBeNull()
})
