// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { AccountPage } from './account-page.tsx'

const member = (role: string, id: string) => ({
  name: `organizations/o1/memberships/${id}`,
  user: `users/${id}`,
  role: { value: role },
  profile: { email: `${id}@acme.example`, first_name: '', last_name: '', photo_url: '' },
  organization: { name: 'organizations/o1', title: 'Acme', display_name: 'Acme' },
  create_time: '2026-01-01T00:00:00Z',
})

const open = async (role: string, members: readonly string[]): Promise<string[]> => {
  const page = openInWorkspace(<AccountPage />, {
    role,
    answers: (path) => {
      if (path === '/organizations/o1/memberships')
        return Response.json({
          memberships: members.map((each, index) => member(each, `m${index}`)),
          next_page_token: '',
        })
      return path.endsWith('/sessions') ? Response.json({ sessions: [], next_page_token: '' }) : undefined
    },
  })
  await screen.findByRole('heading', { name: 'Leave organization' })
  await page.settled()
  return page.asked
}

const leave = () => screen.queryByRole('button', { name: 'Leave organization' })

test('the last administrator cannot leave, and the page shows what must be done first', async () => {
  await open('ORG_ADMIN', ['ORG_ADMIN', 'ORG_COLLABORATOR', 'ORG_GUEST'])
  expect(leave()).toBeNull()
  screen.getByText(/You are the only administrator of Acme/)
  expect(screen.getByRole('link', { name: 'See members' }).getAttribute('href')).toBe(
    '/workspaces/w1/settings/organization/members',
  )
})

test('an administrator can leave if there is another one', async () => {
  await open('ORG_ADMIN', ['ORG_ADMIN', 'ORG_ADMIN'])
  expect(leave()).toHaveProperty('disabled', false)
})

test('a member who is not an administrator can leave without the list of members being loaded', async () => {
  const asked = await open('ORG_GUEST', ['ORG_ADMIN'])
  expect(leave()).toHaveProperty('disabled', false)
  expect(asked).not.toContain('/organizations/o1/memberships')
})
