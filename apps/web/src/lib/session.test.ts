import { expect, test } from 'vitest'
import { sessionOfLogin } from './session.ts'

const answer = {
  access_token: 'a',
  set_password_otp_token: 'p',
  courier_token: 'c',
  intercom_token: 'i',
  user: {
    name: 'users/u1',
    id: 'u1',
    email: 'a@b.co',
    first_name: '',
    last_name: '',
    photo_url: '',
    create_time: '2026-01-01T00:00:00Z',
    is_admin: false,
  },
}

test('a login answer becomes the stored session', () => {
  expect(sessionOfLogin(answer)).toEqual({
    session: { organization: null },
    availableWorkspaces: [],
    accessToken: 'a',
    passwordOTPToken: 'p',
    currentUserResourceName: 'users/u1',
    courierToken: 'c',
    intercomToken: 'i',
    actOnBehalfOf: null,
  })
})

test('an answer that carries an organisation sets it', () => {
  const organization = {
    name: 'organizations/o1',
    title: 'Acme',
    display_name: 'Acme',
    industry: 'other' as const,
    extra: { logo: '' },
    subscription: { name: '', extra: { plan_name: 'plans/free' } },
    create_time: '2026-01-01T00:00:00Z',
  }
  expect(sessionOfLogin({ ...answer, organization }).session.organization?.name).toBe('organizations/o1')
})
