// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import type { FoundOrganization } from '@tributary/contract'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { OrganizationsPage } from './organizations-page.tsx'

const found = (of: Partial<FoundOrganization>): FoundOrganization => ({
  name: 'organizations/o1',
  display_name: 'Zephyr Sails',
  plan_name: 'plans/team',
  plan_title: 'Team',
  create_time: '2026-01-01T00:00:00Z',
  workspace: 'workspaces/w-zephyr',
  usage: { members: 1, workspaces: 2, sources: 3, destinations: 1, audiences: 0, profiles: 1204 },
  health: { dead_letters: 1, refused_requests: 0, failed_syncs: 2 },
  ...of,
})

test('staff see plan, usage, and health of each organization, with a link to act on its behalf', async () => {
  openInWorkspace(<OrganizationsPage />, {
    answers: (path) =>
      path === '/organizations:find'
        ? Response.json({
            organizations: [found({}), found({ name: 'organizations/o2', display_name: 'Empty', workspace: '' })],
            next_page_token: '',
          })
        : undefined,
  })
  const link = await screen.findByRole('link', { name: 'Zephyr Sails' })
  expect(link.getAttribute('href')).toBe('/workspaces/w1/settings/admin/act-on-behalf?workspace=w-zephyr')
  expect(screen.queryByRole('link', { name: 'Empty' })).toBeNull()
  const row = within(screen.getAllByRole('row')[1] as HTMLElement)
  // A wide page shows these texts in separate columns, a narrow page below the name.
  for (const text of [
    'Team',
    '1 dead letter',
    '2 failed syncs',
    '1,204 profiles, 3 sources, 1 destination, 0 audiences',
  ])
    expect(row.getAllByText(text)).toHaveLength(2)
})
