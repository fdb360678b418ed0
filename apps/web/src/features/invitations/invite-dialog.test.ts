// @vitest-environment happy-dom
import type { Invitation } from '@tributary/contract'
import { expect, test } from 'vitest'
import { tracked } from '../../testing/tracked.tsx'
import { useInviteMembers } from './invite-dialog.tsx'

const invitation: Invitation = {
  name: 'organizations/o1/invitations/i1',
  invitee_email: 'ben@example.com',
  role: { value: 'ORG_GUEST' },
  inviter: 'Ada',
  create_time: '2026-01-01T00:00:00Z',
  send_time: '2026-01-01T00:00:00Z',
  expire_time: '2026-01-08T00:00:00Z',
}

test('inviting sends one product event, without the addresses (OBS-04a, MEM-13)', async () => {
  const events = await tracked(
    () => useInviteMembers('organizations/o1'),
    { emails: 'ben@example.com', role: 'ORG_GUEST' },
    { body: { invitations: [invitation] } },
  )
  expect(events).toEqual([
    { event: 'Invitation Created', properties: { organization: 'organizations/o1', role: 'ORG_GUEST' } },
  ])
})
