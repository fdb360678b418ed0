// @vitest-environment happy-dom
import type { Invitation } from '@tributary/contract'
import { expect, test } from 'vitest'
import { tracked } from '../../testing/tracked.tsx'
import { useResendInvitation, useRevokeInvitation } from './membership-mutations.ts'

const invitation: Invitation = {
  name: 'organizations/o1/invitations/i1',
  invitee_email: 'ben@example.com',
  role: { value: 'ORG_GUEST' },
  inviter: 'Ada',
  create_time: '2026-01-01T00:00:00Z',
  send_time: '2026-01-01T00:00:00Z',
  expire_time: '2026-01-08T00:00:00Z',
}

test('sending an invitation again and revoking it send one product event each (OBS-04b)', async () => {
  const properties = { invitation: 'organizations/o1/invitations/i1' }
  expect(await tracked(() => useResendInvitation('organizations/o1'), invitation, { body: invitation })).toEqual([
    { event: 'Invitation Updated', properties },
  ])
  expect(await tracked(() => useRevokeInvitation('organizations/o1'), invitation, { body: {} })).toEqual([
    { event: 'Invitation Deleted', properties },
  ])
})
