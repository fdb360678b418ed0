import type { Organization, Workspace } from '@tributary/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { loginAnswer } from '../../testing/login-answer.ts'
import {
  actOnBehalf,
  clearSession,
  sessionOfLogin,
  signIn,
  stopActing,
  useSession,
  workspaceEntered,
  workspacesLoaded,
} from './session.ts'

const organization = (id: string): Organization => ({
  name: `organizations/${id}`,
  title: id,
  display_name: id,
  industry: 'other',
  extra: { logo: '' },
  auto_join_domain: '',
  subscription: { name: '', extra: { plan_name: 'plans/free' } },
  create_time: '2026-01-01T00:00:00Z',
})

const workspace = (id: string, of: Organization | null): Workspace => ({
  name: `workspaces/${id}`,
  title: id,
  organization: of,
  create_time: '2026-01-01T00:00:00Z',
})

const own = organization('own')
const other = organization('other')

beforeEach(clearSession)

test('SES-04, SES-05, SES-06, SES-07, SES-08: a login response becomes the stored session', () => {
  expect(sessionOfLogin(loginAnswer)).toEqual({
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

test("SES-02, SES-11: a login response with an organization sets the session's organization, and one without sets none", () => {
  expect(sessionOfLogin(loginAnswer).session).toEqual({ organization: null })
  expect(sessionOfLogin({ ...loginAnswer, organization: own }).session.organization?.name).toBe('organizations/own')
})

describe('loading workspaces', () => {
  test("SES-17: the first workspace's organization becomes the session's, and the list is kept", () => {
    const list = [workspace('w1', own), workspace('w2', other)]
    workspacesLoaded(list)
    expect(useSession.getState().session.organization).toEqual(own)
    expect(useSession.getState().availableWorkspaces).toEqual(list)
  })

  test.each([
    ['no workspace', []],
    ['a first one without an organisation', [workspace('w1', null), workspace('w2', own)]],
  ])('with %s the session has no organization', (_, list) => {
    workspacesLoaded([workspace('w1', own)])
    workspacesLoaded(list)
    expect(useSession.getState().session.organization).toBeNull()
  })

  test('SES-17: while acting on behalf, neither the list nor entering a workspace changes the organization', () => {
    actOnBehalf(workspace('w9', other))
    workspacesLoaded([workspace('w1', own)])
    workspaceEntered(workspace('w1', own))
    expect(useSession.getState().session.organization).toEqual(other)
  })
})

describe('acting on behalf', () => {
  beforeEach(() => {
    signIn({ ...loginAnswer, organization: own })
    actOnBehalf(workspace('w9', other))
  })

  test('SES-09, SES-28, SES-29, SES-30: acting on behalf switches the organization, and stores the own organization and the workspace', () => {
    const { session, actOnBehalfOf } = useSession.getState()
    expect(session.organization).toEqual(other)
    expect(actOnBehalfOf).toEqual({
      organization: other,
      originalOrganization: own,
      workspace: workspace('w9', other),
    })
  })

  test('SES-09, SES-31: stopActing restores the own organization and keeps the session, and a second call changes nothing', () => {
    stopActing()
    expect(useSession.getState()).toMatchObject({
      session: { organization: own },
      actOnBehalfOf: null,
      accessToken: 'a',
    })
    workspaceEntered(workspace('w9', other))
    stopActing()
    expect(useSession.getState().session.organization).toEqual(other)
  })

  test('SES-29, SES-31: switching between acted-on workspaces still leads back to the own organization', () => {
    const third = organization('third')
    actOnBehalf(workspace('w8', third))
    expect(useSession.getState().actOnBehalfOf).toMatchObject({ organization: third, originalOrganization: own })
    stopActing()
    expect(useSession.getState().session.organization).toEqual(own)
  })

  test('a workspace without an organization cannot be acted on', () => {
    stopActing()
    expect(() => actOnBehalf(workspace('w7', null))).toThrow('belongs to no organization')
    expect(useSession.getState().session.organization).toEqual(own)
  })
})
